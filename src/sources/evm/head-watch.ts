/** Watches the newest block of a chain: asks at intervals, and sooner when an upstream announces a block. */
import { setTimeout as sleep } from "node:timers/promises";
import type { OpenUpstreamRpc } from "../upstream/upstream-rpc.ts";
import { AnswerObject } from "./parser/answer-object.ts";
import type { Hash } from "./parser/block.ts";

export interface Head {
  readonly height: bigint;
  readonly hash: Hash;
  /** Unix seconds */
  readonly timestamp: bigint;
}

interface HeadWatchOptions {
  readonly rpc: Pick<OpenUpstreamRpc, "request" | "subscribeHeads">;
  readonly pollMs: number;
  readonly onHead: (head: Head) => void;
  readonly signal: AbortSignal;
}

/** A subscription may stop without an error, so heads are still polled, this many times less often. */
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

  /** Asks for the newest block now. */
  async look(): Promise<Head> {
    const { rpc, onHead, signal } = this.#options;
    this.#lookedAt = performance.now();
    this.#isTold = false;
    const answer = new AnswerObject(await rpc.request("eth_getBlockByNumber", ["latest", false], { signal }), "the newest block");
    this.#newest = { height: answer.uint64("number"), hash: answer.hash("hash"), timestamp: answer.uint64("timestamp") };
    onHead(this.#newest);
    return this.#newest;
  }

  /** Returns the newest known block. While many blocks are being read, it is refreshed in the background. */
  newest(head: Head): Head {
    if (performance.now() - this.#lookedAt > this.#options.pollMs) void this.look().catch(() => {});
    return this.#newest ?? head;
  }

  /** Resolves when there may be a new head, or the signal is aborted. */
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
