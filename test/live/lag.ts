/** Measures how long after a node a follower has each of its blocks. */
import { call } from "../devnet/json-rpc.ts";

/** Undefined if it did not answer. */
export type HeightOf = () => Promise<bigint | undefined>;

/** Heights of one chain. */
export interface Pair {
  readonly node: HeightOf;
  readonly follower: HeightOf;
}

const CHAINS = {
  P: { path: "/ext/bc/P", method: "platform.getHeight", params: {} },
  X: { path: "/ext/bc/X", method: "avm.getHeight", params: {} },
} as const;
/** What a figure may be wrong by. */
const POLL_MS = 100;

/** P and X of a node and of a follower, by their URLs. */
export function platformAndAsset(node: string, follower: string): Pair[] {
  return (["P", "X"] as const).map((chain) => ({ node: () => heightOf(node, chain), follower: () => heightOf(follower, chain) }));
}

export class LagMeter {
  readonly #lags: number[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  #isPaused = false;

  constructor(pairs: readonly Pair[]) {
    for (const pair of pairs) this.#watch(pair);
  }

  #watch({ node, follower }: Pair): void {
    /** when the node was first seen at heights that the follower did not have yet */
    const waiting = new Map<bigint, number>();
    let seen: bigint | undefined;
    const poll = async () => {
      const [upstream, own] = await Promise.all([node(), follower()]);
      const now = performance.now();
      if (upstream !== undefined) {
        if (this.#isPaused) waiting.clear();
        for (let height = (this.#isPaused ? upstream : (seen ?? upstream)) + 1n; height <= upstream; height++) waiting.set(height, now);
        seen = upstream;
      }
      for (const [height, since] of waiting) {
        if (own === undefined || height > own) break;
        this.#lags.push(now - since);
        waiting.delete(height);
      }
    };
    let isPolling = false;
    const timer = setInterval(() => {
      if (isPolling) return;
      isPolling = true;
      void poll().finally(() => {
        isPolling = false;
      });
    }, POLL_MS);
    this.#timers.push(timer);
  }

  /** Until it is resumed, blocks do not count: neither those that are made nor those that come late. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  end(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Milliseconds. */
  toString(): string {
    const sorted = this.#lags.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
    return `${sorted.length} blocks, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`;
  }
}

async function heightOf(url: string, chain: keyof typeof CHAINS): Promise<bigint | undefined> {
  const { result } = await call(url, CHAINS[chain]).catch(() => ({ result: undefined }));
  return result === undefined ? undefined : BigInt((result as { height: string }).height);
}
