/**
 * Follows how far the upstreams are with one chain. The first one that answers is asked often, since its new blocks are waited for; the others
 * at times, to stand in for it.
 */
import { pause } from "../../base/work/pause.ts";

interface ChainTipOptions {
  /** number of upstreams */
  readonly upstreams: number;
  /** Asks one of them. */
  readonly height: (upstream: number, signal: AbortSignal) => Promise<bigint>;
  readonly isRefused: (upstream: number) => boolean;
  /** told why nobody answers; undefined: somebody does */
  readonly onProblem: (error: Error | undefined) => void;
  /** told that an upstream has fewer blocks than it had */
  readonly onBack?: (upstream: number) => void;
}

/** A block must be indexed within a second of an upstream having it. */
const SHORTEST_POLL_MS = 200;
const LONGEST_POLL_MS = 600;
const SLOWER = 1.1;
/** of those that only stand in */
const OTHERS_POLL_MS = 2_000;
const LONGEST_FAILING_MS = 1_000;

export class ChainTip {
  readonly #options: ChainTipOptions;
  readonly #heights: (bigint | undefined)[];
  #acceptedAt = 0n;
  #height: bigint | undefined;
  #seenAt = 0;
  #pokes = new AbortController();
  #news = new AbortController();

  constructor(options: ChainTipOptions) {
    this.#options = options;
    this.#heights = new Array(options.upstreams).fill(undefined);
  }

  /** the greatest that an upstream has; what was heard last if none answers */
  get height(): bigint | undefined {
    return this.#height;
  }

  /** when it was, Unix nanoseconds */
  get acceptedAt(): bigint {
    return this.#acceptedAt;
  }

  /** when an upstream answered last, Unix milliseconds; 0: none has yet */
  get seenAt(): number {
    return this.#seenAt;
  }

  heightOf(upstream: number): bigint | undefined {
    return this.#heights[upstream];
  }

  /** Polls until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#heights.map((_, upstream) => this.#poll(upstream, signal)));
  }

  /** Asks now: somebody told of a new block. */
  poke(): void {
    this.#pokes.abort();
    this.#pokes = new AbortController();
  }

  /** Resolves at the next news of a height, after so many milliseconds, or when `signal` is aborted. */
  async changed(mostMs: number, signal: AbortSignal): Promise<void> {
    await pause(mostMs, signal, this.#news.signal);
  }

  async #poll(upstream: number, signal: AbortSignal): Promise<void> {
    let waitMs = SHORTEST_POLL_MS;
    let failingMs = SHORTEST_POLL_MS;
    while (!signal.aborted) {
      try {
        const isNews = this.#heard(upstream, await this.#options.height(upstream, signal));
        waitMs = isNews ? SHORTEST_POLL_MS : Math.min(waitMs * SLOWER, LONGEST_POLL_MS);
        failingMs = SHORTEST_POLL_MS;
      } catch (error) {
        if (signal.aborted) return;
        this.#heights[upstream] = undefined;
        if (this.#heights.every((height) => height === undefined)) this.#options.onProblem(error as Error);
        waitMs = failingMs = Math.min(2 * failingMs, LONGEST_FAILING_MS);
      }
      const isFailing = this.#heights[upstream] === undefined;
      const restMs = isFailing || this.#isFirst(upstream) ? waitMs : Math.max(waitMs, OTHERS_POLL_MS);
      await pause(restMs, signal, ...(isFailing ? [] : [this.#pokes.signal]));
    }
  }

  #isFirst(upstream: number): boolean {
    return this.#heights.findIndex((height, index) => height !== undefined && !this.#options.isRefused(index)) === upstream;
  }

  #heard(upstream: number, height: bigint): boolean {
    const own = this.#heights[upstream];
    this.#heights[upstream] = height;
    this.#seenAt = Date.now();
    this.#options.onProblem(undefined);
    const before = this.#height;
    this.#height = height;
    for (const other of this.#heights) if (other !== undefined && other > this.#height) this.#height = other;
    if (own !== undefined && height < own) this.#options.onBack?.(upstream);
    const isNews = before === undefined || height > before;
    if (!isNews) return false;
    this.#acceptedAt = BigInt(Date.now()) * 1_000_000n;
    this.#news.abort();
    this.#news = new AbortController();
    return true;
  }
}
