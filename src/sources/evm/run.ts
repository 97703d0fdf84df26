/** The answers for several heights, and the blocks that they make. */

import { FirnError } from "../../base/errors/errors.ts";
import { type RpcFailure, UpstreamError } from "../upstream/upstream-error.ts";
import type { MessageDecoder, RpcCall, RpcOutcome } from "../upstream/upstream-rpc.ts";
import { AnswerError } from "./parser/answer-object.ts";
import { blockPartReader } from "./parser/answer-readers.ts";
import { type BlockAnswers, type OpenedBlock, openBlock } from "./parser/block-parser.ts";
import { requireProof } from "./parser/block-proof.ts";
import { blockTraceCall, ReadBlock, type ReadRun, type Tracer } from "./read-block.ts";

/** Every node has the state of this many newest blocks, so a missing trace of one of them is only late. */
const KEPT_STATES = 64n;

/** What is available of the first block that could not be opened. */
export interface Unopened {
  readonly height: bigint;
  /** the problem with the block or with its traces */
  readonly error: Error;
  /** the block's answers without traces; undefined: something else is wrong */
  readonly untraced: Omit<BlockAnswers, "traces"> | undefined;
}

export interface RunOptions {
  readonly hasBlockReceipts: boolean;
  readonly tracer: Tracer | undefined;
  /** the blocks' answers, if they are there already */
  readonly blocks?: readonly RpcOutcome[] | undefined;
  readonly isDue: boolean;
  /** whether each block must have the hash of a header that is known here */
  readonly isProofRequired: boolean;
}

export class Run {
  readonly #heights: readonly bigint[];
  readonly hasBlockReceipts: boolean;
  tracer: Tracer | undefined;
  readonly #hasBlocks: boolean;
  #blocks: readonly RpcOutcome[];
  receipts: readonly RpcOutcome[] = [];
  traces: readonly RpcOutcome[] = [];
  #opened: (OpenedBlock | ReadBlock)[] | undefined;
  #unopened: Unopened | undefined;
  /** why the last answers were not accepted */
  #refusal: Error | undefined;
  readonly #isDue: boolean;
  isProofRequired: boolean;
  #isProven = false;
  /** who has given answers */
  readonly upstreams = new Set<number>();

  /** @param isDue the blocks have been there for a while, so an answer that there is none is wrong */
  constructor(heights: readonly bigint[], { hasBlockReceipts, tracer, blocks, isDue, isProofRequired }: RunOptions) {
    this.#heights = heights;
    this.isProofRequired = isProofRequired;
    this.#isDue = isDue;
    this.#hasBlocks = blocks !== undefined;
    this.#blocks = blocks ?? [];
    this.hasBlockReceipts = hasBlockReceipts;
    this.tracer = tracer;
  }

  /** Valid blocks, up to the first one that is missing or invalid; undefined: something has to be requested by another method. */
  get opened(): readonly (OpenedBlock | ReadBlock)[] | undefined {
    return this.#opened;
  }

  /** The problem with the next block; undefined: it does not exist yet. */
  get unopened(): Unopened | undefined {
    return this.#unopened;
  }

  /** Whether the hash of some block is that of its header. */
  get isProven(): boolean {
    return this.#isProven;
  }

  get calls(): RpcCall[] {
    return [...this.partCalls(), ...this.traceCalls()];
  }

  /** Calls for everything but the traces. */
  partCalls(): RpcCall[] {
    const each = (method: string, ...more: unknown[]) =>
      this.#heights.map((height): RpcCall => ({ method, params: [hex(height), ...more], reader: blockPartReader }));
    return [...(this.#hasBlocks ? [] : each("eth_getBlockByNumber", true)), ...(this.hasBlockReceipts ? each("eth_getBlockReceipts") : [])];
  }

  traceCalls(): RpcCall[] {
    const { tracer } = this;
    return tracer === undefined ? [] : this.#heights.map((height) => blockTraceCall(tracer, height));
  }

  /** Makes blocks of the answers to all calls on another thread, if they come in one message; undefined if not all calls are there. */
  decoder(read: ReadRun, isCompared: boolean): MessageDecoder | undefined {
    const { tracer } = this;
    if (this.#hasBlocks || !this.hasBlockReceipts) return undefined;
    const [from, count] = [this.#heights[0]!, this.#heights.length];
    const parts = tracer === undefined ? 2 : 3;
    return async ({ calls, firstId, body }) => {
      if (calls.length !== parts * count) return undefined;
      const blocks = await read({ from, count, tracer, firstId, body, isProofRequired: this.isProofRequired, isCompared });
      // a block is the result of each of its calls
      return blocks && Array.from({ length: parts }, () => blocks).flat();
    };
  }

  take(outcomes: readonly RpcOutcome[]): void {
    this.upstreams.clear();
    this.note(outcomes);
    const count = this.#heights.length;
    const receipts = this.#hasBlocks ? 0 : count;
    const traces = receipts + (this.hasBlockReceipts ? count : 0);
    const whole = outcomes.every((outcome, index) => readIn(outcome) === readIn(outcomes[index % count]!)) ? outcomes : undefined;
    const part = (from: number, to: number, name: keyof BlockAnswers) => whole?.slice(from, to) ?? partsIn(outcomes.slice(from, to), name);
    if (!this.#hasBlocks) this.#blocks = part(0, count, "block");
    this.receipts = part(receipts, traces, "receipts");
    this.traces = part(traces, outcomes.length, "traces");
  }

  /** Notes who has said so. */
  note(outcomes: readonly RpcOutcome[]): void {
    for (const { upstream } of outcomes) if (upstream !== undefined) this.upstreams.add(upstream);
  }

  /**
   * Throws if the answers contradict each other, so that other upstreams are asked. Leaves `opened` undefined if something has to be
   * requested by another method.
   */
  accept(outcomes: readonly RpcOutcome[]): void {
    this.take(outcomes);
    if (this.lacksReceipts || this.lacksTraces || this.#missingTrace() !== undefined) return;
    this.openAll();
    const problem = this.#unopened?.error;
    if (problem === undefined) return;
    this.#opened = undefined;
    this.#refusal = problem;
    throw problem;
  }

  /** Takes the last answers even though they were not accepted: some blocks may still be valid. */
  takeLast(parts: readonly RpcOutcome[], outcomes: readonly RpcOutcome[]): void {
    const isRefused = outcomes.every((outcome) => "error" in outcome && outcome.error === this.#refusal);
    if (!isRefused) this.take([...parts, ...outcomes]);
  }

  get lacksReceipts(): boolean {
    return this.#wanted().some((index) => {
      const failure = failureOf(this.receipts[index]);
      return this.receipts[index] === undefined || failure === "unsupported" || failure === "too-large";
    });
  }

  /** Whether nodes have the blocks, but not their receipts together. */
  get hasNoReceipts(): boolean {
    return this.#isDue && this.#wanted().some((index) => nullIn(this.receipts[index]));
  }

  /** Whether no upstream has the method, as opposed to too many receipts. */
  get lacksReceiptsOfBlocks(): boolean {
    return this.#wanted().some((index) => failureOf(this.receipts[index]) === "unsupported");
  }

  get lacksTraces(): boolean {
    return this.tracer !== undefined && this.#wanted().some((index) => failureOf(this.traces[index]) === "unsupported");
  }

  /** Throws if an operator has to decide: the node can trace, but no longer has the state of these blocks. */
  requireTraces(head: bigint): void {
    const missing = this.#missingTrace();
    if (missing === undefined || head - missing.height < KEPT_STATES) return;
    const message = `no upstream has the state to trace block ${missing.height} any more (${missing.error.message}); add one that keeps all states (an archive node), raise startBlock, or set traces to false`;
    throw new FirnError("evm-traces-pruned", message, { height: missing.height });
  }

  /** Opens blocks up to the first one that is missing or invalid. */
  openAll(): void {
    const opened: (OpenedBlock | ReadBlock)[] = [];
    this.#unopened = undefined;
    this.#opened = opened;
    for (const [index, height] of this.#heights.entries()) {
      try {
        const read = readIn(this.#blocks[index]!);
        const answers = read === undefined ? this.#answersAt(index) : undefined;
        if (read === undefined && answers === undefined) {
          if (!this.#isDue) return;
          throw new AnswerError(`the node has no ${this.#missingPart(index)} block ${height}, which the chain has`);
        }
        if (answers !== undefined && requireProof(answers, this.isProofRequired)) this.#isProven = true;
        opened.push(requirePlace(read ?? openBlock(answers!), height, opened.at(-1)));
      } catch (error) {
        this.#unopened = { height, error: error as Error, untraced: this.#untracedAt(index, height, opened.at(-1)) };
        return;
      }
    }
  }

  transactionHashes(): unknown[][] {
    return this.#blocks.map((outcome) =>
      transactionsOf("result" in outcome ? outcome.result : null).map((each) => (each as { hash?: unknown } | null)?.hash),
    );
  }

  /** undefined: not there yet. A node may lack the rest of a very new block for a moment. */
  #answersAt(index: number): BlockAnswers | undefined {
    const parts = this.#partsAt(index);
    if (parts === undefined) return undefined;
    const isEmpty = transactionsOf(parts.block).length === 0;
    const traces = this.tracer === undefined ? undefined : isEmpty ? [] : this.#answered(this.traces[index]);
    return this.tracer !== undefined && traces == null ? undefined : { ...parts, traces };
  }

  /** completes "no … block 5" */
  #missingPart(index: number): string {
    if (nullIn(this.#blocks[index])) return "answer for";
    return nullIn(this.receipts[index]) ? "receipts of" : "traces of";
  }

  #partsAt(index: number): Omit<BlockAnswers, "traces"> | undefined {
    const block = this.#answered(this.#blocks[index]);
    if (block == null) return undefined;
    const receipts = transactionsOf(block).length === 0 ? [] : this.#answered(this.receipts[index]);
    return receipts == null ? undefined : { block, receipts };
  }

  /** The block's answers without traces, if they are valid. */
  #untracedAt(index: number, height: bigint, parent: Place | undefined): Omit<BlockAnswers, "traces"> | undefined {
    if (this.tracer === undefined) return undefined;
    try {
      const parts = this.#partsAt(index);
      if (parts !== undefined) requireProof(parts, this.isProofRequired);
      if (parts !== undefined) requirePlace(openBlock({ ...parts, traces: undefined }), height, parent);
      return parts;
    } catch {
      return undefined;
    }
  }

  /** Returns the answer; undefined if the node says that it does not have it. */
  #answered(outcome: RpcOutcome | undefined): unknown {
    if (outcome === undefined || failureOf(outcome) === "no-state") return undefined;
    return resultOf(outcome);
  }

  /** indexes of blocks with transactions; others need no further calls */
  #wanted(): number[] {
    return this.#blocks.flatMap((outcome, index) => ("result" in outcome && transactionsOf(outcome.result).length > 0 ? [index] : []));
  }

  #missingTrace(): { readonly height: bigint; readonly error: Error } | undefined {
    for (const index of this.#wanted()) {
      const outcome = this.traces[index];
      if (outcome !== undefined && "error" in outcome && failureOf(outcome) === "no-state")
        return { height: this.#heights[index]!, error: outcome.error };
    }
    return undefined;
  }
}

type Place = Pick<OpenedBlock, "height" | "hash" | "parentHash">;

function requirePlace<B extends Place>(opened: B, height: bigint, parent: Place | undefined): B {
  if (opened.height !== height) throw new AnswerError(`the node returned block ${opened.height} instead of block ${height}`);
  if (parent !== undefined && opened.parentHash !== parent.hash) {
    throw new AnswerError(`block ${height} has the parent 0x${opened.parentHash}; the block before it is 0x${parent.hash}`);
  }
  return opened;
}

function readIn(outcome: RpcOutcome): ReadBlock | undefined {
  return "result" in outcome && outcome.result instanceof ReadBlock ? outcome.result : undefined;
}

function nullIn(outcome: RpcOutcome | undefined): boolean {
  return outcome !== undefined && "result" in outcome && outcome.result == null;
}

/** Other answers for these blocks came from another node, so those that were read together are taken apart. */
function partsIn(outcomes: readonly RpcOutcome[], name: keyof BlockAnswers): RpcOutcome[] {
  return outcomes.map((outcome) => {
    const read = readIn(outcome);
    return read === undefined ? outcome : { ...outcome, result: read.answers()[name] };
  });
}

function transactionsOf(block: unknown): readonly unknown[] {
  const transactions = (block as { readonly transactions?: unknown } | null)?.transactions;
  return Array.isArray(transactions) ? transactions : [];
}

export function failureOf(outcome: RpcOutcome | undefined): RpcFailure | undefined {
  return outcome !== undefined && "error" in outcome && outcome.error instanceof UpstreamError ? outcome.error.failure : undefined;
}

export function resultOf(outcome: RpcOutcome): unknown {
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

function hex(height: bigint): string {
  return `0x${height.toString(16)}`;
}
