/**
 * A projection of the primary network makes rows of its own tables from facts. Ingest first executes a run of blocks. Then, before the one
 * commit of state and index, every projection gets the facts of the run: `fetch` loads the rows that it will read, and `project` is called
 * for each of the facts in order, synchronously. A projection may only read rows that it has fetched, or rows of its resident tables.
 */

import type { Table } from "../../base/table/table.ts";
import type { RowKey, View } from "../../base/table/view.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { Ranges } from "../packed-list.ts";
import type { PrimaryFacts } from "./facts.ts";
import type { TxEffects } from "./transactions/tx-effects.ts";

/** Loads rows into the view unless they are there. Call it several times if later keys depend on earlier rows. */
export type Fetch = (keys: readonly RowKey[]) => Promise<void>;

export interface Projection {
  /** tables that are loaded whole when ingest starts */
  readonly residentTables: readonly Table[];
  fetch(view: View, run: readonly PrimaryFacts[], fetch: Fetch, network: NetworkInstance): Promise<void>;
  /**
   * @param txs what the transactions of these facts did to UTXOs, in order. They are made before any projection runs (`utxo-effects.ts`).
   * From `fetch` on, the view has the UTXO records of the run.
   */
  project(view: View, facts: PrimaryFacts, txs: readonly TxEffects[], network: NetworkInstance): void;
  /** Makes rows that depend on the whole run, after its last facts. */
  finish?(view: View, fetch: Fetch, ranges: Ranges): Promise<void>;
}
