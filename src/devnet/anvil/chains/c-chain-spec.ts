/** The C-chain as the development EVM runs it. */

import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { encodeCChainBlock, parseCChainBlock } from "../../../chains/atomic/block.ts";
import { DEVELOPMENT_GAS_LIMIT } from "../../../chains/atomic/genesis-block.ts";
import { QUORUM_NUMERATOR } from "../../../chains/platform/warp/verify.ts";
import { isActive, type NetworkInstance } from "../../../network/network.ts";
import { withWarp } from "../precompiles/warp-contract.ts";
import { cChainGenesis } from "./c-chain-genesis.ts";
import { cChainMembers } from "./c-chain-members.ts";
import { baseFeeAt, hardforkAt } from "./era.ts";
import type { EvmChainSpec, WarpRules } from "./evm-chain-spec.ts";

export function cChainSpec(network: NetworkInstance): EvmChainSpec {
  const { chainId, json, timestamp } = cChainGenesis(network);
  const warp = warpRules(network);
  return {
    chainId: network.cChainId,
    name: "the C-chain",
    evmChainId: BigInt(chainId),
    genesis: { json: warp.isActiveAt(timestamp) ? withWarp(json, network.networkId, network.cChainId) : json, timestamp },
    gasLimit: DEVELOPMENT_GAS_LIMIT,
    l1: undefined,
    avaxAssetId: network.avaxAssetId,
    warp,
    isSaevmAt: (at) => isActive(network, "helicon", at),
    hardforkAt: (at) => hardforkAt(network, at),
    baseFeeAt: (at) => baseFeeAt(network, at),
    encode: encodeCChainBlock,
    parse: (bytes) => parseCChainBlock(bytes, network.upgrades.times.apricotPhase5),
    shown: (block) => cChainMembers(block, network),
  };
}

function warpRules(network: NetworkInstance): WarpRules {
  return {
    networkId: network.networkId,
    subnetId: PRIMARY_NETWORK_ID,
    quorumNumerator: QUORUM_NUMERATOR,
    requiresPrimarySigners: false,
    isActiveAt: (at) => isActive(network, "durango", at),
    isGraniteAt: (at) => isActive(network, "granite", at),
  };
}
