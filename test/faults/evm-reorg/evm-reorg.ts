/**
 * Reorganises a live chain again and again while it is indexed, and holds the index against a fresh one of the final chain, row by row. A branch
 * is replaced by anvil's own reorganisation, or by going back to a snapshot and on in another way; before, the index has come to the tip or not.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Anvil, startAnvil } from "../../evm/anvil.ts";
import { firstDifference } from "../store-rows.ts";
import { type LiveIndex, openLiveIndex } from "./live-index.ts";
import { LiveTraffic } from "./live-traffic.ts";

export interface EvmReorgOptions {
  readonly count: number;
  readonly seed: number;
  /** reorganisations between comparisons */
  readonly compareEvery: number;
  readonly log: (line: string) => void;
}

export interface EvmReorgResult {
  readonly reorganisations: number;
  /** blocks that the index undid */
  readonly undone: number;
  readonly deepest: number;
  readonly comparisons: number;
  readonly rows: number;
}

const MAX_DEPTH = 64;
/** in memory; of states that anvil moved to the disk it forgets code after reorganisations. Of what it does not keep at all it says so */
const KEPT_STATES = 1000;

/** Throws at the first row that differs. */
export async function reorganiseLive({ count, seed, compareEvery, log }: EvmReorgOptions): Promise<EvmReorgResult> {
  const anvil = await startAnvil({ args: ["--no-mining", "--prune-history", `${KEPT_STATES}`] });
  try {
    const traffic = await LiveTraffic.start(anvil, seed);
    await traffic.mine(MAX_DEPTH);
    const index = await openLiveIndex(anvil.url, { maxReorgDepth: MAX_DEPTH });
    try {
      let comparisons = 0;
      let rows = 0;
      for (let done = 1; done <= count; done++) {
        await replaceBranch(anvil, traffic, index);
        if (done % compareEvery !== 0 && done !== count) continue;
        rows = await compareWithFresh(anvil, index);
        comparisons++;
        log(`${done} reorganisations, ${index.undone} blocks undone, ${rows} rows as in a fresh index`);
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
async function replaceBranch(anvil: Anvil, traffic: LiveTraffic, index: LiveIndex): Promise<void> {
  const depth = 1 + traffic.int(MAX_DEPTH);
  if (traffic.int(3) === 0) {
    const pairs = Array.from({ length: traffic.int(20) }, () => [traffic.next(), traffic.int(depth)]);
    await anvil.call("anvil_reorg", depth, pairs);
    await traffic.mine(traffic.int(2));
  } else {
    const snapshot = await anvil.call("evm_snapshot");
    await traffic.mine(depth);
    if (traffic.int(3) > 0) await index.untilAt(await newestHash(anvil));
    else await sleep(traffic.int(30));
    await anvil.call("evm_revert", snapshot);
    const shorter = traffic.int(3) === 0 ? 1 + traffic.int(depth) : depth;
    await traffic.mine(shorter);
    if (shorter < depth && traffic.int(2) === 0) await index.untilAt(await newestHash(anvil));
    await traffic.mine(depth - shorter + traffic.int(2));
  }
  await index.untilAt(await newestHash(anvil));
}

async function compareWithFresh(anvil: Anvil, index: LiveIndex): Promise<number> {
  const fresh = await openLiveIndex(anvil.url, { maxReorgDepth: MAX_DEPTH });
  try {
    await fresh.untilAt(await newestHash(anvil));
    const expected = await fresh.rows();
    const difference = firstDifference(await index.rows(), expected, (key) => key);
    if (difference !== undefined) throw new Error(`after reorganisations the index differs from a fresh one: ${difference}`);
    return expected.size;
  } finally {
    await fresh.close();
  }
}

async function newestHash(anvil: Anvil): Promise<string> {
  return ((await anvil.call("eth_getBlockByNumber", "latest", false)) as { hash: string }).hash;
}
