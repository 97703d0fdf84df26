/**
 * The Index API of the C-chain, which has blocks as soon as they are accepted. Since Helicon they are executed later, and only then do nodes
 * answer with what they exported. So blocks are read up to the last one that a node has executed: `eth_blockNumber`, and where an upstream has no
 * such RPC, what another one says. Where none has it, that cannot be known, and accepted blocks are read.
 */
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { ChainReader, Rank } from "./chain-reader.ts";
import { IndexReader } from "./index-reader.ts";

/** For so long, what an upstream told counts for others, too: all are asked every few seconds. */
const KEPT_MS = 10_000;

export class ExecutedIndexReader extends IndexReader {
  readonly #rpc: Pick<ChainReader, "height">;
  /** the greatest that an upstream reported recently */
  #executed = 0n;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** @param rpc tells the height of the last executed block */
  constructor(rpc: Pick<ChainReader, "height">, ...index: ConstructorParameters<typeof IndexReader>) {
    super(...index);
    this.#rpc = rpc;
  }

  override async height(rank: Rank, signal: AbortSignal): Promise<bigint> {
    try {
      const executed = await this.#rpc.height(rank, signal);
      if (executed > this.#executed) this.#executed = executed;
      this.#toldAt = performance.now();
      return executed;
    } catch (error) {
      if (!(error instanceof UpstreamError && error.failure === "unsupported")) throw error;
    }
    const accepted = await super.height(rank, signal);
    const isKnown = performance.now() - this.#toldAt < KEPT_MS;
    return isKnown && this.#executed < accepted ? this.#executed : accepted;
  }
}
