/** Asks again for call traces that were not available when their block was indexed. */
import type { Logger } from "pino";
import { pause } from "../../base/work/pause.ts";
import { ComparedBlocks } from "../../sources/evm/compared-blocks.ts";
import type { EvmBlock } from "../../sources/evm/parser/block.ts";
import { wholeBlock } from "../../sources/evm/read-block.ts";
import type { UpstreamRpc } from "../../sources/upstream/upstream-rpc.ts";
import type { StoreReader } from "../../store/store.ts";
import type { IndexedChain } from "../index/evm-index.ts";
import { evmBlocks, evmChainStates, evmUntraced } from "../index/tables.ts";

interface TraceFillerOptions {
  readonly reader: StoreReader;
  readonly chain: Pick<IndexedChain, "chain" | "maxReorgDepth">;
  readonly rpc: UpstreamRpc;
  readonly log: Logger;
  /** Writes the content of these transactions' traces. False: not possible now. */
  readonly fill: (block: EvmBlock, indexes: readonly number[]) => Promise<boolean>;
  /** milliseconds until the first attempt; default a minute */
  readonly firstMs?: number;
}

const FIRST_MS = 60_000;
const LONGEST_MS = 3_600_000;
/** rows of `evm_untraced` per read */
const PAGE = 1000;
/** After this many blocks in a row without success, the upstream cannot trace at present. */
const MOST_FAILURES = 10;

export interface Pass {
  /** transactions */
  readonly filled: number;
  readonly left: number;
}

export class TraceFiller {
  readonly #options: TraceFillerOptions;

  constructor(options: TraceFillerOptions) {
    this.#options = options;
  }

  /** Runs until the signal is aborted. After a success it tries again soon, otherwise at growing intervals. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, firstMs = FIRST_MS } = this.#options;
    for (let waitMs = firstMs; !signal.aborted; ) {
      await pause(waitMs, signal);
      if (signal.aborted) return;
      const { filled, left } = await this.pass(signal);
      if (filled > 0) log.info({ filled, left }, "Added missing call traces");
      waitMs = filled > 0 || left === 0 ? firstMs : Math.min(2 * waitMs, LONGEST_MS);
    }
  }

  /** Asks once for each of the missing traces. */
  async pass(signal: AbortSignal): Promise<Pass> {
    let filled = 0;
    let left = 0;
    let failures = 0;
    for await (const { height, indexes } of this.#missing(signal)) {
      const done = failures >= MOST_FAILURES ? 0 : await this.#fillBlock(height, indexes, signal);
      failures = done > 0 ? 0 : failures + 1;
      filled += done;
      left += indexes.length - done;
    }
    return { filled, left };
  }

  /** Yields block by block, without those that may still be replaced. */
  async *#missing(signal: AbortSignal): AsyncGenerator<{ readonly height: bigint; readonly indexes: readonly number[] }> {
    const { reader, chain } = this.#options;
    const prefix = { chain: chain.chain };
    let after: { height: bigint; index: number } | undefined;
    while (!signal.aborted) {
      const tip = (await reader.get(evmChainStates, prefix))?.height ?? 0n;
      const rows = await reader.scan(evmUntraced, { prefix, ...(after && { after }), limit: PAGE });
      const byHeight = new Map<bigint, number[]>();
      for (const { key } of rows) byHeight.set(key.height, [...(byHeight.get(key.height) ?? []), key.index]);
      for (const [height, indexes] of byHeight) {
        if (signal.aborted || height > tip - BigInt(chain.maxReorgDepth)) return;
        yield { height, indexes };
      }
      const last = rows.at(-1);
      if (last === undefined) return;
      after = { height: last.key.height, index: last.key.index };
    }
  }

  /** Returns how many transactions now have their traces. */
  async #fillBlock(height: bigint, indexes: readonly number[], signal: AbortSignal): Promise<number> {
    const { reader, chain, rpc, log, fill } = this.#options;
    try {
      const fetcher = new ComparedBlocks(rpc, log, { traces: true, tries: 1 });
      // Pass the block's own height as the head: a missing old state is no reason to stop.
      const [received] = await fetcher.fetch(height, 1, height, signal);
      const block = received && wholeBlock(received);
      const indexed = await reader.get(evmBlocks, { chain: chain.chain, height });
      if (block === undefined || !block.hasTraces || block.hash !== indexed?.hash) return 0;
      const traced = indexes.filter((index) => !block.untraced.includes(index));
      return traced.length > 0 && (await fill(block, traced)) ? traced.length : 0;
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, height: `${height}` }, "Could not read missing call traces of a block");
      return 0;
    }
  }
}
