require("@nomicfoundation/hardhat-chai-matchers");
require("@nomicfoundation/hardhat-ethers");
require("@nomicfoundation/hardhat-network-helpers");

/** @type {import("hardhat/config").HardhatUserConfig} */
module.exports = {
  // the version of the EVM is the C-chain's
  solidity: { version: "0.8.30", settings: { evmVersion: "cancun" } },
  networks: {
    firn: {
      url: `${process.env.FIRN_URL ?? "http://127.0.0.1:9650"}/ext/bc/C/rpc`,
      accounts: { mnemonic: "test test test test test test test test test test test junk", count: 9 },
    },
  },
};
