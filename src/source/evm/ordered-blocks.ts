/**
 * Blocks of a range in order, while the next ones are on their way: several runs of blocks at once, of so many blocks each that a message is
 * neither small nor huge. Bounded: not more is held than what is on its way.
 */
import type { EvmBlock } from "../../evm/block.ts";

export interface BlockRange {
  /** fewer blocks than asked for: the rest is not there yet */
  readonly fetch: (from: bigint, count: number, signal: AbortSignal) => Promise<readonly EvmBlock[]>;
  readonly from: bigint;
  /** inclusive */
  readonly to: bigint;
  readonly signal: AbortSignal;
}

/** runs on their way at once; how many of them an upstream gets at once is up to the RPC */
const RUNS = 12;
/** transactions per run that are aimed at */
const RUN_TRANSACTIONS = 100;
const RUN_BLOCKS = 25;
const FIRST_RUN_BLOCKS = 4;
/** what is there already is given out together, up to so many transactions */
const GIVEN_TRANSACTIONS = 1000;

interface Run {
  readonly asked: number;
  readonly blocks: Promise<readonly EvmBlock[]>;
  isThere: boolean;
}

/** Ends early at the first block that is not there. */
export async function* orderedBlocks({ fetch, from, to, signal }: BlockRange): AsyncGenerator<readonly EvmBlock[]> {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener("abort", end);
  const runs: Run[] = [];
  const size = new RunSize();
  let next = from;
  const fill = () => {
    while (runs.length < RUNS && next <= to) {
      const left = to - next + 1n;
      const asked = left < BigInt(size.blocks) ? Number(left) : size.blocks;
      runs.push(startRun(fetch(next, asked, ending.signal), asked));
      next += BigInt(asked);
    }
  };
  try {
    for (fill(); runs.length > 0; fill()) {
      const given: EvmBlock[] = [];
      let isShort = false;
      do {
        const { asked, blocks } = runs.shift()!;
        const there = await blocks;
        size.learn(there);
        given.push(...there);
        isShort = there.length < asked;
      } while (!isShort && runs[0]?.isThere && transactionsIn(given) < GIVEN_TRANSACTIONS);
      fill();
      if (given.length > 0) yield given;
      if (isShort) return;
    }
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

function startRun(blocks: Promise<readonly EvmBlock[]>, asked: number): Run {
  const run = { asked, blocks, isThere: false };
  blocks.then(
    () => {
      run.isThere = true;
    },
    // told to whoever waits for the run
    () => {},
  );
  return run;
}

/** How many blocks make a message of the size that is aimed at. */
class RunSize {
  blocks = FIRST_RUN_BLOCKS;
  #perBlock = 0;

  learn(blocks: readonly EvmBlock[]): void {
    if (blocks.length === 0) return;
    const perBlock = transactionsIn(blocks) / blocks.length;
    this.#perBlock = this.#perBlock === 0 ? perBlock : (3 * this.#perBlock + perBlock) / 4;
    this.blocks = Math.max(1, Math.min(RUN_BLOCKS, Math.round(RUN_TRANSACTIONS / (this.#perBlock + 1))));
  }
}

function transactionsIn(blocks: readonly EvmBlock[]): number {
  return blocks.reduce((sum, { transactions }) => sum + transactions.length, 0);
}
