/**
 * Whether vertices are the whole DAG below one stop vertex: all of its ancestors, and nothing else. Hashes alone tell, since every vertex
 * names its parents and a public network's stop vertex is known. Whoever gave the vertices need not be trusted.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import { EMPTY_ID, type Id } from "../../base/bytes/id.ts";
import { RuleError } from "../../network/execution.ts";
import { vertexLinks } from "./vertex.ts";

/** Takes vertices from the stop vertex back to the first ones, children before parents. It holds only IDs that are still awaited. */
export class AncestorWalk {
  readonly #awaited: Set<Id>;
  #taken = 0;

  constructor(stopVertexId: Id) {
    this.#awaited = new Set([stopVertexId]);
  }

  /** number of vertices */
  get taken(): number {
    return this.#taken;
  }

  /** A vertex that was named and not taken; undefined: the DAG is whole. */
  get missing(): Id | undefined {
    return this.#awaited.values().next().value;
  }

  /** Returns the vertex's ID. Throws if it is not a parent that one of those before named. */
  take(bytes: Uint8Array): Id {
    const { id, parentIds } = vertexLinks(bytes);
    if (!this.#awaited.delete(id)) {
      throw new RuleError("vertex-foreign", `vertex ${formatId(id)} is not an ancestor of the stop vertex, or comes twice`);
    }
    for (const parentId of parentIds) this.#awaited.add(parentId);
    this.#taken++;
    return id;
  }
}

/** Takes vertices in an order in which they can be executed, parents before children; the last one is the stop vertex. */
export class DagCheck {
  readonly #known = new Set<Id>();
  /** those that no other names as its parent yet */
  readonly #childless = new Set<Id>();
  #last: { readonly id: Id; readonly isStop: boolean } | undefined;

  get taken(): number {
    return this.#known.size;
  }

  /** ID of the vertex that was taken last */
  get last(): Id | undefined {
    return this.#last?.id;
  }

  take(bytes: Uint8Array): void {
    const { id, parentIds, isStop } = vertexLinks(bytes);
    if (this.#known.has(id)) throw new RuleError("vertex-known", `vertex ${formatId(id)} comes twice`);
    for (const parentId of parentIds) {
      if (!this.#known.has(parentId)) {
        throw new RuleError("vertex-parent", `the parent ${formatId(parentId)} of vertex ${formatId(id)} does not come before it`);
      }
      this.#childless.delete(parentId);
    }
    this.#known.add(id);
    this.#childless.add(id);
    this.#last = { id, isStop };
  }

  /** @param stopVertexId of the network; empty: it is not known, and any stop vertex will do */
  finish(stopVertexId: Id): void {
    const last = this.#last;
    const expected = stopVertexId === EMPTY_ID ? "its stop vertex" : formatId(stopVertexId);
    if (last === undefined) throw new RuleError("stop-vertex", `there are no vertices; the last one must be ${expected}`);
    if (stopVertexId === EMPTY_ID ? !last.isStop : last.id !== stopVertexId) {
      throw new RuleError("stop-vertex", `the last vertex is ${formatId(last.id)}, but the X-chain's DAG ended with ${expected}`);
    }
    const foreign = [...this.#childless].find((id) => id !== last.id);
    if (foreign !== undefined) {
      throw new RuleError("vertex-foreign", `vertex ${formatId(foreign)} is not an ancestor of the stop vertex ${formatId(last.id)}`);
    }
  }
}
