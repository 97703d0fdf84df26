/** The C-chain as the development EVM runs it. */
import type { NetworkInstance } from "../../network/network.ts";
import { encodeCChainBlock, parseCChainBlock } from "../atomic/block.ts";
import { DEVELOPMENT_GAS_LIMIT } from "../atomic/genesis-block.ts";
import { cChainGenesis } from "./c-chain-genesis.ts";
import { cChainMembers } from "./c-chain-members.ts";
import { baseFeeAt, hardforkAt } from "./era.ts";
import type { EvmChainSpec } from "./evm-chain-spec.ts";

export function cChainSpec(network: NetworkInstance): EvmChainSpec {
  const { chainId, json, timestamp } = cChainGenesis(network);
  return {
    chainId: network.cChainId,
    name: "the C-chain",
    evmChainId: BigInt(chainId),
    genesis: { json, timestamp },
    gasLimit: DEVELOPMENT_GAS_LIMIT,
    hasAtomicTxs: true,
    avaxAssetId: network.avaxAssetId,
    hardforkAt: (at) => hardforkAt(network, at),
    baseFeeAt: (at) => baseFeeAt(network, at),
    encode: encodeCChainBlock,
    parse: (bytes) => parseCChainBlock(bytes, network.upgrades.times.apricotPhase5),
    shown: (block) => cChainMembers(block, network),
  };
}
