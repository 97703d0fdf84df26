/** All node IDs that ever validated, as text in memory, so that parts of them can be looked for. Reads only those that it does not have. */
import type { NodeId } from "../../primitives/id.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import { Recent } from "../../primitives/recent.ts";
import type { StoreReader } from "../../store/store.ts";
import { knownNodes } from "./staking-tables.ts";

const MATCHES_KEPT = 100;

export class StakingNodes {
  readonly #texts = new Map<NodeId, string>();
  readonly #matches = new Recent<string, { count: number; found: ReadonlySet<NodeId> }>(MATCHES_KEPT);

  get count(): number {
    return this.#texts.size;
  }

  has(nodeId: NodeId): boolean {
    return this.#texts.has(nodeId);
  }

  /** Learns the nodes up to `count`. */
  async learn(reader: StoreReader, count: number): Promise<void> {
    while (this.count < count) {
      const known = this.count;
      const rows = await reader.scan(knownNodes, { from: { sequence: known }, limit: Math.min(count - known, 10_000) });
      if (rows.length === 0) return;
      for (const { value } of rows) this.#texts.set(value.nodeId, formatNodeId(value.nodeId));
    }
  }

  /** Nodes whose `NodeID-…` contains the text. O(nodes) in memory for a text that was not asked lately. */
  matching(fragment: string): ReadonlySet<NodeId> {
    const known = this.#matches.get(fragment);
    if (known?.count === this.count) return known.found;
    const found = new Set<NodeId>();
    for (const [nodeId, text] of this.#texts) if (text.includes(fragment)) found.add(nodeId);
    this.#matches.set(fragment, { count: this.count, found });
    return found;
  }
}
