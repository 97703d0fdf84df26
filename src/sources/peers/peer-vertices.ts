/**
 * The vertices with which the X-chain of a public network began, from peers: from the stop vertex, whose ID is known, back to the first ones. Each
 * names its parents, so no peer can slip in another (p2p.md 15). They are kept in one file until they are executed, in the order of their
 * heights and IDs, which is the same for everybody.
 */
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { EMPTY_ID, type Id, type NodeId } from "../../base/bytes/id.ts";
import { CodecError } from "../../base/codec/error.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { makeDirectory } from "../../base/files/make-directory.ts";
import { vertexLinks } from "../../chains/asset/vertex.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { VertexItem } from "../source.ts";
import { PeerTurns, type PeerTurnsOptions } from "./peer-turns.ts";

interface PeerVerticesOptions extends PeerTurnsOptions {
  readonly network: NetworkInstance;
  readonly directory: string;
  readonly log: Logger;
}

const DAG_ENGINE = 1;
/** requests at once, each to another peer */
const AT_ONCE = 8;
const LENGTH_BYTES = 4;
const MAX_VERTEX_BYTES = 2 ** 20;
const READ_BYTES = 4 * 2 ** 20;
const GIVEN_VERTICES = 1024;
const NANOSECONDS = 1_000_000_000n;

interface KeptVertex {
  readonly id: Id;
  readonly height: bigint;
  /** where its bytes begin in the file */
  readonly at: number;
  readonly length: number;
}

export class PeerVertices {
  readonly #options: PeerVerticesOptions;
  readonly #turns: PeerTurns;
  readonly #kept = new Map<Id, KeptVertex>();
  /** named as parents, and not there */
  readonly #missing = new Set<Id>();
  readonly #asked = new Set<Id>();
  #file: FileHandle | undefined;
  #end = 0;
  #writing: Promise<void> = Promise.resolve();
  #isFetching = false;
  #hasGivenAll = false;

  constructor(options: PeerVerticesOptions) {
    this.#options = options;
    this.#turns = new PeerTurns(options);
  }

  /** whether vertices are left to be given */
  get isComing(): boolean {
    return !this.#hasGivenAll;
  }

  /** why no block is executed yet, as a sentence */
  get problem(): string | undefined {
    if (!this.#isFetching) return undefined;
    const failure = this.#kept.size === 0 && this.#turns.lastFailure !== undefined ? `; ${this.#turns.lastFailure}` : "";
    return `X-chain: the vertices that it began with are fetched first; ${this.#kept.size} are there, ${this.#missing.size} are asked for${failure}`;
  }

  /**
   * Resolves once all are there, or it was stopped.
   * @param executed number of vertices that were executed from what was fetched before
   */
  async prepare(executed: bigint, signal: AbortSignal): Promise<void> {
    this.#hasGivenAll = false;
    await this.#restore();
    this.#isFetching = this.#missing.size > 0;
    if (this.#isFetching && executed > 0n) throw lostVertices(this.#path);
    if (this.#isFetching) this.#options.log.info("Fetching the vertices that the X-chain began with from peers");
    const ending = new AbortController();
    const fetches = Array.from({ length: AT_ONCE }, () => this.#fetch(AbortSignal.any([signal, ending.signal])));
    try {
      await Promise.all(fetches);
      await this.#file?.sync();
    } finally {
      // one that failed ends the others, so that none of them meets the next attempt
      ending.abort();
      await Promise.allSettled(fetches);
      this.#isFetching = false;
    }
  }

  /** Those after the first `executed` ones; parents come before children. */
  async *items(executed: bigint, signal: AbortSignal): AsyncGenerator<readonly VertexItem[]> {
    const { network } = this.#options;
    const chainId = network.xChainId;
    // a vertex has no time, and a node's time of acceptance is its own
    const acceptedAt = network.upgrades.times.cortina * NANOSECONDS;
    const ordered = [...this.#kept.values()].sort((a, b) =>
      a.height === b.height ? (a.id < b.id ? -1 : 1) : a.height < b.height ? -1 : 1,
    );
    this.#kept.clear();
    for (let first = Number(executed); first < ordered.length && !signal.aborted; first += GIVEN_VERTICES) {
      const run: VertexItem[] = [];
      for (const [i, { id, at, length }] of ordered.slice(first, first + GIVEN_VERTICES).entries()) {
        const bytes = Buffer.alloc(length);
        await this.#file!.read(bytes, 0, length, at);
        run.push({ kind: "vertex", chainId, sequence: BigInt(first + i), id, bytes, acceptedAt });
      }
      yield run;
    }
    if (!signal.aborted) this.#hasGivenAll = true;
  }

  /** Once the stop vertex is executed, they are in the store. */
  async clear(): Promise<void> {
    this.#hasGivenAll = true;
    await this.close();
    await rm(this.#path, { force: true });
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  get #path(): string {
    return join(this.#options.directory, "vertices");
  }

  /** Takes up what an earlier process kept, as far as it belongs to the DAG. */
  async #restore(): Promise<void> {
    makeDirectory(this.#options.directory);
    await this.close();
    this.#writing = Promise.resolve();
    this.#file = await open(this.#path, "a+");
    this.#kept.clear();
    this.#missing.clear();
    this.#missing.add(this.#options.network.upgrades.cortinaXChainStopVertexId);
    const { size } = await stat(this.#path);
    this.#end = 0;
    for (let buffer = Buffer.alloc(0), from = 0; ; ) {
      const length = buffer.length < LENGTH_BYTES ? 0 : buffer.readUInt32BE(0);
      if (buffer.length >= LENGTH_BYTES + length && length > 0) {
        if (!this.#note(buffer.subarray(LENGTH_BYTES, LENGTH_BYTES + length), this.#end + LENGTH_BYTES)) break;
        this.#end += LENGTH_BYTES + length;
        buffer = buffer.subarray(LENGTH_BYTES + length);
        continue;
      }
      if (from >= size || length > MAX_VERTEX_BYTES) break;
      const more = Buffer.alloc(Math.min(READ_BYTES, size - from));
      const { bytesRead } = await this.#file.read(more, 0, more.length, from);
      if (bytesRead === 0) break;
      from += bytesRead;
      buffer = Buffer.concat([buffer, more.subarray(0, bytesRead)]);
    }
    // what a stop cut off
    await this.#file.truncate(this.#end);
  }

  /** Returns whether it is a vertex that was missing. */
  #note(bytes: Uint8Array, at: number): boolean {
    const links = linksOf(bytes);
    if (links === undefined || !this.#missing.delete(links.id)) return false;
    this.#kept.set(links.id, { id: links.id, height: links.height, at, length: bytes.length });
    for (const parentId of links.parentIds) if (!this.#kept.has(parentId)) this.#missing.add(parentId);
    return true;
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    const { peers, network } = this.#options;
    while (!signal.aborted && this.#missing.size > 0) {
      const wanted = this.#notAsked();
      if (wanted === undefined) {
        await this.#turns.rested(signal);
        continue;
      }
      this.#asked.add(wanted);
      try {
        const members = { containerId: Buffer.from(wanted, "hex"), engine: DAG_ENGINE };
        const request = { kind: "getAncestors", chainId: network.xChainId, members } as const;
        const ask = async (nodeId: NodeId) => (await peers.request(nodeId, request)).containers;
        const found = await this.#turns.ask(ask, (vertices) => this.#take(vertices, wanted));
        if (typeof found === "string") await this.#turns.rested(signal);
      } finally {
        this.#asked.delete(wanted);
      }
    }
  }

  #notAsked(): Id | undefined {
    for (const id of this.#missing) if (!this.#asked.has(id)) return id;
    return undefined;
  }

  /** Takes as many as are named by those before them. Resolves to what is wrong with the first. */
  async #take(vertices: readonly Uint8Array[], wanted: Id): Promise<readonly Uint8Array[] | string> {
    if (vertices[0] === undefined || linksOf(vertices[0])?.id !== wanted) return "it sent another vertex than it was asked for";
    const taken: Buffer[] = [];
    let end = this.#end;
    for (const bytes of vertices) {
      const id = linksOf(bytes)?.id ?? EMPTY_ID;
      if (this.#kept.has(id)) continue;
      if (!this.#note(bytes, end + LENGTH_BYTES)) break;
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32BE(bytes.length);
      taken.push(length, Buffer.from(bytes));
      end += LENGTH_BYTES + bytes.length;
    }
    this.#end = end;
    if (taken.length > 0) await this.#append(Buffer.concat(taken));
    return taken;
  }

  /** One after the other, in the order in which places were given. */
  async #append(bytes: Buffer): Promise<void> {
    this.#writing = this.#writing.then(() => this.#file!.appendFile(bytes));
    await this.#writing;
  }
}

function linksOf(bytes: Uint8Array): ReturnType<typeof vertexLinks> | undefined {
  try {
    return vertexLinks(bytes);
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

/** A part of the vertices is executed in another order than peers' are given in. */
function lostVertices(directory: string): FirnError {
  return new FirnError(
    "source-vertices",
    `a part of the X-chain's vertices is executed, and ${directory} does not have them; finish the import of the archive that they came from, or follow the network into an empty --data-dir`,
    { directory },
  );
}
