/** The newest block of a chain: asked for every so often, sooner where an upstream tells of new ones. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Hash } from "../../evm/block.ts";
import { AnswerObject } from "../../evm/block-parser/answer-object.ts";
import type { OpenEvmRpc } from "../../evm/rpc/evm-rpc.ts";

export interface Head {
  readonly height: bigint;
  readonly hash: Hash;
  /** Unix seconds */
  readonly timestamp: bigint;
}

export interface HeadWatchOptions {
  readonly rpc: Pick<OpenEvmRpc, "request" | "subscribeHeads">;
  readonly pollMs: number;
  readonly onHead: (head: Head) => void;
  readonly signal: AbortSignal;
}

/** A subscription may be lost without a word, so heads are asked for nevertheless. */
const POLLS_SAVED = 5;

export class HeadWatch {
  readonly #options: HeadWatchOptions;
  readonly #waitMs: number;
  #newest: Head | undefined;
  #lookedAt = 0;
  #isTold = false;
  #wake: () => void = () => {};

  constructor(options: HeadWatchOptions) {
    const { rpc, pollMs, signal } = options;
    this.#options = options;
    const isSubscribed = rpc.subscribeHeads(() => {
      this.#isTold = true;
      this.#wake();
    }, signal);
    this.#waitMs = isSubscribed ? pollMs * POLLS_SAVED : pollMs;
  }

  /** Asks now. */
  async look(): Promise<Head> {
    const { rpc, onHead, signal } = this.#options;
    this.#lookedAt = Date.now();
    this.#isTold = false;
    const answer = new AnswerObject(await rpc.request("eth_getBlockByNumber", ["latest", false], { signal }), "the newest block");
    this.#newest = { height: answer.quantity("number"), hash: answer.hash("hash"), timestamp: answer.quantity("timestamp") };
    onHead(this.#newest);
    return this.#newest;
  }

  /** The newest block that was told of; while there is much to read, it is asked for beside that. */
  newest(head: Head): Head {
    if (Date.now() - this.#lookedAt > this.#options.pollMs) void this.look().catch(() => {});
    return this.#newest ?? head;
  }

  /** Until there may be a new head, or the signal is aborted. */
  async changed(): Promise<void> {
    if (this.#isTold) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const stop = () => woken.abort();
    this.#options.signal.addEventListener("abort", stop);
    await sleep(this.#waitMs, undefined, { signal: woken.signal }).catch(() => {});
    this.#options.signal.removeEventListener("abort", stop);
  }
}
