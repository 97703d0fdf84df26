/**
 * Makes clients' calls to the child: each waits for a child, for a free place, and for the commit of a sealed block. All waiting, and the
 * answer, are bounded; a child that works on one call for too long is killed, because nothing else can stop it.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Limits } from "../../../base/limits.ts";
import type { ReadWriteLock } from "../../../base/work/read-write-lock.ts";
import type { Child } from "../child.ts";
import type { EvmCall } from "../evm-call.ts";
import { EvmBusyError, EvmDownError, EvmRequestError, limitExceeded, TIMED_OUT } from "../evm-error.ts";
import type { JsonRpcClient, SendLimits } from "../json-rpc-client.ts";
import type { Supervisor } from "../supervisor.ts";
import { CallLanes, isQuick } from "./call-lanes.ts";
import { callAt } from "./call-time.ts";

interface ClientCallParts {
  readonly supervisor: Supervisor;
  /** closed while a sealed block is not committed */
  readonly lock: ReadWriteLock;
  readonly limits: Limits;
  /** of the chain */
  readonly name: string;
  readonly log: Logger;
  /** the time that calls at the last block see, Unix seconds; undefined: that block's */
  timeOfCalls(): bigint | undefined;
}

interface Asked extends Pick<EvmCall, "method" | "isDear"> {
  /** length of the call */
  readonly bytes: number;
  /** who asks */
  readonly client?: object | undefined;
}

interface Attempt extends SendLimits {
  /** counted from 1 */
  readonly attempt: number;
}

/** A call is tried with this many children, or again on one that did not answer. A call that executes code may be what killed the child. */
const MOST_ATTEMPTS = { quick: 4, slow: 2 };
const DEATH_NOTICE_MS = 100;

export class ClientCalls {
  readonly #parts: ClientCallParts;
  readonly #lanes = new CallLanes();
  /** bytes of calls that wait or run */
  #bytes = 0;

  constructor(parts: ClientCallParts) {
    this.#parts = parts;
  }

  request(method: string, params: unknown): Promise<unknown> {
    const bytes = JSON.stringify(params).length;
    return this.ask({ method, bytes }, (rpc, limits) => rpc.request(method, params, limits));
  }

  /** Several calls of one method in one message; the results are in their order. */
  requestAll(method: string, params: readonly unknown[], client?: object): Promise<unknown[]> {
    const calls = params.map((each) => ({ method, params: each }));
    return this.ask({ method, bytes: JSON.stringify(calls).length, client }, (rpc, limits) => rpc.callAll(calls, limits));
  }

  send(call: EvmCall, client?: object): Promise<Buffer> {
    const { raw, ...asked } = call;
    return this.ask({ ...asked, bytes: raw.length, client }, async (rpc, limits) => {
      const time = this.#parts.timeOfCalls();
      return rpc.send(time === undefined ? raw : await callAt(time, call, rpc, limits), limits);
    });
  }

  /** Asks the child; if it dies meanwhile, asks the next one. */
  async ask<T>(asked: Asked, question: (rpc: JsonRpcClient, attempt: Attempt) => Promise<T>): Promise<T> {
    const { limits } = this.#parts;
    const { method, bytes } = asked;
    if (this.#bytes + bytes > limits.bodiesBytes) throw new EvmRequestError(method ?? "none", limitExceeded(this.#parts.name));
    this.#bytes += bytes;
    try {
      return await this.#attempts(asked, question);
    } finally {
      this.#bytes -= bytes;
    }
  }

  async #attempts<T>(call: Asked, question: (rpc: JsonRpcClient, attempt: Attempt) => Promise<T>): Promise<T> {
    const { supervisor, lock, limits } = this.#parts;
    const { method, client } = call;
    const deadline = performance.now() + limits.requestSeconds * 1000;
    const send = { timeoutMs: limits.evmCallSeconds * 1000, maxBytes: limits.evmAnswerBytes };
    const mostAttempts = isQuick(method) ? MOST_ATTEMPTS.quick : MOST_ATTEMPTS.slow;
    for (let attempt = 1; ; attempt++) {
      await supervisor.available(deadline - performance.now());
      let asked: Child | undefined;
      try {
        return await this.#lanes.pass(call, client, () =>
          lock.shared(() => {
            if (performance.now() > deadline) throw new EvmRequestError(method ?? "none", TIMED_OUT);
            asked = supervisor.requireChild();
            return question(asked.rpc, { ...send, attempt });
          }),
        );
      } catch (error) {
        if (error instanceof EvmBusyError) await this.#end(asked!, method);
        if (!(error instanceof EvmDownError) || attempt === mostAttempts || supervisor.isStopping) throw error;
        // the child's exit may be noticed only after its failure to answer
        await Promise.race([asked?.exited, delay(DEATH_NOTICE_MS, undefined, { ref: false })]);
      }
    }
  }

  async #end(child: Child, method: string | undefined): Promise<void> {
    if (this.#parts.supervisor.child === child) this.#parts.log.warn({ method }, "The EVM worked on a call for too long; stopping the EVM");
    await child.kill();
  }
}
