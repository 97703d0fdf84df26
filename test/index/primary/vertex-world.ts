/** Vertices of the X-chain, in a store as ingest writes them, and in a plain list in the order of acceptance. */

import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import type { Id } from "../../../src/base/bytes/id.ts";
import { bytes, encodeVersioned, list, struct, u32, u64 } from "../../../src/base/codec/codec.ts";
import { id } from "../../../src/base/table/table.ts";
import { View } from "../../../src/base/table/view.ts";
import { assetVertices } from "../../../src/chains/asset/tables.ts";
import { vertexProjection } from "../../../src/index/primary/block-projection.ts";
import type { PrimaryFacts } from "../../../src/index/primary/facts.ts";
import { X_CHAIN } from "../../../src/index/primary/primary-chain.ts";
import { vertexOrder } from "../../../src/index/tables.ts";
import { fetchRows } from "../../../src/ingest/steps.ts";
import type { Store } from "../../../src/store/store.ts";
import { someId } from "./transactions/transaction-world.ts";
import { network } from "./utxos/utxo-world.ts";

const body = struct({ chainId: id, height: u64, epoch: u32, parentIds: list(id), txs: list(bytes) });

export interface ModelVertex {
  readonly vertexId: Id;
  readonly height: bigint;
  readonly parentIds: readonly Id[];
  readonly txIds: readonly Id[];
  /** Unix seconds */
  readonly time: bigint;
  readonly size: number;
}

export class VertexWorld {
  readonly vertices: ModelVertex[] = [];
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  /** Accepts vertices of these heights in one run. */
  async accept(heights: readonly bigint[]): Promise<void> {
    const view = new View();
    const run = heights.map((height) => this.#accept(view, height));
    await vertexProjection.fetch(view, run, (keys) => fetchRows(this.store, view, keys), network);
    for (const facts of run) vertexProjection.project(view, facts, [], network);
    await this.store.commit(view.drain());
  }

  #accept(view: View, height: bigint): PrimaryFacts {
    const sequence = BigInt(this.vertices.length);
    const parentIds = [someId(`parent of ${sequence}`)];
    const txs = Array.from({ length: 1 + Number(sequence % 3n) }, (_, i) => Buffer.from(`transaction ${sequence} ${i}`));
    const encoded = encodeVersioned(body, { chainId: network.xChainId, height, epoch: 0, parentIds, txs });
    const vertexId = sha256Hex(encoded);
    const time = 1_600_000_000n + sequence;
    view.put(assetVertices, { chain: 0, vertexId }, { sequence, bytes: encoded });
    view.put(vertexOrder, { chainId: network.xChainId, index: sequence }, { vertexId, acceptedAt: time });
    this.vertices.push({ vertexId, height, parentIds, txIds: txs.map(sha256Hex), time, size: encoded.length });
    const facts = { chain: X_CHAIN, facts: { vertex: { vertexId, sequence } }, acceptedAt: time * 1_000_000_000n };
    // the projection reads nothing else of them
    return facts as unknown as PrimaryFacts;
  }
}
