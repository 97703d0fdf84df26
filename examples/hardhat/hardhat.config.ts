import hardhatNetworkHelpers from "@nomicfoundation/hardhat-network-helpers";
import hardhatNodeTestRunner from "@nomicfoundation/hardhat-node-test-runner";
import hardhatViem from "@nomicfoundation/hardhat-viem";
import hardhatViemAssertions from "@nomicfoundation/hardhat-viem-assertions";
import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatNetworkHelpers, hardhatNodeTestRunner, hardhatViem, hardhatViemAssertions],
  solidity: {
    version: "0.8.30",
    // of the C-chain
    settings: { evmVersion: "cancun" },
    npmFilesToBuild: ["@openzeppelin/contracts/governance/TimelockController.sol"],
  },
  networks: {
    firn: {
      type: "http",
      url: `${process.env.FIRN_URL ?? "http://127.0.0.1:9650"}/ext/bc/C/rpc`,
      accounts: { mnemonic: "test test test test test test test test test test test junk", count: 9 },
    },
  },
});
