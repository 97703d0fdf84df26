/** The C-chain as the development EVM runs it. */

import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { encodeCChainBlock, hashExtraData, parseCChainBlock } from "../../../chains/atomic/block.ts";
import { DEVELOPMENT_GAS_LIMIT } from "../../../chains/atomic/genesis-block.ts";
import { extraDataGas } from "../../../chains/atomic/verify.ts";
import { QUORUM_NUMERATOR } from "../../../chains/platform/warp/verify.ts";
import { isActive, type NetworkInstance } from "../../../network/network.ts";
import { toHex } from "../header.ts";
import { withWarp } from "../precompiles/warp-contract.ts";
import { cChainGenesis } from "./c-chain-genesis.ts";
import { baseFeeAt, hardforkAt } from "./era.ts";
import type { EvmChainSpec, SealedContents, ShownMembers, WarpRules } from "./evm-chain-spec.ts";

// The members that C-chain nodes return and Ethereum nodes lack: the atomic transactions, and what is derived from them and from the time.
// They are made from the stored block. The child's header does not contain them, so the hash does not cover them.

type Contents = Pick<SealedContents, "timestamp" | "extraData" | "atomicTxs" | "baseFee">;

/** ACP-226: no block of a devnet moves the shortest time between two blocks, 2 s, nor keeps to it. */
const MIN_DELAY_EXCESS = 7_970_124n;

/**
 * Helicon's additions are in `helicon-blocks.ts`, because it follows from other blocks, too.
 * @param sealed undefined for genesis, which is not stored
 */
function cChainMembers(sealed: SealedContents | undefined, network: NetworkInstance): ShownMembers {
  const block = sealed ?? genesisContents(network);
  const { timestamp, extraData, atomicTxs } = block;
  const since = (upgrade: "apricotPhase4" | "granite" | "helicon") => isActive(network, upgrade, timestamp);
  // since Helicon the C-chain's VM counts all gas as the EVM's
  const gas = since("helicon") ? 0n : extraDataGas(atomicTxs, { network, ...block });
  return {
    block: { blockExtraData: `0x${Buffer.from(extraData).toString("hex")}` },
    header: {
      extDataHash: `0x${hashExtraData(extraData)}`,
      // blocks of a devnet do not pay for being early
      ...(since("apricotPhase4") && { extDataGasUsed: toHex(gas), blockGasCost: "0x0" }),
      ...(since("granite") && { timestampMilliseconds: toHex(timestamp * 1000n), minDelayExcess: toHex(MIN_DELAY_EXCESS) }),
    },
  };
}

function genesisContents(network: NetworkInstance): Contents {
  return { timestamp: cChainGenesis(network).timestamp, extraData: new Uint8Array(), atomicTxs: [], baseFee: undefined };
}

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
