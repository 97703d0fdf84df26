/**
 * Follows chains from hostile nodes: each answers correctly only sometimes until it has sent a number of hostile answers, and always
 * afterwards. In the end the index must equal that of an honest node, row by row.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { evmChainStates, evmUntraced } from "../../../src/evm/index/tables.ts";
import { AnswerThreads } from "../../../src/evm/ingest/answer-threads.ts";
import { EvmIngester, UpstreamLog } from "../../../src/evm/ingest/evm-ingester.ts";
import { rpcSource } from "../../../src/sources/evm/rpc-source.ts";
import { AnswerMemory } from "../../../src/sources/upstream/answer-memory.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { type SpoiledNode, startSpoiledNode } from "../../evm/replay-rpc/spoiled-node.ts";
import { indexRowsOf } from "../../faults/evm-kill/index-rows.ts";
import { eventually } from "../../patience.ts";
import { Random } from "../mutate.ts";
import { makeHostile } from "./hostile-answers.ts";

export interface UpstreamFuzzOptions {
  readonly folder: string;
  /** hostile answers */
  readonly count: number;
  readonly seed: number;
  /** told every so often */
  readonly log?: (line: string) => void;
}

export interface UpstreamFuzzResult {
  readonly failures: readonly string[];
  /** by kind */
  readonly sent: Readonly<Record<string, number>>;
  readonly chains: number;
}

const MIB = 2 ** 20;
/** of the chain; with transactions of every kind */
const HEAD = 60;
const HOSTILE_PER_CHAIN = 60;
/** chains that are followed at once */
const AT_ONCE = 6;
/** how many of ten answers are hostile while some are left */
const HOSTILE_OF_TEN = 6;
const LIMITS = { ...DEFAULT_LIMITS, upstreamTraceBytes: 16 * MIB };
const log = pino({ level: "silent" });

export async function fuzzUpstream({ folder, count, seed, log: tell = () => {} }: UpstreamFuzzOptions): Promise<UpstreamFuzzResult> {
  const sent: Record<string, number> = {};
  const failures: string[] = [];
  const expected = await indexOf(folder, undefined);
  let [left, chains] = [count, 0];
  const follow = async () => {
    while (left > 0) {
      const chain = ++chains;
      const random = new Random(seed * 100_000 + chain);
      let own = HOSTILE_PER_CHAIN;
      const hostile = (node: SpoiledNode) =>
        node.setSpoil((exchange) => {
          if (own === 0 || left === 0 || random.below(10) >= HOSTILE_OF_TEN) return false;
          const made = makeHostile(exchange, random);
          if (made === undefined) return false;
          sent[made.kind] = (sent[made.kind] ?? 0) + 1;
          [own, left] = [own - 1, left - 1];
          return made.isSent;
        });
      try {
        failures.push(...differences(await indexOf(folder, hostile), expected).map((line) => `chain ${chain}: ${line}`));
      } catch (error) {
        failures.push(`chain ${chain}: ${error}`);
      }
      if (chain % 20 === 0) tell(`${chain} chains, ${left} answers left, ${failures.length} failures`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, follow));
  return { failures, sent, chains };
}

async function indexOf(folder: string, hostile: ((node: SpoiledNode) => void) | undefined): Promise<Map<string, string>> {
  const node = await startSpoiledNode(folder, { head: HEAD });
  hostile?.(node);
  const directory = mkdtempSync(join(tmpdir(), "firn-fuzz-"));
  const store = new LmdbStore({ directory, isReadOnly: false, isTemporary: true });
  try {
    await follow(node.url, store);
    return await indexRowsOf(store);
  } finally {
    await store.close();
    await node.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Until all blocks are there, with all their traces. */
async function follow(url: string, store: Store): Promise<void> {
  const memory = new AnswerMemory(64 * MIB);
  const rpc = openUpstreamRpc({ urls: [url], log, memory, limits: LIMITS, maxAnswerBytes: 16 * MIB, timeoutMs: 300, firstWaitMs: 2 });
  const upstream = await UpstreamLog.open(store, 0, log);
  const source = rpcSource({
    rpc,
    startBlock: 0n,
    maxReorgDepth: 0,
    traces: true,
    log,
    pollMs: 5,
    retryMs: 2,
    onHead: (head) => upstream.head(head),
    onProblem: (problem) => upstream.tell(problem),
    readRun: new AnswerThreads(log, 0).readerOf(0, store),
  });
  const chain = { chain: 0, evmChainId: 43_112n, startHeight: 0n, maxReorgDepth: 0 };
  const classifier = { classify: async () => new Map() };
  const ingester = new EvmIngester({ store, chain, source, classifier, upstream, log, retryMs: 5, retracing: { rpc, firstMs: 20 } });
  const stopping = new AbortController();
  try {
    await Promise.all([ingester.run(stopping.signal), eventually(() => isDone(store)).finally(() => stopping.abort())]);
  } finally {
    await upstream.close();
    await rpc.close();
  }
}

async function isDone(store: Store): Promise<boolean> {
  if ((await store.get(evmChainStates, { chain: 0 }))?.height !== BigInt(HEAD)) return false;
  return (await store.scan(evmUntraced, { prefix: { chain: 0 }, limit: 1 })).length === 0;
}

function differences(got: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): string[] {
  const names = [...new Set([...got.keys(), ...expected.keys()])].filter((name) => got.get(name) !== expected.get(name));
  return names
    .slice(0, 5)
    .map((name) => `${name} is ${got.get(name)}, of an honest node ${expected.get(name)} (${names.length} such rows)`);
}
