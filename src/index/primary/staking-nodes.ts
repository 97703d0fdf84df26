/** All node IDs that ever validated, as text in memory, so that parts of them can be looked for. Reads only those that it does not have. */
import type { NodeId } from "../../primitives/id.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import { Recent } from "../../primitives/recent.ts";
import type { StoreReader } from "../../store/store.ts";
import { knownNodes } from "./staking-tables.ts";

const MATCHES_KEPT = 100;

export class StakingNodes {
  readonly #nodes: { readonly nodeId: NodeId; readonly text: string }[] = [];
  readonly #matches = new Recent<string, { count: number; found: ReadonlySet<NodeId> }>(MATCHES_KEPT);

  get count(): number {
    return this.#nodes.length;
  }

  /** Learns the nodes up to `count`. */
  async learn(reader: StoreReader, count: number): Promise<void> {
    while (this.#nodes.length < count) {
      const known = this.#nodes.length;
      const rows = await reader.scan(knownNodes, { from: { sequence: known }, limit: Math.min(count - known, 10_000) });
      if (rows.length === 0) return;
      for (const { value } of rows) this.#nodes.push({ nodeId: value.nodeId, text: formatNodeId(value.nodeId) });
    }
  }

  /** Nodes whose `NodeID-…` contains the text. O(nodes) in memory for a text that was not asked lately. */
  matching(fragment: string): ReadonlySet<NodeId> {
    const known = this.#matches.get(fragment);
    if (known?.count === this.#nodes.length) return known.found;
    const found = new Set(this.#nodes.filter(({ text }) => text.includes(fragment)).map(({ nodeId }) => nodeId));
    this.#matches.set(fragment, { count: this.#nodes.length, found });
    return found;
  }
}
