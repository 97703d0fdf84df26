/**
 * Executes all chains of a recording over rows in memory, in the order of acceptance, at level `full`. Reading a row that `keysRead` did
 * not name is an error.
 */

import { type RowKey, View } from "../../src/base/table/view.ts";
import type { Projection } from "../../src/index/primary/projection.ts";
import { projections as allProjections } from "../../src/index/primary/projections.ts";
import { NodeChains, residentTablesOf } from "../../src/ingest/chains.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { openArchive } from "../../src/sources/archives/archive.ts";
import type { SourceItem } from "../../src/sources/source.ts";
import { MemoryRows } from "./memory-rows.ts";

export interface NodeReplay {
  readonly chains: NodeChains;
  /** heights of P, X and C, joined by commas */
  readonly heights: string;
  readonly rows: MemoryRows;
  fetch(keys: readonly RowKey[]): void;
}

export interface NodeReplayOptions {
  readonly projections?: readonly Projection[];
  /** called with each item in the state that it will be executed in; it may fetch rows, but must leave the view as it was */
  readonly before?: (item: SourceItem, replay: NodeReplay) => void;
}

/** Yields after each block, and once before the first. */
export async function* replayNode(
  folder: string,
  { projections = allProjections, before = () => {} }: NodeReplayOptions = {},
): AsyncGenerator<NodeReplay> {
  const source = await openArchive({ path: folder, instance: networkInstance });
  const { network, otherChains, hasVertices } = source;
  const view = new View();
  const rows = new MemoryRows();
  const chains = new NodeChains(view, { network, level: "full", otherChains, projections });
  const fetch = (keys: readonly RowKey[]) => rows.prefetch(view, keys);
  const commit = async () => {
    await chains.flush(async (keys) => fetch(keys), rows);
    rows.apply(view.drain());
    view.evict();
  };
  const replay = {
    chains,
    rows,
    fetch,
    get heights() {
      const { heights } = chains.progress;
      return [chains.platform.state.scalars.height, heights.get(network.xChainId), heights.get(network.cChainId)].join(",");
    },
  };
  for (const table of residentTablesOf({ projections })) view.setResident(table);
  chains.genesis({ hasVertices });
  await commit();
  yield replay;
  for await (const items of source.items(chains.progress)) {
    for (const item of items) {
      before(item, replay);
      const step = chains.decode(item);
      if (step === "not-yet") throw new RangeError("an item of a chain that does not exist yet");
      fetch(step.keysRead());
      step.run();
      await commit();
      yield replay;
    }
  }
}
