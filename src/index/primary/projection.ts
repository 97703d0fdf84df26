/**
 * A projection of the primary network: makes rows of its own tables from facts. Ingest executes a run of blocks first; then, before the one
 * commit of state and index, every projection gets the facts of the run: `fetch` loads the rows that it will read, `project` is called for
 * each of the facts in order, synchronously. What a projection reads back it must have fetched (or its table is resident).
 */
import type { NetworkInstance } from "../../network/network.ts";
import type { Table } from "../../primitives/table.ts";
import type { RowKey, View } from "../../primitives/view.ts";
import type { PrimaryFacts } from "./facts.ts";
import type { TxEffects } from "./tx-effects.ts";

/** Loads rows into the view, those that it does not know yet; may be called several times, when later keys depend on earlier rows. */
export type Fetch = (keys: readonly RowKey[]) => Promise<void>;

export interface Projection {
  /** loaded whole when ingest starts; a projection that keeps nothing in memory has none */
  readonly residentTables: readonly Table[];
  fetch(view: View, run: readonly PrimaryFacts[], fetch: Fetch, network: NetworkInstance): Promise<void>;
  /** @param txs what the transactions of these facts did to UTXOs, in order; made before any projection runs (`utxo-effects.ts`); records of the run are in the view from `fetch` on */
  project(view: View, facts: PrimaryFacts, txs: readonly TxEffects[], network: NetworkInstance): void;
}
