/**
 * Reorganizes a live chain repeatedly while it is indexed, and compares the index row by row with a new one of the final chain. A branch is
 * replaced by anvil's own reorganization, or by reverting to a snapshot and continuing differently; the index may or may not have reached
 * the tip before.
 */
import { ReadWriteLock } from "../../../src/base/work/read-write-lock.ts";
import { type Anvil, startAnvil } from "../../evm/anvil.ts";
import { guarded } from "../../evm/guarded-anvil.ts";
import { delay } from "../../patience.ts";
import { firstDifference } from "../store-rows.ts";
import { type LiveIndex, openLiveIndex } from "./live-index.ts";
import { LiveTraffic } from "./live-traffic.ts";

export interface EvmReorgOptions {
  readonly count: number;
  readonly seed: number;
  readonly log: (line: string) => void;
}

export interface EvmReorgResult {
  readonly reorganisations: number;
  /** blocks that the index undid */
  readonly undone: number;
  /** at once */
  readonly deepest: number;
  readonly comparisons: number;
  /** that were compared */
  readonly rows: number;
}

const MAX_DEPTH = 64;
/** Reorganisations of one chain; then another one begins, so that anvil can hold the states of all of its blocks. */
const PER_CHAIN = 25;
const COMPARE_EVERY = 13;
/** in memory: of states that it moved to the disk anvil forgets code after reorganisations, and of blocks without states it has no traces */
const KEPT_STATES = 4000;

/** Throws at the first row that differs. */
export async function reorganiseLive({ count, seed, log }: EvmReorgOptions): Promise<EvmReorgResult> {
  let sum: EvmReorgResult = { reorganisations: 0, undone: 0, deepest: 0, comparisons: 0, rows: 0 };
  for (let chain = 0; sum.reorganisations < count; chain++) {
    const result = await reorganiseOne(Math.min(PER_CHAIN, count - sum.reorganisations), seed + chain);
    sum = {
      reorganisations: sum.reorganisations + result.reorganisations,
      undone: sum.undone + result.undone,
      deepest: Math.max(sum.deepest, result.deepest),
      comparisons: sum.comparisons + result.comparisons,
      rows: sum.rows + result.rows,
    };
    log(`${sum.reorganisations} reorganisations, ${sum.undone} blocks undone, ${sum.rows} rows as in fresh indexes`);
  }
  return sum;
}

interface LiveChain {
  readonly anvil: Anvil;
  readonly traffic: LiveTraffic;
  readonly lock: ReadWriteLock;
}

async function reorganiseOne(count: number, seed: number): Promise<EvmReorgResult> {
  const lock = new ReadWriteLock();
  const anvil = guarded(await startAnvil({ args: ["--no-mining", "--prune-history", `${KEPT_STATES}`] }), lock);
  try {
    const traffic = await LiveTraffic.start(anvil, seed);
    await traffic.mine(MAX_DEPTH);
    const live: LiveChain = { anvil, traffic, lock };
    const index = await openIndex(live);
    try {
      let comparisons = 0;
      let rows = 0;
      for (let done = 1; done <= count; done++) {
        await replaceBranch(live, index);
        if (done % COMPARE_EVERY !== 0 && done !== count) continue;
        rows += await compareWithFresh(live, index, seed);
        comparisons++;
      }
      return { reorganisations: count, undone: index.undone, deepest: index.deepest, comparisons, rows };
    } finally {
      await index.close();
    }
  } finally {
    await anvil.stop();
  }
}

/**
 * One reorganisation; afterwards the index is at the tip, and the chain is as long as it was, so that the next one cannot go deeper than what the
 * index keeps. On the way the branch may be shorter than what it replaces.
 */
async function replaceBranch(live: LiveChain, index: LiveIndex): Promise<void> {
  const { anvil, traffic } = live;
  const depth = 1 + traffic.int(MAX_DEPTH);
  if (traffic.int(3) === 0) {
    const pairs = Array.from({ length: traffic.int(20) }, () => [traffic.next(), traffic.int(depth)]);
    await anvil.call("anvil_reorg", depth, pairs);
    await traffic.mine(traffic.int(2));
  } else {
    const snapshot = await anvil.call("evm_snapshot");
    await traffic.mine(depth);
    if (traffic.int(3) > 0) await index.untilAt(await newestHash(anvil));
    else await delay(traffic.int(30));
    await anvil.call("evm_revert", snapshot);
    const shorter = traffic.int(3) === 0 ? 1 + traffic.int(depth) : depth;
    await traffic.mine(shorter);
    if (shorter < depth && traffic.int(2) === 0) await index.untilAt(await newestHash(anvil));
    await traffic.mine(depth - shorter + traffic.int(2));
  }
  await index.untilAt(await newestHash(anvil));
}

function openIndex({ anvil, lock }: LiveChain): Promise<LiveIndex> {
  return openLiveIndex({ url: anvil.url, maxReorgDepth: MAX_DEPTH, lock });
}

async function compareWithFresh(live: LiveChain, index: LiveIndex, seed: number): Promise<number> {
  const { anvil } = live;
  const fresh = await openIndex(live);
  try {
    await fresh.untilAt(await newestHash(anvil));
    const expected = await fresh.rows();
    const difference = firstDifference(await index.rows(), expected, (key) => key);
    if (difference !== undefined) throw new Error(`after reorganisations (seed ${seed}) the index differs from a fresh one: ${difference}`);
    return expected.size;
  } finally {
    await fresh.close();
  }
}

async function newestHash(anvil: Anvil): Promise<string> {
  return ((await anvil.call("eth_getBlockByNumber", "latest", false)) as { hash: string }).hash;
}
