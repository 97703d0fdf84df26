/** Tables of Subnet-EVM's blockchains. Table IDs 90–94. */
import { bool, u32, u64 } from "../../base/codec/codec.ts";
import { id, table } from "../../base/table/table.ts";

/** The blockchains of Subnet-EVM's VM that this store executes, or cannot, numbered in order of creation. Resident. */
export const subnetEvmChains = table({
  id: 90,
  name: "subnet_evm_chains",
  key: { chain: u32 },
  value: {
    chainId: id,
    /** `config.chainId` of its genesis; 0 if the chain does not run */
    evmChainId: u64,
    /** false: its genesis cannot be used, or another chain has its EVM chain ID */
    runs: bool,
  },
});
