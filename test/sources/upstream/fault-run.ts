/**
 * Follows a recording's network while everything between it and its nodes goes wrong, as a seed says: several URLs, several nodes behind each,
 * blocks that come while it follows. What the follower's store holds in the end must be what it holds when nothing went wrong.
 */
import pino from "pino";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { sourceQueues, sourceState, sourceTips } from "../../../src/index/tables.ts";
import { followPrimary } from "../../../src/ingest/following/primary-network.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import type { ChainsState } from "../../../src/ingest/steps.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { openNodeSource } from "../../../src/sources/nodes/node-source.ts";
import { openStore } from "../../../src/store/open.ts";
import { type RecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { withoutOrder } from "../../ingest/order-free-rows.ts";
import { delay } from "../../patience.ts";
import { randomOf } from "../../random.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { FaultyProxy } from "./faulty-proxy.ts";
import { forkedNetwork } from "./forked-network.ts";
import { FAULT_KINDS, type FaultKind, pick } from "./proxy-faults.ts";
import { lastHeights, ReplayNode } from "./replay-node.ts";
import type { Heights } from "./replayed-methods.ts";
import { CHAINS, type ReplayedNetwork, readReplayedNetwork } from "./replayed-network.ts";

export type Reading = "index" | "height";

export interface FaultRun {
  readonly seed: number;
  readonly reading: Reading;
  /** URLs that the follower was given */
  readonly upstreams: number;
  /** messages that met a fault */
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** after one URL was well: how long the follower waited for something else than its blocks, until it had all, while this process had nothing to do */
  readonly waitedMs: number;
  /** the same while this process, which may have runs beside this one, was busy or waited for the CPU */
  readonly busyMs: number;
  /** undefined: the rows are right */
  readonly difference: string | undefined;
}

/** Blocks of a bare chain are told from forged ones by their children only: a forged last block of such a chain needs another witness. */
const KINDS: Readonly<Record<Reading, readonly FaultKind[]>> = {
  index: FAULT_KINDS,
  height: FAULT_KINDS.filter((kind) => kind !== "forge"),
};
/** Until one good upstream is enough. */
export const LONGEST_WAIT_MS = 5_000;

const STEP_MS = 15;
const MOST_FAULTY_MS = 1500;
/** A timer of a process that waits for the CPU fires late, and only once. */
const TICK_MS = 20;
/** share of the time between two ticks in which the process had something to do, or waited for the CPU to do it */
const MOSTLY_BUSY = 0.5;
/** a block of the X-chain, from which on a node is on another branch */
const FORK_AT = 12;
/** Where a URL leads to the fork, two others are only slow: who is wrong is told by those who agree. */
const WITNESS_KINDS: readonly FaultKind[] = ["delay"];

export interface FaultRunOptions {
  /** the network's last blocks; by default all that were recorded */
  readonly until?: Heights | undefined;
  /** some runs have a URL that leads to a fork. Default: none has */
  readonly hasForks?: boolean;
}

export class FaultRuns {
  readonly #recording: RecordingName;
  readonly #until: Heights;
  readonly #network: ReplayedNetwork;
  readonly #stranger: ReplayedNetwork;
  readonly #fork: ReplayedNetwork | undefined;
  readonly #expected = new Map<Reading, Promise<Map<string, string>>>();

  constructor(recording: RecordingName, { until, hasForks = false }: FaultRunOptions = {}) {
    this.#recording = recording;
    this.#network = readReplayedNetwork(recordingFolder(recording));
    this.#until = until ?? lastHeights(this.#network);
    this.#fork = hasForks ? forkedNetwork(this.#network, FORK_AT) : undefined;
    this.#stranger = readReplayedNetwork(recordingFolder(recording === "eras-1" ? "latest-1" : "eras-1"));
  }

  async run(seed: number): Promise<FaultRun> {
    const random = randomOf(seed);
    const reading = pick<Reading>(["index", "height"], random)!;
    const expected = await this.#rowsWithoutFaults(reading);
    const [ahead, behind] = await Promise.all([this.#node(this.#network), this.#node(this.#network)]);
    const [stranger, old] = await Promise.all([this.#node(this.#stranger), this.#node(this.#network)]);
    stranger.releaseAll();
    release(old, this.#until, Math.floor(random() * 30));
    const count = 1 + Math.floor(random() * 3);
    const fork = this.#fork !== undefined && count === 3 && random() < 0.5 ? await this.#node(this.#fork) : undefined;
    const elsewhere = { foreign: stranger.url, old: old.url, ...(fork && { fork: fork.url }) };
    const proxies = await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const isWitness = fork !== undefined && index > 0;
        const [nodes, kinds] = isWitness ? [[ahead.url], WITNESS_KINDS] : [[ahead.url, behind.url], KINDS[reading]];
        return FaultyProxy.start({ nodes, elsewhere, kinds, seed: seed * 8 + index });
      }),
    );
    let [isOver, isRead] = [false, false];
    const every = async (ms: number, act: () => void) => {
      for (; !isOver; await delay(ms)) act();
    };
    void every(STEP_MS, () => {
      release(behind, ahead.heights);
      fork?.release(ahead.heights);
      release(ahead, this.#until, 1 + Math.floor(random() * 9));
    });
    void delay(MOST_FAULTY_MS * random()).then(() => {
      if (isOver) return;
      release(ahead, this.#until);
      pick(proxies, random)!.heal();
    });
    let [waitedMs, busyMs] = [0, 0];
    let before = performance.eventLoopUtilization();
    void every(TICK_MS, () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      const healthy = proxies.find(({ isHealthy }) => isHealthy);
      if (isRead || healthy?.blocksUnderWay !== 0) return;
      if (utilization > MOSTLY_BUSY) busyMs += TICK_MS;
      else waitedMs += TICK_MS;
    });
    try {
      const found = await this.#rowsOf(proxies, reading, () => (isRead = true));
      const faults = new Map<FaultKind, number>();
      for (const proxy of proxies) for (const [kind, met] of proxy.counts) faults.set(kind, (faults.get(kind) ?? 0) + met);
      return { seed, reading, upstreams: count, faults, waitedMs, busyMs, difference: firstDifference(comparable(found), expected) };
    } finally {
      isOver = true;
      await Promise.all([...proxies, ahead, behind, stranger, old, fork].map((each) => each?.stop()));
    }
  }

  #node(recording: ReplayedNetwork): Promise<ReplayNode> {
    return ReplayNode.start({ recording });
  }

  #rowsWithoutFaults(reading: Reading): Promise<Map<string, string>> {
    const known = this.#expected.get(reading) ?? this.#followHealthy(reading);
    this.#expected.set(reading, known);
    return known;
  }

  async #followHealthy(reading: Reading): Promise<Map<string, string>> {
    const node = await this.#node(this.#network);
    node.release(this.#until);
    const rows = comparable(await this.#rowsOf([node], reading));
    await node.stop();
    return rows;
  }

  async #rowsOf(
    upstreams: readonly { readonly url: string }[],
    reading: Reading,
    onComplete: () => void = () => {},
  ): Promise<Map<string, string>> {
    const archive = await openArchive({ path: recordingFolder(this.#recording), instance: networkInstance });
    const { network, networkFile } = archive;
    const log = pino({ level: process.env.FIRN_FAULTS_LOG ?? "silent" });
    const source = openNodeSource({ network, networkFile, upstreams: upstreams.map(({ url }) => url), log, reading });
    const directory = scratchDirectory();
    const store = await openStore({ directory, mode: "write", network, isTemporary: true });
    const all = new AbortController();
    const last = new Map([
      [PLATFORM_CHAIN_ID, this.#until.P],
      [network.xChainId, this.#until.X],
      [network.cChainId, this.#until.C],
    ]);
    const onCommit = (_: unknown, { progress: { heights } }: ChainsState) => {
      if ([...last].every(([chainId, height]) => heights.get(chainId) === height)) {
        onComplete();
        all.abort();
      }
    };
    try {
      await followPrimary({ store, source, level: "full", log, signal: all.signal, onCommit, firstRetryMs: 50 });
    } finally {
      await source.close();
      await store.close();
    }
    return storeRows(directory);
  }
}

/** What nodes said of their tips, which nothing proves, and how each of them behaved. */
const HEARD: ReadonlySet<number> = new Set([sourceTips.id, sourceState.id, sourceQueues.id]);

export function comparable(rows: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...withoutOrder(rows)].filter(([key]) => !HEARD.has(Number.parseInt(key.slice(0, 4), 16))));
}

/** Accepts blocks up to some heights, at most `step` of each chain. */
function release(node: ReplayNode, last: Heights, step = Number.POSITIVE_INFINITY): void {
  const next = CHAINS.map((chain) => {
    const height = node.heights[chain];
    const left = Number(last[chain] - height);
    return [chain, height + BigInt(Math.min(left, step))] as const;
  });
  node.release(Object.fromEntries(next));
}
