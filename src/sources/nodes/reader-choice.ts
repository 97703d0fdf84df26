/** How a chain is read: by the Index API where an upstream has it from the first block on, else block by block. */
import { UpstreamError } from "../upstream/upstream-error.ts";
import { type ChainReader, only } from "./chain-reader.ts";
import { IndexHolders } from "./index-holders.ts";
import type { IndexReader } from "./index-reader.ts";

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
