/**
 * Call traces of the child's blocks. They can have any size: a transaction of 400,000 gas can produce 300 MB. Firn reads them as a stream
 * and keeps only what the index needs. The child builds them in its own memory; if that is too small, the block is indexed without traces
 * and the child continues.
 */

import type { Logger } from "pino";
import { FlatTraceReader } from "../../sources/evm/parser/flat-trace-reader.ts";
import { ReadTraces } from "../../sources/evm/parser/trace-block.ts";
import { AnswerMemory } from "../../sources/upstream/answer-memory.ts";
import { HttpTransport } from "../../sources/upstream/http-transport.ts";
import { decodeAnswer, encodeMessage } from "../../sources/upstream/json-rpc-message.ts";
import { UpstreamError } from "../../sources/upstream/upstream-error.ts";
import type { RpcOutcome } from "../../sources/upstream/upstream-rpc.ts";
import { EvmDownError } from "./evm-error.ts";
import { toHex } from "./header.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";

/** Number of children that may die while tracing one block before it is indexed without traces. A child may also die for other reasons. */
const MOST_DEATHS = 2;
/** Traces that cannot be read in this time are left out. */
const TIMEOUT_MS = 60_000;
/** More bytes than a child can hold in memory. */
const MOST_BYTES = 2 ** 32;

/** A call in the result of `trace_block`. */
interface Trace {
  readonly action: { readonly gas?: string };
  readonly error?: string;
  readonly result?: unknown;
}

/** A call that was not started uses no gas; one that fails in any other way without a revert uses all the gas it was given. */
const NOT_BEGUN: ReadonlySet<string> = new Set(["Insufficient balance for transfer", "CallTooDeep"]);

export class BlockTraces {
  readonly #log: Logger;
  /** the last block whose traces were requested, and how many children died of it */
  #asked = { height: -1n, deaths: 0 };

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Returns a result of `trace_block`, or ReadTraces without the traces that cannot be read. Rejects with an EvmDownError if the child is
   * gone.
   */
  async read({ url, name }: JsonRpcClient, height: bigint, transactions: number): Promise<unknown> {
    if (transactions === 0) return [];
    if (this.#asked.height !== height) this.#asked = { height, deaths: 0 };
    const asked = this.#asked;
    let outcome: RpcOutcome | undefined;
    if (asked.deaths < MOST_DEATHS) outcome = await askTraces(url, height);
    if (outcome !== undefined && "result" in outcome)
      return Array.isArray(outcome.result) ? outcome.result.map(withGasUsed) : outcome.result;
    if (outcome?.error instanceof UpstreamError && outcome.error.failure === "unavailable") {
      asked.deaths++;
      throw new EvmDownError(`${name}'s EVM does not answer`, { cause: outcome.error });
    }
    this.#log.warn({ height: `${height}`, err: outcome?.error }, `Indexing a block of ${name} without its call traces`);
    return new ReadTraces(new Array(transactions).fill(undefined));
  }
}

/**
 * Traces a block that this child sealed; for blocks loaded from a dump it has no traces. `trace_block` returns what was recorded when the
 * block was made, while `debug_traceBlockByNumber` would execute the block once per transaction.
 */
async function askTraces(url: URL, height: bigint): Promise<RpcOutcome> {
  const transport = new HttpTransport(url);
  const reader = () => new FlatTraceReader((trace) => withGasUsed(trace as Trace));
  const message = encodeMessage([{ method: "trace_block", params: [toHex(height)], reader }], 1);
  const limits = { timeoutMs: TIMEOUT_MS, maxAnswerBytes: MOST_BYTES, memory: new AnswerMemory(MOST_BYTES), signal: undefined };
  try {
    return (await decodeAnswer(message, await transport.exchange(message, limits)))[0]!;
  } catch (error) {
    return { error: error as Error };
  } finally {
    transport.close();
  }
}

/** Adds the gas used by calls that failed without a revert, which `trace_block` leaves out. */
function withGasUsed(trace: Trace): Trace {
  const { action, error, result } = trace;
  if (error === undefined || (result !== undefined && result !== null) || NOT_BEGUN.has(error)) return trace;
  return { ...trace, result: { gasUsed: action.gas } };
}
