/**
 * The X-chain's vertices from nodes: all are read and found to be the DAG below the network's stop vertex before the first one is executed,
 * because only the last of them proves the others. Nodes accepted them in different orders, so each node is read by itself.
 */
import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { sha256Hex } from "../../base/bytes/hash.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { pause } from "../../base/work/pause.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { VertexItem } from "../source.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Upstreams } from "../upstream/upstream-rpc.ts";
import { BadAnswerError } from "./chain-reader.ts";
import { VertexReader } from "./vertex-reader.ts";
import { VertexSpool } from "./vertex-spool.ts";
import { VertexWalk } from "./vertex-walk.ts";

interface VertexFeedOptions {
  readonly network: NetworkInstance;
  readonly rpc: Upstreams;
  /** of the nodes; what was read of each is kept below it */
  readonly urls: readonly string[];
  readonly directory: string;
  readonly log: Logger;
}

const NANOSECONDS = 1_000_000_000n;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;

export class VertexFeed {
  readonly #options: VertexFeedOptions;
  readonly #reader: VertexReader;
  readonly #walks: VertexWalk[] = [];
  #current: VertexWalk | undefined;
  #problem: string | undefined;
  #isReading = false;
  #hasGivenAll = false;

  constructor(options: VertexFeedOptions) {
    this.#options = options;
    this.#reader = new VertexReader(options.rpc);
  }

  /** why no block is executed yet, as a sentence */
  get problem(): string | undefined {
    const walk = this.#current;
    if (walk === undefined || !this.#isReading) return undefined;
    const there = `X-chain: the vertices that it began with are read first; ${walk.taken} of ${walk.count ?? "?"} are there`;
    return this.#problem === undefined ? there : `${there}; ${this.#problem}`;
  }

  /** whether vertices are left to be given */
  get isComing(): boolean {
    return !this.#hasGivenAll;
  }

  /** Throws if no node has vertices. Nodes that do not answer may have some. */
  async require(signal: AbortSignal): Promise<void> {
    if (this.#kept().length > 0) return;
    const answers = await Promise.all(this.#options.urls.map((_, upstream) => this.#reader.last(upstream, signal).catch(() => "unknown")));
    if (answers.every((answer) => answer === undefined)) throw missingVertices(this.#options.network);
  }

  /** Reads them all. @param executed number of vertices that were executed from what was read before */
  async prepare(executed: bigint, signal: AbortSignal): Promise<void> {
    this.#hasGivenAll = false;
    if (await this.#restore()) return;
    if (executed > 0n) throw lostVertices(this.#options.directory);
    this.#options.log.info("Reading the vertices that the X-chain began with");
    this.#isReading = true;
    try {
      await this.#readAll(signal);
    } finally {
      this.#isReading = false;
    }
  }

  async #readAll(signal: AbortSignal): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)) {
      const found = await this.#round(signal);
      if (found === "whole") {
        this.#options.log.info({ vertices: this.#current!.taken }, "Read all vertices of the X-chain; executing them");
        return;
      }
      if (found === "nobody has them") throw missingVertices(this.#options.network);
      await pause(waitMs, signal);
    }
  }

  /** Those after the first `executed` ones, in an order in which parents come before children. */
  async *items(executed: bigint, signal: AbortSignal): AsyncGenerator<readonly VertexItem[]> {
    const { xChainId: chainId, upgrades } = this.#options.network;
    // a vertex has no time, and a node's time of acceptance is its own
    const acceptedAt = upgrades.times.cortina * NANOSECONDS;
    for await (const { first, vertices } of this.#current!.vertices(executed)) {
      if (signal.aborted) return;
      yield vertices.map((bytes, i) => ({ kind: "vertex", chainId, sequence: first + BigInt(i), id: sha256Hex(bytes), bytes, acceptedAt }));
    }
    this.#hasGivenAll = true;
    this.#current = undefined;
  }

  /** Once the stop vertex is executed, they are in the store. */
  async clear(): Promise<void> {
    this.#hasGivenAll = true;
    await rm(this.#options.directory, { recursive: true, force: true });
  }

  /** Asks one node after the other. */
  async #round(signal: AbortSignal): Promise<"whole" | "nobody has them" | "failed"> {
    const { rpc, urls } = this.#options;
    let lacking = 0;
    for (const [upstream, url] of urls.entries()) {
      const walk = this.#walks[upstream]!;
      this.#current = walk;
      try {
        if (!(await walk.run(upstream, signal))) lacking++;
        else if (walk.isWhole) {
          rpc.trust(upstream);
          this.#problem = undefined;
          await this.#keepOnly(nameOf(url));
          return "whole";
        }
      } catch (error) {
        if (signal.aborted) throw error;
        this.#fail(error as Error);
      }
    }
    return lacking === urls.length ? "nobody has them" : "failed";
  }

  #fail(error: Error): void {
    if (!(error instanceof BadAnswerError) && !(error instanceof UpstreamError)) throw error;
    if (error instanceof BadAnswerError) this.#options.rpc.refuse(error.upstream!, `X-chain: ${error.message}`, error.aside);
    if (this.#problem === undefined) this.#options.log.warn({ chain: "X", reason: error.message }, "Could not read vertices; trying again");
    this.#problem = error.message;
  }

  /** Takes up what an earlier process read. Returns whether it had read all, of whichever node. */
  async #restore(): Promise<boolean> {
    const named = this.#options.urls.map(nameOf);
    for (const name of new Set([...named, ...this.#kept()])) {
      const spool = new VertexSpool(join(this.#options.directory, name));
      const walk = new VertexWalk({ stopVertexId: this.#options.network.upgrades.cortinaXChainStopVertexId, spool, reader: this.#reader });
      await walk.restore();
      if (walk.isWhole) {
        this.#current = walk;
        await this.#keepOnly(name);
        return true;
      }
      for (const [upstream, own] of named.entries()) if (own === name) this.#walks[upstream] = walk;
    }
    return false;
  }

  /** The store continues with the order of one node. */
  async #keepOnly(name: string): Promise<void> {
    const { directory } = this.#options;
    for (const other of this.#kept()) if (other !== name) await rm(join(directory, other), { recursive: true, force: true });
  }

  #kept(): string[] {
    const { directory } = this.#options;
    return existsSync(directory) ? readdirSync(directory) : [];
  }
}

/** The name of a node's folder. Its URL may hold a secret. */
function nameOf(url: string): string {
  return sha256Hex(Buffer.from(url)).slice(0, 16);
}

function missingVertices({ name }: NetworkInstance): FirnError {
  return new FirnError(
    "source-vertices",
    `the X-chain of ${name} began with vertices. Only a node run with --index-enabled since its first start has them, and none of these does; name such a node with --upstream, or import an archive first, with: firn import <archive>`,
  );
}

function lostVertices(directory: string): FirnError {
  return new FirnError(
    "source-vertices",
    `a part of the X-chain's vertices is executed, and the others are not in ${directory}; finish the import of the archive that they came from, or follow the network into an empty --data-dir`,
    { directory },
  );
}
