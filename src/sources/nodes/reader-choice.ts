/** How a chain is read: by the Index API where an upstream has it from the first block on, else block by block. */
import { UpstreamError } from "../upstream/upstream-error.ts";
import { type ChainReader, only } from "./chain-reader.ts";
import type { IndexReader } from "./index-reader.ts";

interface IndexHoldersOptions {
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

/** Which upstreams have a chain's index from its first block on. Who seems to have none is asked again: an answer may have been lost, or wrong. */
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

export interface ReaderChoiceOptions {
  /** of the chain: "P" */
  readonly name: string;
  readonly index: IndexReader;
  /** what every node has */
  readonly plain: ChainReader;
  /** told which way of reading was chosen */
  readonly onReader?: ((reader: ChainReader) => void) | undefined;
  /** default: the index where one is complete */
  readonly reading: "index" | "height" | undefined;
}

export class ReaderChoice {
  readonly #options: ReaderChoiceOptions;
  readonly #holders: IndexHolders;
  #reader: Promise<ChainReader> | undefined;

  /** @param upstreams number of them */
  constructor(options: ReaderChoiceOptions, upstreams: number) {
    this.#options = options;
    const isComplete = (upstream: number, signal: AbortSignal) => options.index.isComplete(only(upstream), signal);
    this.#holders = new IndexHolders({ upstreams, isComplete });
  }

  /** Chooses once. Rejects if no upstream answers. */
  reader(signal: AbortSignal): Promise<ChainReader> {
    if (this.#reader === undefined) {
      this.#reader = this.#choose(signal);
      this.#reader.then(this.#options.onReader, () => this.again());
    }
    return this.#reader;
  }

  /** Chooses again next time: nodes may have been started again, with other APIs. */
  again(): void {
    this.#reader = undefined;
  }

  /** Whether an upstream is known to have the index from the first block on. */
  isIndexed(upstream: number): boolean {
    return this.#holders.has(upstream) === true;
  }

  /** Which way one upstream is read by itself, whatever was chosen for all. */
  readerOf(upstream: number): ChainReader {
    return this.isIndexed(upstream) ? this.#options.index : this.#options.plain;
  }

  /** The reader that was chosen, after one upstream was asked whether it has the index, if that counts. */
  async readerFor(upstream: number, signal: AbortSignal): Promise<ChainReader> {
    const reader = await this.reader(signal);
    if (reader === this.#options.index) await this.#holders.look(upstream, signal);
    return reader;
  }

  async #choose(signal: AbortSignal): Promise<ChainReader> {
    const { index, plain, reading, name } = this.#options;
    if (reading === "height" && (await this.#hasPlain(signal))) return plain;
    const isFound = await this.#holders.find(signal);
    if (isFound) return index;
    if (isFound === undefined) throw new UpstreamError("unavailable", "no upstream answers");
    if (reading !== "index") return plain;
    throw new UpstreamError("unsupported", `no upstream has an index of the ${name}-chain from its first block on`);
  }

  /** A development network's C-chain may have none. */
  async #hasPlain(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.plain.height((upstream) => upstream, signal);
      return true;
    } catch (error) {
      if (error instanceof UpstreamError && error.isFinal) return false;
      throw error;
    }
  }
}
