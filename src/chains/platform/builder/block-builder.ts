/**
 * Builds the next block of the P-chain as the reference node does. Its time is the clock's, or that of the next due change of stakers. A
 * staker whose period is over is proposed for its reward, together with the decisions. A due change alone is enough for a block.
 */
import type { BuildContext, BuiltBlock } from "../../mempool/issuer.ts";
import { encodeBlock, type ProposalBlock } from "../block.ts";
import type { PlatformChain } from "../chain.ts";
import type { PlatformState } from "../state/platform-state.ts";
import { isPermissioned, type Staker } from "../state/staker.ts";
import { nextBlockTime, nextChangeTime } from "../time.ts";
import { isOf, unsignedTx } from "../tx/registry.ts";
import { assemble } from "../tx/signed.ts";
import type { SignedTx } from "../tx/signed-tx.ts";
import { stakerTx } from "../tx/staker-tx.ts";
import { type Packed, packTxs } from "./pack.ts";
import type { PendingTx } from "./pending-tx.ts";

const NOTHING: Packed = { txs: [], failed: [] };

export interface BlockAttempt {
  /** undefined if no block is needed */
  readonly block: BuiltBlock | undefined;
  readonly failed: Packed["failed"];
}

/** @param waiting in the order in which they go into blocks */
export function buildBlock(chain: PlatformChain, waiting: Iterable<PendingTx>, hasWaiting: boolean, context: BuildContext): BlockAttempt {
  const { state } = chain;
  const { height: parentHeight, lastAccepted: parentId } = state.scalars;
  const time = nextBlockTime(state, context.clock);
  const { txs, failed } = hasWaiting ? packTxs(waiting, chain, time, context) : NOTHING;
  const place = { time, parentId, height: parentHeight + 1n, txs: txs.map(({ tx }) => tx) };
  const staker = stakerToReward(state, time);
  const isChangeDue = nextChangeTime(state, time + 1n) <= time;
  if (staker === undefined && txs.length === 0 && !isChangeDue) return { block: undefined, failed };
  const bytes =
    staker === undefined
      ? encodeBlock({ kind: "BanffStandardBlock", ...place })
      : encodeBlock({ kind: "BanffProposalBlock", ...place, tx: rewardTx(staker, time) });
  return { block: { bytes, height: place.height, timestamp: time, isOption: false, txIds: txs.map(({ id }) => id) }, failed };
}

/** Builds the option that this node prefers. */
export function buildOption(proposal: ProposalBlock, state: PlatformState, context: BuildContext): BuiltBlock {
  const place = { parentId: proposal.id, height: proposal.height + 1n };
  const timestamp = "time" in proposal ? proposal.time : state.timestamp;
  const isCommit = prefersCommit(proposal.tx, state, context);
  const bytes =
    proposal.kind === "BanffProposalBlock"
      ? encodeBlock({ kind: isCommit ? "BanffCommitBlock" : "BanffAbortBlock", time: timestamp, ...place })
      : encodeBlock({ kind: isCommit ? "ApricotCommitBlock" : "ApricotAbortBlock", ...place });
  return { bytes, height: place.height, timestamp, isOption: true, txIds: [] };
}

/** A proposal that is not a reward is committed. */
function prefersCommit({ unsigned }: SignedTx, state: PlatformState, context: BuildContext): boolean {
  if (!isOf("reward", unsigned)) return true;
  const staker = state.currentStakers.find(({ txId }) => txId === unsigned.txId);
  return staker === undefined || context.prefersCommit(staker);
}

/** The staker to propose for a reward. Permissioned validators leave without one, even if they end at the same time. */
function stakerToReward(state: PlatformState, time: bigint): Staker | undefined {
  for (const staker of state.currentStakers) {
    if (staker.endTime !== time) return undefined;
    if (!isPermissioned(staker)) return staker;
  }
  return undefined;
}

/** An auto-renewed validator keeps its transaction, so its reward transaction contains the time of the cycle's end. */
function rewardTx(staker: Staker, time: bigint): SignedTx {
  const { txId } = staker;
  return stakerTx(staker).unsigned.kind === "AddAutoRenewedValidatorTx"
    ? assemble(unsignedTx, { kind: "RewardAutoRenewedValidatorTx", txId, timestamp: time }, [])
    : assemble(unsignedTx, { kind: "RewardValidatorTx", txId }, []);
}
