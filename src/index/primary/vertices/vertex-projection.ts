/** Rows of the X-chain's vertices, for the Data API: one per vertex, two that count it, and one for each of its transactions. */

import type { Id } from "../../../base/bytes/id.ts";
import { rowKey, type View } from "../../../base/table/view.ts";
import { assetVertices } from "../../../chains/asset/tables.ts";
import { vertexContents } from "../../../chains/asset/vertex.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { X_CHAIN } from "../primary-chain.ts";
import type { Projection } from "../projection.ts";
import { primaryVertices, transactionVertices } from "../transactions/transaction-tables.ts";
import { genesisTime } from "../utxos/utxo-effects.ts";
import { countVertex, vertexCountKeys } from "./vertex-ranks.ts";

/** Instance number of the X-chain. */
const INSTANCE = 0;

const NANOSECONDS = 1_000_000_000n;

export const vertexProjection: Projection = {
  residentTables: [],

  async fetch(view, run, fetch) {
    const vertices = run.flatMap((facts) => (facts.chain === X_CHAIN && facts.facts.vertex ? [facts.facts.vertex] : []));
    await fetch(vertices.map(({ vertexId }) => rowKey(assetVertices, { chain: INSTANCE, vertexId })));
    await fetch(vertices.flatMap(({ vertexId }) => vertexCountKeys({ height: contentsOf(view, vertexId).height, vertexId })));
  },

  project(view, facts, _txs, network) {
    if (facts.chain !== X_CHAIN || facts.facts.vertex === undefined) return;
    const { vertexId, sequence } = facts.facts.vertex;
    const { height, txIds } = contentsOf(view, vertexId);
    const timestamp = vertexTimestamp(facts.acceptedAt, network);
    view.writeUnread(primaryVertices, { height, vertexId }, { sequence, timestamp });
    countVertex(view, { height, vertexId });
    for (const txId of txIds) view.writeUnread(transactionVertices, { txId, sequence }, { vertexId, height, timestamp });
  },
};

function contentsOf(view: View, vertexId: Id) {
  return vertexContents(view.get(assetVertices, { chain: INSTANCE, vertexId })!.bytes);
}

/** Vertices have no time of their own. @param acceptedAt by the source, Unix nanoseconds; 0 if unknown */
function vertexTimestamp(acceptedAt: bigint, network: NetworkInstance): bigint {
  return acceptedAt === 0n ? genesisTime(network) : acceptedAt / NANOSECONDS;
}
