/** Holds the text of every node ID that ever validated, so that requests can search for parts of them. Reads only the IDs that are new. */

import { formatNodeId } from "../../../base/bytes/cb58.ts";
import type { NodeId } from "../../../base/bytes/id.ts";
import { eachInTurns, type Work } from "../../../base/work/work.ts";
import type { StoreReader } from "../../../store/store.ts";
import { knownNodes } from "./staking-tables.ts";

/** Rows per read; their texts are made in one turn. */
const PIECE = 256;

export class StakingNodes {
  readonly #texts = new Map<NodeId, string>();

  get count(): number {
    return this.#texts.size;
  }

  has(nodeId: NodeId): boolean {
    return this.#texts.has(nodeId);
  }

  /** Reads the nodes up to `count`. */
  async learn(reader: StoreReader, count: number): Promise<void> {
    while (this.count < count) {
      const known = this.count;
      const rows = await reader.scan(knownNodes, { from: { sequence: known }, limit: Math.min(count - known, PIECE) });
      if (rows.length === 0) return;
      for (const { value } of rows) this.#texts.set(value.nodeId, formatNodeId(value.nodeId));
    }
  }

  /** Nodes whose `NodeID-…` contains one of the texts. O(nodes × texts) in memory, in turns. */
  async matching(fragments: readonly string[], work: Work): Promise<ReadonlySet<NodeId>> {
    const found = new Set<NodeId>();
    await eachInTurns(work, this.#texts, ([nodeId, text]) => {
      if (fragments.some((fragment) => text.includes(fragment))) found.add(nodeId);
    });
    return found;
  }
}
