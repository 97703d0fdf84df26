/**
 * Which waiting transactions go into a block at a time: as many as fit, in the mempool's order, each verified on what those before it
 * leave. By size until Etna, by gas since, as the reference node packs.
 */
import { type ExecutionContext, RuleError } from "../../network/execution.ts";
import { MAX_MESSAGE_BYTES } from "../../primitives/codec/codec.ts";
import { gasPriceOf } from "../block-execution.ts";
import type { PlatformChain } from "../chain.ts";
import type { TxExecution } from "../execution.ts";
import { tryTx } from "../issued-tx.ts";
import type { PlatformState } from "../state/platform-state.ts";
import { advanceTime } from "../time.ts";
import type { PendingTx } from "./pending-tx.ts";

/** Bytes of transactions in a block before Etna. */
const TARGET_BYTES = 128 * 1024;
/** What a block has besides decisions, at most: version, type, time, parent, height, count, and the transaction of a proposal. */
const FRAME_BYTES = 256;
/** A longer block could not be parsed. Gas alone would allow it. */
export const MAX_BLOCK_TX_BYTES = MAX_MESSAGE_BYTES - FRAME_BYTES;

export interface Packed {
  readonly txs: readonly PendingTx[];
  /** those that break a rule now, and why */
  readonly failed: readonly { readonly tx: PendingTx; readonly reason: RuleError }[];
}

/** Leaves the state as it was. Ends before a transaction of which not all rows are known. */
export function packTxs(waiting: Iterable<PendingTx>, chain: PlatformChain, time: bigint, context: PackContext): Packed {
  const { state } = chain;
  const { view } = state;
  const candidates = verifyWarp(whereKnown(waiting, state), chain, context.pChainHeight);
  const mark = view.mark();
  try {
    state.beginBlock();
    advanceTime(state, time);
    return fill(candidates, state, context);
  } finally {
    view.rollback(mark);
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

/** Before anything is executed, since validator sets are told from the last accepted state. */
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

/** What is left of a block. */
class Room {
  readonly #maxBytes: number;
  #bytes: number;
  #gas: bigint | undefined;

  /** @param gas undefined where gas does not count */
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

  /** One that no block can hold would keep all others waiting. */
  tooLarge({ size }: PendingTx): RuleError | undefined {
    if (size <= this.#maxBytes) return undefined;
    return new RuleError("tx-too-large", `tx too large: size (${size}) > max size in a block (${this.#maxBytes})`, { size });
  }
}
