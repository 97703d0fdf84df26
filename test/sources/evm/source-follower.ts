/** Takes what a source of a chain's RPC gives. */
import { pino } from "pino";
import { expect } from "vitest";
import type { EvmBatch } from "../../../src/sources/evm/evm-source.ts";
import type { EvmBlock, Hash } from "../../../src/sources/evm/parser/block.ts";
import { wholeBlock } from "../../../src/sources/evm/read-block.ts";
import { type RpcSourceSettings, rpcSource } from "../../../src/sources/evm/rpc-source.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import type { Upstreams } from "../../../src/sources/upstream/upstream-rpc.ts";
import type { ReplayRpc } from "../../evm/replay-rpc/replay-rpc.ts";

const log = pino({ level: "silent" });

/** What an ingester would hold. */
export class SourceFollower {
  readonly blocks: EvmBlock[];
  readonly batches: EvmBatch[] = [];
  readonly problems: string[] = [];
  readonly ended: Promise<void>;
  readonly rpc: Upstreams;
  readonly #stop = new AbortController();
  readonly #onBatch: (batch: EvmBatch) => void;
  #wake: () => void = () => {};

  /** @param onBatch told of each batch before it is taken */
  constructor(
    urls: readonly string[],
    settings: Partial<RpcSourceSettings> = {},
    blocks: readonly EvmBlock[] = [],
    onBatch: (batch: EvmBatch) => void = () => {},
  ) {
    this.#onBatch = onBatch;
    this.blocks = [...blocks];
    this.rpc = openUpstreamRpc({ urls, log });
    const source = rpcSource({
      rpc: this.rpc,
      startBlock: 0n,
      maxReorgDepth: 64,
      traces: true,
      log,
      pollMs: 5,
      onProblem: (problem) => this.problems.push(problem),
      ...settings,
    });
    this.ended = this.#follow(source.batches(blocks.at(-1), async (height) => this.hashAt(height), this.#stop.signal));
    this.ended.catch(() => {});
  }

  hashAt(height: bigint): Hash | undefined {
    return this.blocks.find((block) => block.height === height)?.hash;
  }

  async until(isReached: (blocks: readonly EvmBlock[]) => boolean): Promise<void> {
    while (!isReached(this.blocks)) {
      await Promise.race([
        this.ended,
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
      ]);
    }
  }

  untilIs(node: ReplayRpc): Promise<void> {
    const head = node.blocks.at(-1)!.block.hash;
    return this.until((blocks) => `0x${blocks.at(-1)?.hash}` === head);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.rpc.close();
    await this.ended.catch(() => {});
  }

  async #follow(batches: AsyncIterable<EvmBatch>): Promise<void> {
    for await (const batch of batches) {
      this.#onBatch(batch);
      this.batches.push(batch);
      if (batch.undoTo !== undefined) this.blocks.length = this.blocks.findIndex(({ height }) => height === batch.undoTo) + 1;
      for (const block of batch.blocks) {
        if (this.blocks.length > 0) expect(block.parentHash).toBe(this.blocks.at(-1)!.hash);
        this.blocks.push(wholeBlock(block));
      }
      this.#wake();
    }
  }
}
