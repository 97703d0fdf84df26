/**
 * One node's vertices, read from the stop vertex back to the first ones. The hash of the stop vertex is known, and each vertex names its
 * parents, so a vertex that does not belong to the DAG is found when it is read. Vertices that were read are kept, and the walk continues after a restart.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { CodecError } from "../../base/codec/error.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { AncestorWalk } from "../../chains/asset/vertex-dag.ts";
import { orderedRuns, type RunShape } from "../upstream/ordered-runs.ts";
import { ForeignBlockError } from "./chain-reader.ts";
import type { IndexedVertex, VertexReader } from "./vertex-reader.ts";
import type { VertexSpool } from "./vertex-spool.ts";

const MIB = 2 ** 20;
const SHAPE: RunShape<IndexedVertex> = {
  bytesOf: ({ bytes }) => bytes.length,
  unitsOf: () => 1,
  runs: 4,
  runUnits: 2048,
  runItems: 1024,
  firstRunItems: 32,
  runBytes: 2 * MIB,
  assumedBytes: 16 * 2 ** 10,
  heldBytes: 32 * MIB,
  givenUnits: 2048,
  givenBytes: 8 * MIB,
};

interface VertexWalkOptions {
  readonly stopVertexId: Id;
  readonly spool: VertexSpool;
  readonly reader: Pick<VertexReader, "last" | "range">;
}

export class VertexWalk {
  readonly #options: VertexWalkOptions;
  #dag: AncestorWalk;
  /** index of the vertex that is read next, downward; undefined: the stop vertex has not been read */
  #next: bigint | undefined;
  /** number of vertices of the DAG, as the node says; undefined: not known yet */
  #count: bigint | undefined;

  constructor(options: VertexWalkOptions) {
    this.#options = options;
    this.#dag = new AncestorWalk(options.stopVertexId);
  }

  get isWhole(): boolean {
    return this.#next === -1n && this.#dag.missing === undefined;
  }

  get taken(): number {
    return this.#dag.taken;
  }

  get count(): bigint | undefined {
    return this.#count;
  }

  /** Takes up what an earlier process kept. If that is not what was kept, it begins anew. */
  async restore(): Promise<void> {
    const { spool } = this.#options;
    for (const first of spool.runs().reverse()) {
      const vertices = await spool.read(first);
      const end = first + BigInt(vertices.length);
      const follows = this.#next === undefined || this.#next === end - 1n;
      const taken = follows ? this.#takeAll([...vertices].reverse()) : 0;
      if (taken === 0 || taken < vertices.length) return this.#clear();
      this.#count ??= end;
      this.#next = first - 1n;
    }
  }

  /** Reads until the DAG is whole. Returns false if the node has no vertices. Throws a BadAnswerError if it has others. */
  async run(upstream: number, signal: AbortSignal): Promise<boolean> {
    const { reader, stopVertexId } = this.#options;
    const last = await reader.last(upstream, signal);
    if (last === undefined) return false;
    if (last.id !== stopVertexId) {
      throw new ForeignBlockError(upstream, `its last vertex is ${formatId(last.id)}, but the DAG ended with ${formatId(stopVertexId)}`);
    }
    const count = last.index + 1n;
    if (this.#count !== count) await this.#clear();
    this.#count = count;
    const top = this.#next ?? last.index;
    // places count from the stop vertex on
    const fetch = async (place: bigint, wanted: number, ending: AbortSignal) => {
      const end = count - place;
      const from = end > BigInt(wanted) ? end - BigInt(wanted) : 0n;
      return [...(await reader.range(upstream, from, Number(end - from), ending))].reverse();
    };
    for await (const run of orderedRuns({ fetch, from: last.index - top, to: last.index, signal, shape: SHAPE })) {
      await this.#add(upstream, run);
    }
    const { missing } = this.#dag;
    if (!signal.aborted && missing !== undefined) {
      await this.#clear();
      throw new ForeignBlockError(
        upstream,
        `its vertices lack ${formatId(missing)}; its Index API must have been on since its first start`,
      );
    }
    return true;
  }

  /** Items of the DAG in the order in which the node accepted them. */
  async *vertices(skip: bigint): AsyncGenerator<{ readonly first: bigint; readonly vertices: readonly Uint8Array[] }> {
    const { spool } = this.#options;
    for (const first of spool.runs()) {
      const vertices = await spool.read(first);
      const left = skip > first ? vertices.slice(Number(skip - first)) : vertices;
      if (left.length > 0) yield { first: first + BigInt(vertices.length - left.length), vertices: left };
    }
  }

  /** @param run descending */
  async #add(upstream: number, run: readonly IndexedVertex[]): Promise<void> {
    const taken = this.#takeAll(run.map(({ bytes }) => bytes));
    const foreign = run[taken];
    if (foreign !== undefined) {
      await this.#clear();
      throw new ForeignBlockError(upstream, `its vertex ${foreign.index} is not an ancestor of the stop vertex: ${formatId(foreign.id)}`);
    }
    const first = run.at(-1)!.index;
    await this.#options.spool.add(first, run.map(({ bytes }) => bytes).reverse());
    this.#next = first - 1n;
  }

  /** Returns how many of them belong to the DAG. @param vertices descending */
  #takeAll(vertices: readonly Uint8Array[]): number {
    for (const [i, bytes] of vertices.entries()) {
      try {
        this.#dag.take(bytes);
      } catch (error) {
        if (error instanceof CodecError || error instanceof FirnError) return i;
        throw error;
      }
    }
    return vertices.length;
  }

  async #clear(): Promise<void> {
    const { spool, stopVertexId } = this.#options;
    await spool.clear();
    this.#dag = new AncestorWalk(stopVertexId);
    this.#next = undefined;
    this.#count = undefined;
  }
}
