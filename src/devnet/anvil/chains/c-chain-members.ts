/**
 * The members that C-chain nodes return and Ethereum nodes lack: the atomic transactions, and what is derived from them and from the time.
 * They are made from the stored block. The child's header does not contain them, so the hash does not cover them.
 */

import { hashExtraData } from "../../../chains/atomic/block.ts";
import { extraDataGas } from "../../../chains/atomic/verify.ts";
import { isActive, type NetworkInstance } from "../../../network/network.ts";
import { toHex } from "../header.ts";
import { cChainGenesis } from "./c-chain-genesis.ts";
import type { SealedContents, ShownMembers } from "./evm-chain-spec.ts";

type Contents = Pick<SealedContents, "timestamp" | "extraData" | "atomicTxs" | "baseFee">;

/** ACP-226: no block of a devnet moves the shortest time between two blocks, 2 s, nor keeps to it. */
const MIN_DELAY_EXCESS = 7_970_124n;

/**
 * What Helicon added is in `helicon-blocks.ts`, because it follows from other blocks, too.
 * @param sealed undefined for genesis, which is not stored
 */
export function cChainMembers(sealed: SealedContents | undefined, network: NetworkInstance): ShownMembers {
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
