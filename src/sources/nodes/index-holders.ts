/** Which upstreams have a chain's index from its first block on. Who seems to have none is asked again: an answer may have been lost, or wrong. */

export interface IndexHoldersOptions {
  /** number of upstreams */
  readonly upstreams: number;
  /** Asks one of them. Rejects if it does not answer. */
  readonly isComplete: (upstream: number, signal: AbortSignal) => Promise<boolean>;
}

const FIRST_AGAIN_MS = 1_000;
const LONGEST_AGAIN_MS = 60_000;

interface Known {
  /** undefined: it has not answered yet */
  readonly has: boolean | undefined;
  /** when one that has none may be asked again */
  readonly againAt: number;
  readonly againMs: number;
}

export class IndexHolders {
  readonly #options: IndexHoldersOptions;
  readonly #known: Known[];

  constructor(options: IndexHoldersOptions) {
    this.#options = options;
    this.#known = Array.from({ length: options.upstreams }, () => ({ has: undefined, againAt: 0, againMs: FIRST_AGAIN_MS }));
  }

  /** undefined: it is not known */
  has(upstream: number): boolean | undefined {
    return this.#known[upstream]!.has;
  }

  /** Asks all, and waits for the first that has it. Returns whether there is one; undefined: nobody answers. */
  async find(signal: AbortSignal): Promise<boolean | undefined> {
    const asked = this.#known.map(async (_, upstream) => {
      await this.#ask(upstream, signal).catch(() => {});
      if (this.has(upstream) !== true) throw new Error("it is not known to have one");
    });
    await Promise.any(asked).catch(() => {});
    const found = this.#known.map(({ has }) => has);
    return found.includes(true) || (found.includes(false) ? false : undefined);
  }

  /** Asks one that is not known to have it, now and then. Rejects if it does not answer. */
  async look(upstream: number, signal: AbortSignal): Promise<void> {
    const { has, againAt } = this.#known[upstream]!;
    if (has === undefined || (has === false && performance.now() >= againAt)) await this.#ask(upstream, signal);
  }

  async #ask(upstream: number, signal: AbortSignal): Promise<void> {
    const has = await this.#options.isComplete(upstream, signal);
    const { againMs } = this.#known[upstream]!;
    this.#known[upstream] = { has, againAt: performance.now() + againMs, againMs: Math.min(LONGEST_AGAIN_MS, 2 * againMs) };
  }
}
