/**
 * Fetches blocks with receipts and call traces by whatever methods the upstreams have: `eth_getBlockReceipts` or else the receipts one by
 * one; `debug_traceBlockByNumber` with callTracer, or else `trace_block`, or else no traces. A missing method is noticed when it is called.
 */
import type { Logger } from "pino";
import type { SharedReader } from "../upstream/shared-answers.ts";
import type { RpcFailure } from "../upstream/upstream-error.ts";
import type { RpcCall, RpcOutcome, UpstreamRpc } from "../upstream/upstream-rpc.ts";
import { AnswerError } from "./parser/answer-object.ts";
import { blockPartReader } from "./parser/answer-readers.ts";
import type { Address, Hash } from "./parser/block.ts";
import { type OpenedBlock, openBlock } from "./parser/block-parser.ts";
import { UnprovenError } from "./parser/block-proof.ts";
import { parseSalts, SALT_TRACER, type SaltedCreation } from "./parser/salted-creations.ts";
import { ReadBlock, type ReadRun, type ReceivedBlock, type Tracer } from "./read-block.ts";
import { failureOf, Run, resultOf } from "./run.ts";
import { TransactionTraces } from "./transaction-traces.ts";
import { type UnprovenContent, unprovenContent } from "./unproven-content.ts";

const MAY_PASS: ReadonlySet<RpcFailure> = new Set(["unavailable", "rate-limited", "aborted"]);
/** rounds over the upstreams; if none answers by then, one block may be the cause */
const ATTEMPTS = 4;

export interface BlockFetcherOptions {
  readonly traces: boolean;
  /** number of tries before a block is delivered without missing traces */
  readonly tries?: number;
  /** somebody else reads the chain's blocks, too */
  readonly sharedBlocks?: SharedReader | undefined;
  /** reads blocks on other threads that lie this far below the head or deeper */
  readonly elsewhere?: { readonly read: ReadRun; readonly depth: number } | undefined;
  /** whether blocks get the content that their headers do not prove; default: false */
  readonly isCompared?: boolean;
}

export interface FetchedRun {
  readonly blocks: readonly FetchedBlock[];
  /** places of the nodes that gave answers */
  readonly upstreams: ReadonlySet<number>;
  readonly tracer: Tracer | undefined;
}

export interface FetchedBlock {
  readonly block: ReceivedBlock;
  /** if it was asked for */
  readonly unproven: UnprovenContent | undefined;
}

export class BlockFetcher {
  readonly #rpc: UpstreamRpc;
  readonly #log: Logger;
  readonly #traces: TransactionTraces;
  readonly #sharedBlocks: SharedReader | undefined;
  readonly #elsewhere: BlockFetcherOptions["elsewhere"];
  readonly #isCompared: boolean;
  #hasBlockReceipts = true;
  #tracer: Tracer | undefined;
  /**
   * Whether headers prove blocks: "none" until some block is proven. On chains whose headers are known here the first one shows it; a node that
   * alters that one is found out if another node answers.
   */
  #proof: "unknown" | "given" | "none" = "unknown";
  /** Something failed up to this height: these blocks are requested one by one, so that one does not spoil the others. */
  #suspectUpTo = -1n;
  #failedAt = -1n;

  constructor(rpc: UpstreamRpc, log: Logger, { traces, tries, sharedBlocks, elsewhere, isCompared = false }: BlockFetcherOptions) {
    this.#isCompared = isCompared;
    this.#sharedBlocks = sharedBlocks;
    this.#elsewhere = elsewhere;
    this.#rpc = rpc;
    this.#log = log;
    this.#traces = new TransactionTraces(rpc, log, tries);
    this.#tracer = traces ? "debug_traceBlockByNumber" : undefined;
  }

  /**
   * Fetches consecutive blocks from `from` on, each the child of the one before. Returns fewer if the upstream does not have all of them
   * yet, or if the next one has a problem. Rejects with an UpstreamError or an AnswerError if no upstream returns a usable answer for the
   * first.
   * @param head newest height of the upstream
   * @param isDue the first block is known to be there, so nodes without it are wrong: it is asked alone, of others, and in parts
   */
  async fetch(from: bigint, count: number, head: bigint, signal: AbortSignal, isDue = false): Promise<FetchedRun> {
    const isSuspect = from <= this.#suspectUpTo && this.#tracer !== undefined;
    const heights = Array.from({ length: isSuspect || isDue ? 1 : count }, (_, i) => from + BigInt(i));
    const blocks = isDue ? undefined : await this.#askBlocks(heights, signal);
    const [hasBlockReceipts, tracer, isProofRequired] = [this.#hasBlockReceipts, this.#tracer, this.#proof !== "none"];
    const run = new Run(heights, { hasBlockReceipts, tracer, blocks, isDue, isProofRequired });
    // A node that fails at a trace also fails at calls in the same message.
    const parts = isSuspect ? await this.#rpc.requestAll(run.partCalls(), { signal, attempts: ATTEMPTS }) : [];
    const calls = isSuspect ? run.traceCalls() : run.calls;
    const attempts = (isSuspect && this.#traces.isGivenUp) || this.#proof === "unknown" ? 1 : ATTEMPTS;
    const isDeep =
      this.#proof !== "unknown" && !isDue && this.#elsewhere !== undefined && heights.at(-1)! + BigInt(this.#elsewhere.depth) <= head;
    const decoder = isDeep && !isSuspect ? run.decoder(this.#elsewhere.read, this.#isCompared) : undefined;
    const options = { signal, attempts, decoder, accept: (rest: readonly RpcOutcome[]) => run.accept([...parts, ...rest]) };
    const outcomes = await this.#rpc.requestAll(calls, options);
    if (run.opened === undefined) {
      run.takeLast(parts, outcomes);
      if (run.lacksReceipts || run.hasNoReceipts) await this.#askReceipts(run, signal);
      while (run.lacksTraces) await this.#askTraces(run, signal);
      run.requireTraces(head);
      run.openAll();
    }
    this.#learnProof(run);
    const received = await this.#finish(await this.#openFirst(run, heights.at(-1)!, signal), signal);
    return { blocks: received.map((block) => this.#fetched(block)), upstreams: run.upstreams, tracer: run.tracer };
  }

  /** If no node proves the first block, or one with members of a later upgrade, blocks need no proof until one has it. */
  #learnProof(run: Run): void {
    const error = run.opened?.length === 0 ? run.unopened?.error : undefined;
    if (run.isProven) this.#proof = "given";
    else if (error instanceof UnprovenError && (this.#proof === "unknown" || error.isNewKind)) {
      this.#proof = "none";
      this.#log.warn({ reason: error.message }, "Headers of this chain are of a kind that Firn cannot verify: it trusts its nodes");
      run.isProofRequired = false;
      run.openAll();
    }
  }

  #fetched(block: ReceivedBlock): FetchedBlock {
    if (!this.#isCompared) return { block, unproven: undefined };
    return { block, unproven: block instanceof ReadBlock ? block.unproven : unprovenContent(block, this.#proof === "given") };
  }

  /** The other reader of the blocks needs all of their members. */
  async #askBlocks(heights: readonly bigint[], signal: AbortSignal): Promise<readonly RpcOutcome[] | undefined> {
    const ask = (some: readonly bigint[]) => this.#rpc.requestAll(some.map(wholeBlockCall), { signal, attempts: ATTEMPTS });
    return this.#sharedBlocks?.read({ heights, ask, signal });
  }

  /**
   * Returns the blocks that could be opened. If there are none because traces are missing, returns the first block with the traces that are
   * available.
   */
  async #openFirst(
    { opened = [], unopened, tracer }: Run,
    last: bigint,
    signal: AbortSignal,
  ): Promise<readonly (OpenedBlock | ReadBlock)[]> {
    if (unopened === undefined) return opened;
    const { height, untraced, error } = unopened;
    // One failure may be chance; a second one at the same block may be the block's fault.
    const isSuspect = untraced !== undefined || this.#failedAt === height;
    if (isSuspect && last > this.#suspectUpTo) this.#suspectUpTo = last;
    this.#failedAt = height;
    if (opened.length > 0) return opened;
    if (untraced === undefined || tracer === undefined || signal.aborted) throw error;
    return [openBlock(await this.#traces.complete(unopened, tracer, signal))];
  }

  /** Requests receipts one by one, in as few messages as the upstreams accept. */
  async #askReceipts(run: Run, signal: AbortSignal): Promise<void> {
    if (run.lacksReceiptsOfBlocks && this.#hasBlockReceipts) {
      this.#hasBlockReceipts = false;
      this.#log.info("Upstream has no eth_getBlockReceipts; asking for receipts one by one");
    }
    const hashes = run.transactionHashes();
    const calls = hashes.flat().map((hash): RpcCall => {
      return { method: "eth_getTransactionReceipt", params: [hash], reader: blockPartReader };
    });
    const outcomes = await this.#rpc.requestAll(calls, { signal });
    run.note(outcomes);
    const receipts = outcomes.map(resultOf);
    run.receipts = hashes.map(({ length }) => ({ result: allOrNone(receipts.splice(0, length)) }));
  }

  async #askTraces(run: Run, signal: AbortSignal): Promise<void> {
    const next: Tracer | undefined = run.tracer === "debug_traceBlockByNumber" ? "trace_block" : undefined;
    if (this.#tracer === run.tracer) {
      this.#tracer = next;
      this.#log.info({ missing: run.tracer, instead: next ?? "no call traces" }, "Upstream cannot trace");
    }
    run.tracer = next;
    run.traces = await this.#rpc.requestAll(run.traceCalls(), { signal, attempts: ATTEMPTS });
    run.note(run.traces);
  }

  /** Failed creations by contracts need nonces and salts for their addresses. Hardly any block has one. */
  async #finish(opened: readonly (OpenedBlock | ReadBlock)[], signal: AbortSignal): Promise<ReceivedBlock[]> {
    return Promise.all(
      opened.map(async (block) => {
        if (block instanceof ReadBlock) return block;
        if (block.creators.length === 0 && block.salted.length === 0) return block.block();
        return block.block(await this.#nonces(block, signal), await this.#salts(block, signal));
      }),
    );
  }

  async #nonces({ height, creators }: OpenedBlock, signal: AbortSignal): Promise<Map<Address, bigint>> {
    const parent = `0x${(height - 1n).toString(16)}`;
    const calls = creators.map((creator): RpcCall => ({ method: "eth_getTransactionCount", params: [`0x${creator}`, parent] }));
    return this.#told(creators, calls, nonceOf, signal);
  }

  async #salts({ salted }: OpenedBlock, signal: AbortSignal): Promise<Map<Hash, readonly SaltedCreation[]>> {
    const calls = salted.map((hash): RpcCall => ({ method: "debug_traceTransaction", params: [`0x${hash}`, { tracer: SALT_TRACER }] }));
    return this.#told(salted, calls, parseSalts, signal);
  }

  /**
   * Leaves an answer out if upstreams refuse, time out, or return an invalid response: no chain may stop for the address of a contract that
   * does not exist.
   */
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

/** A node may have some receipts of a block that it is executing. */
function allOrNone(receipts: readonly unknown[]): readonly unknown[] | null {
  return receipts.includes(null) ? null : receipts;
}

function wholeBlockCall(height: bigint): RpcCall {
  return { method: "eth_getBlockByNumber", params: [`0x${height.toString(16)}`, true] };
}

function nonceOf(result: unknown): bigint {
  if (typeof result === "string" && /^0x[0-9a-f]{1,16}$/i.test(result)) return BigInt(result);
  throw new AnswerError("eth_getTransactionCount did not return a number; it must be 0x and up to 16 digits of hex");
}
