/**
 * Traces of a block that no node returns at once, because they are too large or too slow, or the node fails at one of its transactions.
 * They are requested one by one. A trace that is not available after several tries is left out, since no transaction may stop the index of
 * its chain.
 */

import type { Logger } from "pino";
import type { RpcOutcome, UpstreamRpc } from "../upstream/upstream-rpc.ts";
import { AnswerError } from "./parser/answer-object.ts";
import type { Hash } from "./parser/block.ts";
import { type BlockAnswers, openBlock, parseTransactionTrace } from "./parser/block-parser.ts";
import { ReadTraces, type TransactionTrace } from "./parser/trace-block.ts";
import { type Tracer, transactionTraceCall } from "./read-block.ts";
import { failureOf, resultOf, type Unopened } from "./run.ts";

/** Tries before a block is delivered without a trace. After that happened, later blocks get one try until a trace succeeds again. */
const TRIES = 3;
/** rounds over the upstreams for one trace */
const ATTEMPTS = 2;
/** milliseconds of one try; what was not requested by then is requested in the next one */
const TRY_MS = 120_000;

interface Tried {
  tries: number;
  readonly traces: Map<Hash, TransactionTrace>;
}

export class TransactionTraces {
  readonly #rpc: UpstreamRpc;
  readonly #log: Logger;
  readonly #tries: number;
  /** by block hash */
  readonly #tried = new Map<Hash, Tried>();
  /** a block was delivered without traces, and no trace has succeeded since */
  #isGivenUp = false;

  constructor(rpc: UpstreamRpc, log: Logger, tries = TRIES) {
    this.#tries = tries;
    this.#rpc = rpc;
    this.#log = log;
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Returns the answers with ReadTraces, some of which may be missing. Rejects with the problem of the traces if another try is due. */
  async complete({ height, error, untraced }: Unopened, tracer: Tracer, signal: AbortSignal): Promise<BlockAnswers> {
    const { block, receipts } = untraced!;
    const opened = openBlock({ block, receipts, traces: undefined });
    const hashes = opened.block().transactions.map(({ hash }) => hash);
    const tried = this.#tried.get(opened.hash) ?? { tries: 0, traces: new Map() };
    this.#tried.set(opened.hash, tried);
    const problem = await this.#ask(hashes, tried, tracer, signal);
    if (problem !== undefined && ++tried.tries < (this.#isGivenUp ? 1 : this.#tries)) throw problem;
    this.#tried.delete(opened.hash);
    const traces = new ReadTraces(hashes.map((hash) => tried.traces.get(hash)));
    const missing = hashes.length - tried.traces.size;
    if (missing > 0) {
      this.#isGivenUp = true;
      this.#log.warn({ height: `${height}`, missing, err: problem ?? error }, "Indexing a block without call traces of some transactions");
    }
    return { block, receipts, traces };
  }

  /** Returns the problem of the first trace that is not available. */
  async #ask(hashes: readonly Hash[], { traces }: Tried, tracer: Tracer, signal: AbortSignal): Promise<Error | undefined> {
    const end = performance.now() + TRY_MS;
    let problem: Error | undefined;
    for (const hash of hashes) {
      if (traces.has(hash)) continue;
      if (problem !== undefined && (this.#isGivenUp || performance.now() > end)) return problem;
      const [outcome] = await this.#rpc.requestAll([transactionTraceCall(tracer, hash)], { signal, attempts: ATTEMPTS });
      const failure = failureOf(outcome);
      if (failure === "aborted" || failure === "rate-limited") throw (outcome as { readonly error: Error }).error;
      const trace = traceOf(outcome!, hash);
      if (trace instanceof Error) problem ??= trace;
      else {
        traces.set(hash, trace);
        this.#isGivenUp = false;
      }
    }
    return problem;
  }
}

function traceOf(outcome: RpcOutcome, hash: Hash): TransactionTrace | Error {
  try {
    const answer = resultOf(outcome);
    return answer === null ? new AnswerError(`no upstream has a trace of 0x${hash}`) : parseTransactionTrace(answer, hash);
  } catch (error) {
    return error as Error;
  }
}
