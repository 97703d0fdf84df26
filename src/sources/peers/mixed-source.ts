/**
 * Nodes of one's own and peers of the network side by side: whichever has the next block first gives it, and the other one's must be the same.
 * One of the two brings the store to the tip alone, so that nothing is fetched twice; it is replaced where it does not answer.
 */
import type { Logger } from "pino";
import { formatId } from "../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { Notifier, pause } from "../../base/work/pause.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { headReader, type ReadHead, unwrapWithHead } from "../nodes/chain-reader.ts";
import type { LiveItem } from "../nodes/merge-feeds.ts";
import type { BlockItem, LiveSource, Progress, ReadOptions, SourceItem, SourceStatus } from "../source.ts";

interface MixedSourceOptions {
  readonly nodes: LiveSource;
  readonly peers: LiveSource;
  readonly log: Logger;
  /** milliseconds between two looks at whether the second source is needed; default 500 */
  readonly lookEveryMs?: number;
  /** the wall clock, Unix seconds */
  readonly now?: () => number;
}

/** fewer blocks than this behind, a chain counts as at its tip */
const NEAR = 16n;
/** without an answer, after which the other source is used */
const SILENT_SECONDS = 30;
/** of each chain: what one source gave this long before the other is not compared */
const MOST_COMPARED = 4096;

/** One of the two sources, and the run of it that is not passed on yet. */
interface Side {
  readonly name: string;
  readonly items: AsyncIterator<readonly SourceItem[]>;
  run: readonly SourceItem[] | undefined;
  failure: { readonly reason: unknown } | undefined;
  isAsked: boolean;
}

interface Given {
  height: bigint;
  /** IDs of the chain's own blocks by height, the newest ones */
  readonly ids: Map<bigint, { readonly id: Id; readonly from: string }>;
}

export class MixedSource implements LiveSource {
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  readonly otherChains = [];
  readonly hasVertices: boolean;
  readonly fractionRead = undefined;
  readonly #options: MixedSourceOptions;
  readonly #names: ReadonlyMap<Id, string>;
  readonly #readers = new Map<Id, ReadHead>();
  /** which one begins: peers where no node has the vertices */
  #first: "nodes" | "peers" = "nodes";
  #areBoth = false;
  #contradiction: string | undefined;

  constructor(options: MixedSourceOptions) {
    const { network, networkFile, hasVertices } = options.nodes;
    this.network = network;
    this.networkFile = networkFile;
    this.hasVertices = hasVertices;
    this.#options = options;
    this.#names = new Map([
      [PLATFORM_CHAIN_ID, "P"],
      [network.xChainId, "X"],
      [network.cChainId, "C"],
    ]);
  }

  async requireVertices(signal: AbortSignal): Promise<void> {
    const { nodes, peers, log } = this.#options;
    try {
      await nodes.requireVertices(signal);
    } catch (error) {
      if (!(error instanceof FirnError) || signal.aborted) throw error;
      log.info({ reason: error.message }, "Vertices are taken from peers");
      this.#first = "peers";
      await peers.requireVertices(signal);
    }
  }

  async *items(from: Progress, { signal, isHeld }: ReadOptions = {}): AsyncGenerator<readonly LiveItem[]> {
    const ending = new AbortController();
    const ended = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
    const given = new Map([...this.#names.keys()].map((chainId) => [chainId, { height: from.heights.get(chainId) ?? 0n, ids: new Map() }]));
    const arrival = new Notifier();
    const second = this.#first === "nodes" ? "peers" : "nodes";
    const open = (name: "nodes" | "peers", progress: Progress): Side => ({
      name,
      items: this.#options[name].items(progress, { signal: ended, ...(isHeld && { isHeld }) })[Symbol.asyncIterator](),
      run: undefined,
      failure: undefined,
      isAsked: false,
    });
    const sides = [open(this.#first, from)];
    this.#areBoth = false;
    try {
      void this.#secondIsNeeded(this.#first, given, ended).then(() => {
        if (ended.aborted) return;
        this.#areBoth = true;
        sides.push(open(second, placeOf(given, from)));
        arrival.notify();
      });
      while (!ended.aborted) {
        for (const side of sides) ask(side, arrival);
        const ready = sides.find(({ run, failure }) => run !== undefined || failure !== undefined);
        if (ready === undefined || this.#contradiction !== undefined) {
          await arrival.next(this.#lookEveryMs, ended);
          continue;
        }
        if (ready.failure !== undefined) throw ready.failure.reason;
        const fresh = this.#fresh(ready.run!, ready.name, given);
        ready.run = undefined;
        if (fresh.length > 0) yield fresh;
      }
    } finally {
      ending.abort();
      for (const { items } of sides) void items.return?.().catch(() => {});
    }
  }

  status(): SourceStatus {
    const [nodes, peers] = [this.#options.nodes.status(), this.#options.peers.status()];
    const tips = new Map(nodes.tips);
    for (const [chainId, tip] of peers.tips) if (tip.height > (tips.get(chainId)?.height ?? -1n)) tips.set(chainId, tip);
    const prefetched = new Map([...peers.prefetched].map(([chainId, count]) => [chainId, count + (nodes.prefetched.get(chainId) ?? 0)]));
    const alone = this.#first === "nodes" ? nodes.problem : peers.problem;
    const both = nodes.problem === undefined ? undefined : peers.problem;
    const problem = this.#contradiction ?? (this.#areBoth ? both : alone);
    return {
      seenAt: BigInt(Math.max(Number(nodes.seenAt), Number(peers.seenAt))),
      tips,
      problem,
      upstreams: [...nodes.upstreams, ...peers.upstreams],
      prefetched: new Map([...nodes.prefetched, ...prefetched]),
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#options.nodes.close(), this.#options.peers.close()]);
  }

  get #lookEveryMs(): number {
    return this.#options.lookEveryMs ?? 500;
  }

  /** Resolves once the first source is at its tip, or has not answered for long. */
  async #secondIsNeeded(first: "nodes" | "peers", given: ReadonlyMap<Id, Given>, signal: AbortSignal): Promise<void> {
    const { now = () => Date.now() / 1000 } = this.#options;
    for (const startedAt = now(); !signal.aborted; await pause(this.#lookEveryMs, signal)) {
      const { seenAt, tips } = this.#options[first].status();
      if (now() - Math.max(Number(seenAt), startedAt) > SILENT_SECONDS) return;
      const isAtTip = [...given].every(([chainId, { height }]) => {
        const tip = tips.get(chainId);
        return tip !== undefined && tip.height - height < NEAR;
      });
      if (isAtTip) return;
    }
  }

  /** Returns the items that the other one has not given, and compares those that it has. */
  #fresh(run: readonly SourceItem[], from: string, given: ReadonlyMap<Id, Given>): LiveItem[] {
    const fresh: LiveItem[] = [];
    for (const item of run) {
      if (item.kind === "vertex") fresh.push(item);
      if (item.kind !== "block") continue;
      const chain = given.get(item.chainId)!;
      if (!this.#areBoth) {
        chain.height = item.height;
        fresh.push(item);
        continue;
      }
      const id = this.#ownId(item);
      const other = chain.ids.get(item.height);
      if (other !== undefined && other.id !== id) {
        this.#contradict(item, { id, from }, other);
        return fresh;
      }
      if (item.height <= chain.height) continue;
      chain.height = item.height;
      chain.ids.set(item.height, { id, from });
      if (chain.ids.size > MOST_COMPARED) chain.ids.delete(chain.ids.keys().next().value!);
      fresh.push(item);
    }
    return fresh;
  }

  #ownId({ chainId, container }: BlockItem): Id {
    const readHead = this.#readers.get(chainId) ?? headReader(chainId, this.network);
    this.#readers.set(chainId, readHead);
    return unwrapWithHead(container, readHead).head.id;
  }

  /** Nothing more is given: one of the two is not of this network, or lies. */
  #contradict(
    { chainId, height }: BlockItem,
    own: { readonly id: Id; readonly from: string },
    other: { readonly id: Id; readonly from: string },
  ): void {
    const saying = ({ from, id }: typeof own) => `the ${from} say ${formatId(id)}`;
    this.#contradiction = `${this.#names.get(chainId)}-chain: block ${height} is not the same: ${saying(other)}, ${saying(own)}; nothing more is taken. Leave out the one that is wrong, --upstream or --with-peers, and start again`;
    this.#options.log.error({ height: `${height}` }, this.#contradiction);
  }
}

/** Where the second source begins. */
function placeOf(given: ReadonlyMap<Id, Given>, from: Progress): Progress {
  const heights = new Map(from.heights);
  for (const [chainId, { height }] of given) if (height > 0n) heights.set(chainId, height);
  return { ...from, heights, lastAccepted: new Map() };
}

/** Asks for the next run, unless there is one that was not passed on. */
function ask(side: Side, arrival: Notifier): void {
  if (side.isAsked || side.run !== undefined || side.failure !== undefined) return;
  side.isAsked = true;
  side.items
    .next()
    .then(
      ({ value, done }) => {
        // one that has ended is not asked again
        side.isAsked = done === true;
        if (!done) side.run = value;
      },
      (reason: unknown) => {
        side.failure = { reason };
      },
    )
    .finally(() => arrival.notify());
}
