/**
 * Blocks with receipts and call traces, whatever methods the upstreams have: `eth_getBlockReceipts`, else the receipts one by one;
 * `debug_traceBlockByNumber` with callTracer, else `trace_block`, else no traces. What they lack is found out when it is asked for.
 */
import type { Logger } from "pino";
import type { Address, EvmBlock, Hash } from "../../evm/block.ts";
import { AnswerError } from "../../evm/block-parser/answer-object.ts";
import { parseSalts, SALT_TRACER, type SaltedCreation } from "../../evm/block-parser/salted-creations.ts";
import { type BlockAnswers, type OpenedBlock, openBlock } from "../../evm/block-parser.ts";
import type { EvmRpc, RpcCall, RpcOutcome } from "../../evm/rpc/evm-rpc.ts";
import { EvmRpcError, type RpcFailure } from "../../evm/rpc/evm-rpc-error.ts";
import { FirnError } from "../../primitives/errors.ts";

type Tracer = "debug_traceBlockByNumber" | "trace_block" | undefined;

/** the state of so many newest blocks is there on every node; of these a trace that is missing is only late */
const KEPT_STATES = 64n;
const MAY_PASS: ReadonlySet<RpcFailure> = new Set(["unavailable", "rate-limited", "aborted"]);
const CALL_TRACER = { tracer: "callTracer" };

export class BlockFetcher {
  readonly #rpc: EvmRpc;
  readonly #log: Logger;
  #hasBlockReceipts = true;
  #tracer: Tracer;

  constructor(rpc: EvmRpc, log: Logger, { traces }: { traces: boolean }) {
    this.#rpc = rpc;
    this.#log = log;
    this.#tracer = traces ? "debug_traceBlockByNumber" : undefined;
  }

  /**
   * Consecutive blocks from `from` on, each the child of the one before; fewer if the upstream does not have all of them yet. Rejects with an
   * EvmRpcError or an AnswerError if no upstream gives a usable answer.
   * @param head newest height of the upstream
   */
  async fetch(from: bigint, count: number, head: bigint, signal: AbortSignal): Promise<EvmBlock[]> {
    const heights = Array.from({ length: count }, (_, i) => from + BigInt(i));
    const run = new Run(heights, this.#hasBlockReceipts, this.#tracer);
    const outcomes = await this.#rpc.requestAll(run.calls, { signal, accept: (all) => run.open(all) });
    if (run.opened === undefined) {
      run.take(outcomes);
      if (run.lacksReceipts) await this.#askReceipts(run, signal);
      while (run.lacksTraces) await this.#askTraces(run, signal);
      run.requireTraces(head);
      run.openAll();
    }
    return this.#finish(run.opened ?? [], signal);
  }

  /** One by one, in as few messages as upstreams take. */
  async #askReceipts(run: Run, signal: AbortSignal): Promise<void> {
    if (run.hasBlockReceipts && this.#hasBlockReceipts) {
      this.#hasBlockReceipts = false;
      this.#log.info("Upstream has no eth_getBlockReceipts; asking for receipts one by one");
    }
    const hashes = run.transactionHashes();
    const calls = hashes.flat().map((hash): RpcCall => ({ method: "eth_getTransactionReceipt", params: [hash] }));
    const receipts = (await this.#rpc.requestAll(calls, { signal })).map(resultOf);
    run.receipts = hashes.map(({ length }) => ({ result: receipts.splice(0, length) }));
  }

  async #askTraces(run: Run, signal: AbortSignal): Promise<void> {
    const next: Tracer = run.tracer === "debug_traceBlockByNumber" ? "trace_block" : undefined;
    if (this.#tracer === run.tracer) {
      this.#tracer = next;
      this.#log.info({ missing: run.tracer, instead: next ?? "no call traces" }, "Upstream cannot trace");
    }
    run.tracer = next;
    run.traces = await this.#rpc.requestAll(run.traceCalls(), { signal });
  }

  /** Failed creations by contracts need nonces and salts for their addresses; nearly no block has any. */
  async #finish(opened: readonly OpenedBlock[], signal: AbortSignal): Promise<EvmBlock[]> {
    return Promise.all(
      opened.map(async (block) => {
        if (block.creators.length === 0 && block.salted.length === 0) return block.block();
        return block.block(await this.#nonces(block, signal), await this.#salts(block, signal));
      }),
    );
  }

  async #nonces({ height, creators }: OpenedBlock, signal: AbortSignal): Promise<Map<Address, bigint>> {
    const parent = hex(height - 1n);
    const calls = creators.map((creator): RpcCall => ({ method: "eth_getTransactionCount", params: [`0x${creator}`, parent] }));
    return this.#told(creators, calls, nonceOf, signal);
  }

  async #salts({ salted }: OpenedBlock, signal: AbortSignal): Promise<Map<Hash, readonly SaltedCreation[]>> {
    const calls = salted.map((hash): RpcCall => ({ method: "debug_traceTransaction", params: [`0x${hash}`, { tracer: SALT_TRACER }] }));
    return this.#told(salted, calls, parseSalts, signal);
  }

  /** What upstreams say no to, cannot do in time or answer with nonsense stays unknown: no chain stops for the address of what does not exist. */
  async #told<T>(
    keys: readonly string[],
    calls: readonly RpcCall[],
    read: (result: unknown) => T,
    signal: AbortSignal,
  ): Promise<Map<string, T>> {
    const told = new Map<string, T>();
    for (const [index, outcome] of (await this.#rpc.requestAll(calls, { signal })).entries()) {
      const failure = failureOf(outcome);
      if (failure !== undefined && MAY_PASS.has(failure)) throw (outcome as { readonly error: Error }).error;
      try {
        told.set(keys[index]!, read(resultOf(outcome)));
      } catch (error) {
        this.#log.warn({ err: error }, "Could not learn the address of a failed creation");
      }
    }
    return told;
  }
}

/** Answers of several heights on their way to blocks. */
class Run {
  readonly #heights: readonly bigint[];
  readonly hasBlockReceipts: boolean;
  tracer: Tracer;
  #blocks: readonly RpcOutcome[] = [];
  receipts: readonly RpcOutcome[] = [];
  traces: readonly RpcOutcome[] = [];
  opened: OpenedBlock[] | undefined;

  constructor(heights: readonly bigint[], hasBlockReceipts: boolean, tracer: Tracer) {
    this.#heights = heights;
    this.hasBlockReceipts = hasBlockReceipts;
    this.tracer = tracer;
  }

  get calls(): RpcCall[] {
    const each = (method: string, ...more: unknown[]) =>
      this.#heights.map((height): RpcCall => ({ method, params: [hex(height), ...more] }));
    return [...each("eth_getBlockByNumber", true), ...(this.hasBlockReceipts ? each("eth_getBlockReceipts") : []), ...this.traceCalls()];
  }

  traceCalls(): RpcCall[] {
    const { tracer } = this;
    if (tracer === undefined) return [];
    const options = tracer === "debug_traceBlockByNumber" ? [CALL_TRACER] : [];
    return this.#heights.map((height) => ({ method: tracer, params: [hex(height), ...options] }));
  }

  take(outcomes: readonly RpcOutcome[]): void {
    const count = this.#heights.length;
    const traces = count * (this.hasBlockReceipts ? 2 : 1);
    this.#blocks = outcomes.slice(0, count);
    this.receipts = outcomes.slice(count, traces);
    this.traces = outcomes.slice(traces);
  }

  /** Throws if the answers contradict each other. Leaves `opened` undefined if something has to be asked for in another way. */
  open(outcomes: readonly RpcOutcome[]): void {
    this.take(outcomes);
    if (!this.lacksReceipts && !this.lacksTraces && this.#missingTrace() === undefined) this.openAll();
  }

  get lacksReceipts(): boolean {
    return this.#wanted().some((index) => this.receipts[index] === undefined || failureOf(this.receipts[index]) === "unsupported");
  }

  get lacksTraces(): boolean {
    return this.tracer !== undefined && this.#wanted().some((index) => failureOf(this.traces[index]) === "unsupported");
  }

  /** Throws if an operator has to decide: the node can trace, but no longer these blocks. */
  requireTraces(head: bigint): void {
    const missing = this.#missingTrace();
    if (missing === undefined || head - missing.height < KEPT_STATES) return;
    const message = `no upstream has the state to trace block ${missing.height} any more (${missing.error.message}); add one that keeps all states (an archive node), raise startBlock, or set traces to false`;
    throw new FirnError("evm-traces-pruned", message, { height: missing.height });
  }

  /** Up to the first block that is not there yet. */
  openAll(): void {
    const opened: OpenedBlock[] = [];
    for (const [index, height] of this.#heights.entries()) {
      const block = this.#answered(this.#blocks[index]);
      if (block == null) break;
      const isEmpty = transactionsOf(block).length === 0;
      const receipts = isEmpty ? [] : this.#answered(this.receipts[index]);
      const traces = this.tracer === undefined ? undefined : isEmpty ? [] : this.#answered(this.traces[index]);
      // of a block that is only just there a node may lack these for a moment
      if (receipts == null || (this.tracer !== undefined && traces == null)) break;
      opened.push(openAt(height, { block, receipts, traces }, opened.at(-1)));
    }
    this.opened = opened;
  }

  transactionHashes(): unknown[][] {
    return this.#blocks.map((outcome) =>
      transactionsOf("result" in outcome ? outcome.result : null).map((each) => (each as { hash?: unknown } | null)?.hash),
    );
  }

  /** The answer; undefined if the node says that it does not have it. */
  #answered(outcome: RpcOutcome | undefined): unknown {
    if (outcome === undefined || failureOf(outcome) === "no-state") return undefined;
    return resultOf(outcome);
  }

  /** indexes of blocks with transactions: of others nothing else is needed */
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

function openAt(height: bigint, answers: BlockAnswers, parent: OpenedBlock | undefined): OpenedBlock {
  const opened = openBlock(answers);
  if (opened.height !== height) throw new AnswerError(`the node answers with block ${opened.height}; block ${height} was asked for`);
  if (parent !== undefined && opened.parentHash !== parent.hash) {
    throw new AnswerError(`block ${height} has the parent 0x${opened.parentHash}; the block before it is 0x${parent.hash}`);
  }
  return opened;
}

function transactionsOf(block: unknown): readonly unknown[] {
  const transactions = (block as { readonly transactions?: unknown } | null)?.transactions;
  return Array.isArray(transactions) ? transactions : [];
}

function failureOf(outcome: RpcOutcome | undefined): RpcFailure | undefined {
  return outcome !== undefined && "error" in outcome && outcome.error instanceof EvmRpcError ? outcome.error.failure : undefined;
}

function resultOf(outcome: RpcOutcome): unknown {
  if ("error" in outcome) throw outcome.error;
  return outcome.result;
}

function nonceOf(result: unknown): bigint {
  if (typeof result === "string" && /^0x[0-9a-f]{1,16}$/i.test(result)) return BigInt(result);
  throw new AnswerError(`eth_getTransactionCount answers ${JSON.stringify(result)?.slice(0, 80)}; it must be 0x and digits of hex`);
}

function hex(height: bigint): string {
  return `0x${height.toString(16)}`;
}
