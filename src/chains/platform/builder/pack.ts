/**
 * Chooses waiting transactions for a block: as many as fit, in the mempool's order, each verified on the state after those before it. The
 * limit is size before Etna and gas since, as on the reference node.
 */

import { MAX_MESSAGE_BYTES } from "../../../base/codec/codec.ts";
import { type ExecutionContext, RuleError } from "../../../network/execution.ts";
import type { BuildContext, BuiltBlock } from "../../mempool/issuer.ts";
import { encodeBlock, type ProposalBlock } from "../block.ts";
import { gasPriceOf, tryTx } from "../block-execution.ts";
import type { PlatformChain } from "../chain.ts";
import type { TxExecution } from "../execution.ts";
import type { PlatformState } from "../state/platform-state.ts";
import { isPermissioned, type Staker } from "../state/staker.ts";
import { advanceTime, nextBlockTime, nextChangeTime } from "../time.ts";
import { isOf, type SignedTx, unsignedTx } from "../tx/registry.ts";
import { assemble } from "../tx/signed.ts";
import { stakerTx } from "../tx/staker-tx.ts";
import type { PendingTx } from "./pending-tx.ts";

/**
 * Builds the next block of the P-chain as the reference node does. Its time is the clock's, or that of the next due change of stakers. A
 * staker whose period is over is proposed for its reward, together with the decisions. A due change alone is enough for a block.
 */
const NOTHING: Packed = { txs: [], failed: [] };

interface BlockAttempt {
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

/** Limit on a block's transactions before Etna, in bytes. */
const TARGET_BYTES = 128 * 1024;
/** Most bytes of a block other than decisions: version, type, time, parent, height, count, and a proposal's transaction. */
const FRAME_BYTES = 256;
/** A block with more bytes could not be parsed. The gas limit alone would allow it. */
export const MAX_BLOCK_TX_BYTES = MAX_MESSAGE_BYTES - FRAME_BYTES;

export interface Packed {
  readonly txs: readonly PendingTx[];
  /** those that break a rule now, with the reason */
  readonly failed: readonly { readonly tx: PendingTx; readonly reason: RuleError }[];
}

/** Leaves the state unchanged. Stops before a transaction whose rows are not all loaded. */
function packTxs(waiting: Iterable<PendingTx>, chain: PlatformChain, time: bigint, context: PackContext): Packed {
  const { state } = chain;
  const { view } = state;
  const candidates = verifyWarp(whereKnown(waiting, state), chain, context.pChainHeight);
  try {
    return view.tryOut(() => {
      state.beginBlock();
      advanceTime(state, time);
      return fill(candidates, state, context);
    });
  } finally {
    state.beginBlock();
  }
}

type PackContext = ExecutionContext & { readonly pChainHeight: bigint };

function whereKnown(waiting: Iterable<PendingTx>, { view }: PlatformState): PendingTx[] {
  const known: PendingTx[] = [];
  for (const tx of waiting) {
    if (!tx.keys.every((key) => view.knows(key))) break;
    known.push(tx);
  }
  return known;
}

interface Candidate {
  readonly tx: PendingTx;
  readonly warpError: RuleError | undefined;
}

/** Done before anything is executed, because validator sets are computed from the last accepted state. */
function verifyWarp(txs: readonly PendingTx[], chain: PlatformChain, height: bigint): Candidate[] {
  return txs.map((tx) => ({ tx, warpError: tx.warpHeight === height ? undefined : warpError(tx, chain, height) }));
}

function warpError(tx: PendingTx, chain: PlatformChain, height: bigint): RuleError | undefined {
  try {
    chain.verifyWarp(tx.tx, height);
    tx.warpHeight = height;
    return undefined;
  } catch (error) {
    if (error instanceof RuleError) return error;
    throw error;
  }
}

function fill(candidates: readonly Candidate[], state: PlatformState, context: PackContext): Packed {
  const gasPrice = gasPriceOf(state);
  const execution: TxExecution = { ...context, level: "full", state, placement: "standard", gasPrice };
  const room = new Room(gasPrice === undefined ? TARGET_BYTES : MAX_BLOCK_TX_BYTES, gasPrice && state.scalars.feeCapacity);
  const packed = { txs: [] as PendingTx[], failed: [] as { tx: PendingTx; reason: RuleError }[] };
  for (const { tx, warpError } of candidates) {
    const tooLarge = room.tooLarge(tx);
    if (tooLarge === undefined && !room.has(tx)) break;
    const reason = tooLarge ?? warpError ?? tryTx(tx.tx, execution);
    if (reason !== undefined) {
      packed.failed.push({ tx, reason });
      continue;
    }
    room.take(tx);
    packed.txs.push(tx);
  }
  return packed;
}

/** The remaining space of a block. */
class Room {
  readonly #maxBytes: number;
  #bytes: number;
  #gas: bigint | undefined;

  /** @param gas undefined where gas is not limited */
  constructor(bytes: number, gas: bigint | undefined) {
    this.#maxBytes = bytes;
    this.#bytes = bytes;
    this.#gas = gas;
  }

  has({ size, gas }: PendingTx): boolean {
    return size <= this.#bytes && (this.#gas === undefined || gas <= this.#gas);
  }

  take({ size, gas }: PendingTx): void {
    this.#bytes -= size;
    if (this.#gas !== undefined) this.#gas -= gas;
  }

  /** A transaction that fits into no block must be dropped, or all others would wait behind it. */
  tooLarge({ size }: PendingTx): RuleError | undefined {
    if (size <= this.#maxBytes) return undefined;
    return new RuleError("tx-too-large", `tx too large: size (${size}) > max size in a block (${this.#maxBytes})`, { size });
  }
}
