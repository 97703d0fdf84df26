/**
 * Fetches the containers of a chain from peers, from one whose ID is trusted back to the first: each names the one before it, so no peer can
 * slip in another (p2p.md 13). One request at a time; whoever fails rests, and others are asked.
 */
import type { Id, NodeId } from "../../base/bytes/id.ts";
import { CodecError } from "../../base/codec/error.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { Breaks } from "../../base/work/pause.ts";
import { signatureFault } from "../../network/proposervm.ts";
import { isUnknownFormat, unknownFormatAdvice } from "../../network/unknown-format.ts";
import { type BlockHead, type ReadHead, unwrapWithHead } from "../nodes/chain-reader.ts";
import { PeerTurns, type PeerTurnsOptions } from "./peer-turns.ts";

/** A container, checked as far as its ID, its height and its signature say. */
export interface WalkedContainer {
  readonly containerId: Id;
  /** of the container before it; of a bare block, the block's parent */
  readonly parentId: Id;
  readonly head: BlockHead;
  readonly bytes: Uint8Array;
}

interface WalkOptions extends PeerTurnsOptions {
  readonly chainId: Id;
  readonly readHead: ReadHead;
  readonly signal: AbortSignal;
}

/** waits without any peer, after which there seems to be none */
const MOST_WAITS = 60;
const CHAIN_ENGINE = 2;
/** peers that are asked for a container which nobody may have */
const MOST_TRIES = 4;
/** So many are asked for one by one: an answer with ancestors has up to 2,000. */
const FEW = 8n;
/** the network's nodes send no more in an answer */
const MOST_CONTAINERS = 2000;

export class ContainerWalk {
  readonly #options: WalkOptions;
  readonly #turns: PeerTurns;

  /** Any number of walks may share whom to ask. */
  constructor(options: WalkOptions, turns = new PeerTurns(options)) {
    this.#options = options;
    this.#turns = turns;
  }

  /** The same one, but for when it ends. */
  until(signal: AbortSignal): ContainerWalk {
    return new ContainerWalk({ ...this.#options, signal }, this.#turns);
  }

  /**
   * Yields the container with this ID and those before it, the newest first, down to the one above `floor`, or until it is aborted. Rejects with
   * a FirnError if nobody has one.
   * @param height of that container; undefined: it is not known
   * @param floor height of the last one that is there already
   */
  async *from(containerId: Id, height?: bigint, floor = 0n): AsyncGenerator<readonly WalkedContainer[]> {
    let [wanted, expected] = [containerId, height];
    for (let waits = 0; !this.#options.signal.aborted; ) {
      if (this.#options.peers.peers.length > 0) waits = 0;
      else if (++waits > MOST_WAITS) throw this.#nobodyHas(expected);
      const found = await this.#ask(wanted, expected, floor);
      if (found === "nobody") await this.rested();
      if (found === "failed" && this.#turns.hasEachFailed) throw this.#nobodyHas(expected);
      if (typeof found === "string") continue;
      const last = found.at(-1)!;
      const above = found.filter(({ head }) => head.height > floor);
      // block 0 follows from the genesis: a chain that has no other has nothing to fetch
      if (above.length > 0) yield above;
      if (last.head.height <= floor + 1n) return;
      [wanted, expected] = [last.parentId, last.head.height - 1n];
    }
  }

  /** Height of a container that somebody must have; undefined: it was aborted. Rejects as `from` does. */
  async heightOfTip(containerId: Id): Promise<bigint | undefined> {
    for await (const containers of this.from(containerId)) return containers[0]!.head.height;
    return undefined;
  }

  /** Height of a container that nobody may have; undefined: few who were asked gave it, or it was aborted. */
  async heightOf(containerId: Id): Promise<bigint | undefined> {
    for (let failures = 0; failures < MOST_TRIES && !this.#options.signal.aborted; ) {
      const ask = (nodeId: NodeId) => this.#one(nodeId, containerId);
      const found = await this.#turns.ask(ask, (sent) => this.#read(sent, containerId, undefined, 0n));
      if (typeof found !== "string") return found[0]!.head.height;
      if (found === "failed") failures++;
      else await this.rested();
    }
    return undefined;
  }

  /** Resolves when it is worth to ask again. */
  rested(): Promise<void> {
    return this.#turns.rested(this.#options.signal);
  }

  #ask(wanted: Id, height: bigint | undefined, floor: bigint): Promise<readonly WalkedContainer[] | "failed" | "nobody"> {
    const isOne = height !== undefined && height - floor <= FEW;
    const ask = (nodeId: NodeId) => (isOne ? this.#one(nodeId, wanted) : this.#ancestors(nodeId, wanted));
    return this.#turns.ask(ask, (sent) => this.#read(sent, wanted, height, floor));
  }

  async #ancestors(nodeId: NodeId, wanted: Id): Promise<readonly Uint8Array[]> {
    const { peers, chainId } = this.#options;
    const members = { containerId: Buffer.from(wanted, "hex"), engine: CHAIN_ENGINE };
    return (await peers.request(nodeId, { kind: "getAncestors", chainId, members })).containers;
  }

  async #one(nodeId: NodeId, wanted: Id): Promise<readonly Uint8Array[]> {
    const { peers, chainId } = this.#options;
    const members = { containerId: Buffer.from(wanted, "hex") };
    return [(await peers.request(nodeId, { kind: "get", chainId, members })).container];
  }

  /** As many as follow from each other, or what is wrong with the first. */
  async #read(
    containers: readonly Uint8Array[],
    wanted: Id,
    height: bigint | undefined,
    floor: bigint,
  ): Promise<readonly WalkedContainer[] | string> {
    const found: WalkedContainer[] = [];
    let [nextId, expected] = [wanted, height];
    const breaks = new Breaks();
    for (const bytes of containers.slice(0, MOST_CONTAINERS)) {
      await breaks.take();
      const container = await this.#readOne(bytes, nextId, expected);
      if (typeof container === "string") return found.length === 0 ? container : found;
      found.push(container);
      if (container.head.height <= floor + 1n) break;
      [nextId, expected] = [container.parentId, container.head.height - 1n];
    }
    return found.length === 0 ? "it does not have the container" : found;
  }

  /** The ID of the container before this one, which is one of the chain. */
  parentOf(container: Uint8Array): Id {
    const { unwrapped, head } = unwrapWithHead(container, this.#options.readHead);
    return unwrapped.header?.parentId ?? head.parentId;
  }

  /** The container, or what is wrong with it. */
  async #readOne(sent: Uint8Array, wanted: Id, height: bigint | undefined): Promise<WalkedContainer | string> {
    const read = readContainer(sent, this.#options.readHead);
    if (typeof read === "string") return read;
    const { unwrapped, head } = read;
    // of a bare block the chain's own ID
    const containerId = unwrapped.header === undefined ? head.id : unwrapped.containerId;
    if (containerId !== wanted) return "it sent another container than it was asked for";
    if (height !== undefined && head.height !== height) return `it sent block ${head.height} in the place of block ${height}`;
    const fault = await signatureFault(this.#options.chainId, unwrapped);
    if (fault !== undefined) return `it sent a container that cannot be: ${fault}`;
    // a copy: what is kept must not hold the whole message
    return { containerId, parentId: unwrapped.header?.parentId ?? head.parentId, head, bytes: Uint8Array.from(sent) };
  }

  #nobodyHas(height: bigint | undefined): FirnError {
    const what = height === undefined ? "the newest block" : `block ${height}`;
    const { lastFailure } = this.#turns;
    const why = lastFailure === undefined ? "none is connected" : `the last reason: ${lastFailure}`;
    return new FirnError(
      "peers",
      `no peer gives ${what} of the chain (${why}); try again later, or name other peers with --bootstrap-ids and --bootstrap-ips`,
    );
  }
}

/** Or what is wrong with it. */
function readContainer(bytes: Uint8Array, readHead: ReadHead): ReturnType<typeof unwrapWithHead> | string {
  try {
    return unwrapWithHead(bytes, readHead);
  } catch (error) {
    if (isUnknownFormat(error)) return `it sent a block of a format that this Firn does not know${unknownFormatAdvice(error)}`;
    if (error instanceof CodecError) return "it sent what is no block of the chain";
    throw error;
  }
}
