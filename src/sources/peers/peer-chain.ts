/**
 * One chain of a network whose peers give its blocks. It begins with what the majority of the bootstrappers accepts; from then on, samples of
 * the validators by stake say what is accepted (p2p.md 13 and 16.2). Each block must lead back to the last one that is executed.
 */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { formatId, formatNodeId } from "../../base/bytes/cb58.ts";
import { encodeHexPlain } from "../../base/bytes/hex.ts";
import { EMPTY_ID, type Id, type NodeId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { pause } from "../../base/work/pause.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { AcceptancePolls } from "../../p2p/acceptance-poll.ts";
import { acceptedFrontier, type Voters } from "../../p2p/accepted-frontier.ts";
import type { PeerNetwork } from "../../p2p/peer-network.ts";
import { openArchive } from "../archives/archive.ts";
import { GrowingArchive } from "../archives/growing-archive.ts";
import type { LastBlock } from "../nodes/agreement.ts";
import { type BlockHead, headReader, type ReadHead, unwrapWithHead } from "../nodes/chain-reader.ts";
import type { BlockItem } from "../source.ts";
import { ContainerWalk, type WalkedContainer } from "./container-walk.ts";
import { type Anchor, anchorsOf, ChainFetch } from "./fetch-chain.ts";
import type { BusyPeers } from "./peer-turns.ts";

export interface PeerChainOptions {
  /** "P", "X" or "C" */
  readonly name: string;
  readonly chainId: Id;
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  readonly peers: PeerNetwork;
  /** the bootstrappers, one vote each */
  readonly bootstrappers: Voters;
  /** stake of the validators; empty as long as it is not known */
  readonly voters: () => Promise<Voters>;
  /** ID of the container of an executed block; undefined: it is not known */
  readonly containerAt: (height: bigint) => Promise<Id | undefined>;
  /** folder of the blocks that are fetched and not executed yet */
  readonly directory: string;
  readonly log: Logger;
  /** IDs of containers that are trusted to be accepted, in no order */
  readonly checkpoints: readonly Id[];
  /** of compressed blocks on disk, beyond which only those are fetched that are executed next */
  readonly mostFetchedBytes: number;
  /** milliseconds between two looks at the tip */
  readonly lookEveryMs?: number | undefined;
  /** blocks beyond which they are kept on disk until they are executed; default 2,000 */
  readonly mostHeld?: bigint | undefined;
  readonly busy: BusyPeers;
  readonly firstRestMs?: number | undefined;
}

const MOST_HELD = 2000n;
const MOST_HELD_BYTES = 16 * 2 ** 20;
const ASK_AGAIN_MS = 1_000;
const NANOSECONDS = 1_000_000_000n;

/** A block that the network has accepted. */
interface Target {
  readonly containerId: Id;
  /** undefined: only its ID is known */
  readonly height?: bigint;
}

/** The blocks that are being fetched. */
interface Fetching {
  readonly from: bigint;
  readonly to: bigint;
  /** number of those that are there */
  fetched: number;
  /** whether nothing can be executed before more is there */
  isWaitedFor: boolean;
}

interface Place extends LastBlock {
  readonly containerId: Id | undefined;
}

export class PeerChain {
  readonly #options: PeerChainOptions;
  readonly #readHead: ReadHead;
  readonly #polls: AcceptancePolls;
  #head: { readonly height: bigint; readonly acceptedAt: bigint } | undefined;
  #fetching: Fetching | undefined;
  #disagreement: string | undefined;
  #hasWarned = false;
  #isGiving = false;
  /** height up to which blocks on disk wait until they are executed */
  #archivedTo: bigint | undefined;

  constructor(options: PeerChainOptions) {
    this.#options = options;
    const { network, chainId, peers, voters, lookEveryMs } = options;
    this.#readHead = headReader(chainId, network);
    this.#polls = new AcceptancePolls({ network: peers, chainId, voters, ...(lookEveryMs !== undefined && { lookEveryMs }) });
  }

  get name(): string {
    return this.#options.name;
  }

  get chainId(): Id {
    return this.#options.chainId;
  }

  /** The newest block that the network is known to have accepted, and when that was learned (Unix nanoseconds). */
  get head(): { readonly height: bigint; readonly acceptedAt: bigint } | undefined {
    return this.#head;
  }

  /** whether fetched blocks are on their way */
  get isGiving(): boolean {
    return this.#isGiving;
  }

  /** blocks that are fetched and not given yet */
  get fetched(): number {
    return this.#fetching?.fetched ?? 0;
  }

  /** why nothing is given, as a sentence */
  get problem(): string | undefined {
    const { name } = this.#options;
    if (this.#disagreement !== undefined) return `${name}-chain: ${this.#disagreement}`;
    if (this.#fetching?.isWaitedFor && this.#fetching.to - this.#fetching.from > this.#mostHeld) {
      const { from, to, fetched } = this.#fetching;
      return `${name}-chain: blocks ${from} to ${to} are fetched from peers, backwards, before the first of them can be executed; ${fetched} are there`;
    }
    if (!this.#polls.isStalled) return undefined;
    return `${name}-chain: there are newer blocks, but validators with more than two thirds of the stake do not name the same one; nothing more is taken until they do`;
  }

  /** The blocks after this one, without an end. */
  async *blocks(last: LastBlock, signal: AbortSignal): AsyncGenerator<readonly BlockItem[]> {
    this.#isGiving = false;
    await this.#findArchive();
    let place: Place = { ...last, containerId: await this.#options.containerAt(last.height) };
    let target: Target | undefined = await this.#bootstrapTarget(signal);
    for (let isAtTip = false; target !== undefined; isAtTip = true) {
      if (target.height === undefined || target.height > place.height) {
        for await (const { items, last: given } of this.#between(place, target, isAtTip, signal)) {
          // before it is given: who waits for more asks at once
          this.#isGiving = given.height < this.#head!.height;
          yield items;
          place = given;
        }
      }
      if (signal.aborted) return;
      if (this.#head === undefined || this.#head.height < place.height) this.#noteHead(place.height);
      target = await this.#polls.next({ containerId: place.containerId ?? place.id ?? EMPTY_ID, height: place.height }, signal);
      await this.#forgetExecuted();
    }
  }

  get #mostHeld(): bigint {
    return this.#options.mostHeld ?? MOST_HELD;
  }

  get #archivePath(): string {
    return join(this.#options.directory, this.#options.name);
  }

  async #findArchive(): Promise<void> {
    if (existsSync(this.#archivePath)) this.#archivedTo = new GrowingArchive(this.#archivePath).heightOf(this.#options.name);
    await this.#forgetExecuted();
  }

  /** Removes what was fetched to disk once all of it is executed. */
  async #forgetExecuted(): Promise<void> {
    if (this.#archivedTo === undefined || (await this.#options.containerAt(this.#archivedTo)) === undefined) return;
    await rm(this.#archivePath, { recursive: true, force: true });
    this.#archivedTo = undefined;
  }

  /** What the majority of the bootstrappers accepts; undefined: it was stopped. */
  async #bootstrapTarget(signal: AbortSignal): Promise<Target | undefined> {
    const { peers, chainId, bootstrappers, log, name } = this.#options;
    while (!signal.aborted) {
      const connected = [...bootstrappers.keys()].filter((nodeId) => peers.isConnected(nodeId)).length;
      const target = connected * 2 > bootstrappers.size ? (await acceptedFrontier(peers, chainId, bootstrappers)).at(-1) : undefined;
      if (target !== undefined) {
        this.#disagreement = undefined;
        return target;
      }
      const [nodeId, reason] = this.#missing();
      const sentence = `the majority of the ${bootstrappers.size} bootstrappers has to say which block is accepted; ${connected} are connected`;
      const others = nodeId === undefined ? "firn peers says why the others are not" : `${formatNodeId(nodeId)} is not: ${reason}`;
      if (this.#disagreement === undefined) log.info({ chain: name, bootstrappers: bootstrappers.size, connected }, "Waiting for peers");
      this.#disagreement = `${sentence}. ${others}`;
      // once, and for one chain of the three
      if (name === "P" && reason !== undefined && !this.#hasWarned) log.warn(this.#disagreement);
      this.#hasWarned ||= reason !== undefined;
      await pause(ASK_AGAIN_MS, signal);
    }
    return undefined;
  }

  /** One of the bootstrappers that are not connected, and why. */
  #missing(): readonly [nodeId: NodeId, reason: string] | readonly [] {
    const { peers, bootstrappers } = this.#options;
    for (const nodeId of bootstrappers.keys()) {
      const reason = peers.isConnected(nodeId) ? undefined : peers.reasonOf(nodeId);
      if (reason !== undefined) return [nodeId, reason];
    }
    return [];
  }

  #noteHead(height: bigint): void {
    this.#head = { height, acceptedAt: BigInt(Date.now()) * 1_000_000n };
  }

  async *#between(place: Place, target: Target, isAtTip: boolean, signal: AbortSignal): AsyncGenerator<Run> {
    const { peers, chainId, log, name, busy, firstRestMs } = this.#options;
    const onFailure = (_: unknown, reason: string) => log.debug({ chain: name, reason }, "A peer did not give blocks");
    const walk = new ContainerWalk({ peers, chainId, readHead: this.#readHead, signal, onFailure, busy, firstRestMs });
    const held: WalkedContainer[] = [];
    let bytes = 0;
    let tip: Anchor | undefined;
    try {
      for await (const run of walk.from(target.containerId, target.height, place.height)) {
        if (held.length === 0) {
          tip = { containerId: target.containerId, height: run[0]!.head.height };
          this.#fetching = { from: place.height + 1n, to: tip.height, fetched: 0, isWaitedFor: true };
          this.#noteHead(tip.height);
        }
        held.push(...run);
        bytes += run.reduce((sum, container) => sum + container.bytes.length, 0);
        this.#fetching!.fetched = held.length;
        const missing = run.at(-1)!.head.height - place.height - 1n;
        if (BigInt(held.length) + missing > this.#mostHeld || bytes > MOST_HELD_BYTES)
          return yield* this.#throughArchive(walk, place, tip!, signal);
      }
      // it was aborted: what is there does not lead back to the last block
      if (held.at(-1)?.head.height !== place.height + 1n) return;
      yield this.#runOf(place, held, isAtTip);
    } finally {
      this.#fetching = undefined;
    }
  }

  /** @param containers the newest first */
  #runOf(place: Place, containers: readonly WalkedContainer[], isAtTip: boolean): Run {
    const { chainId } = this.#options;
    requireJoin(this.#options.name, place, containers.at(-1)!.head);
    // a block from before blocks had a time was accepted no later than the one above it
    let acceptedAt = BigInt(Date.now()) * 1_000_000n;
    const items = containers
      .map(({ containerId: id, head, bytes: container }): BlockItem => {
        const own = isAtTip || head.time === undefined ? acceptedAt : head.time * NANOSECONDS;
        if (own < acceptedAt) acceptedAt = own;
        return { kind: "block", chainId, height: head.height, id, container, acceptedAt, isSignatureVerified: true };
      })
      .reverse();
    const { head, containerId } = containers[0]!;
    return { items, last: { id: head.id, height: head.height, containerId } };
  }

  /** Far behind: fetched to disk first, so that nothing is fetched twice after a stop, from each checkpoint back to the one below. */
  async *#throughArchive(walk: ContainerWalk, place: Place, tip: Anchor, signal: AbortSignal): AsyncGenerator<Run> {
    const { name, checkpoints, log, peers, mostFetchedBytes } = this.#options;
    const archive = await this.#openArchive(place.height);
    log.info({ chain: name, from: `${tip.height}`, to: `${place.height + 1n}` }, "Fetching blocks from peers");
    const count = (blocks: number) => {
      this.#fetching!.fetched += blocks;
    };
    this.#fetching = { from: place.height + 1n, to: tip.height, fetched: archive.blocksOf(name), isWaitedFor: true };
    const fetch = new ChainFetch({
      walk,
      archive,
      chain: name,
      anchors: await anchorsOf(walk, checkpoints, place.height, tip),
      floor: place.height,
      now: BigInt(Date.now()) * 1_000_000n,
      signal,
      // the other chains fetch, too
      walks: () => peers.peers.length >> 1,
      mayFetchAhead: () => archive.bytes < mostFetchedBytes,
      onSegment: (_, blocks) => count(blocks),
    });
    try {
      let before = place;
      for (const anchor of fetch.anchors) {
        this.#fetching.isWaitedFor = true;
        await fetch.reached(anchor);
        this.#fetching.isWaitedFor = false;
        if (signal.aborted) return;
        this.#archivedTo = anchor.height;
        this.#isGiving = true;
        for await (const run of this.#fromArchive(before, anchor.height)) {
          yield run;
          before = run.last;
          await this.#dropExecuted(archive);
        }
      }
    } finally {
      await fetch.close();
    }
  }

  async #openArchive(executed: bigint): Promise<GrowingArchive> {
    const { name, network, networkFile } = this.#options;
    const archive = new GrowingArchive(this.#archivePath);
    await archive.identify("genesis-P.hex", `${encodeHexPlain(network.genesisBytes)}\n`);
    // a newer Firn may know more upgrades of the same network
    await archive.replace("network.json", `${Buffer.from(networkFile).toString()}\n`);
    await archive.dropThrough(name, executed);
    return archive;
  }

  /** The blocks on disk above a place up to a height. */
  async *#fromArchive(place: Place, height: bigint): AsyncGenerator<Run> {
    const { name, network, chainId } = this.#options;
    const from = { heights: new Map([[chainId, place.height]]), vertices: new Map(), sharedMemoryOperations: 0n };
    const source = await openArchive({ path: this.#archivePath, instance: () => network, until: new Map([[name, height]]) });
    let before = place;
    for await (const run of source.items(from)) {
      const items = run.filter((item) => item.kind === "block");
      if (items.length === 0) continue;
      requireJoin(name, before, unwrapWithHead(items[0]!.container, this.#readHead).head);
      const { unwrapped, head } = unwrapWithHead(items.at(-1)!.container, this.#readHead);
      before = { id: head.id, height: head.height, containerId: unwrapped.header === undefined ? head.id : unwrapped.containerId };
      yield { items, last: before };
    }
  }

  /** Makes room on disk while more is fetched. */
  async #dropExecuted(archive: GrowingArchive): Promise<void> {
    const { name, containerAt } = this.#options;
    for (;;) {
      const end = archive.firstEndOf(name);
      if (end === undefined || (await containerAt(end)) === undefined) return;
      await archive.dropThrough(name, end);
    }
  }
}

interface Run {
  readonly items: readonly BlockItem[];
  readonly last: Place;
}

function requireJoin(chain: string, { id, ids = new Set(id === undefined ? [] : [id]), height }: LastBlock, head: BlockHead): void {
  if (ids.size === 0 || ids.has(head.parentId)) return;
  const own = [...ids].map(formatId).join(" or ");
  throw new FirnError(
    "peers",
    `${chain}-chain: the network's block ${head.height} follows ${formatId(head.parentId)}, and block ${height} is ${own} here; follow the network into an empty --data-dir`,
    { chain, height },
  );
}
