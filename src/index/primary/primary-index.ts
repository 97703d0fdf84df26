/**
 * Makes the Data API's index of P, X and C. Each step of ingest adds the facts of what it executed; undoing the view drops them again.
 * Before the commit, `flush` runs all projections on these facts in the same view, so state and index are one commit.
 */

import type { View } from "../../base/table/view.ts";
import { Breaks } from "../../base/work/pause.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { Ranges } from "../packed-list.ts";
import type { PrimaryFacts } from "./facts.ts";
import type { Fetch, Projection } from "./projection.ts";
import { applyUtxos } from "./utxos/utxo-effects.ts";

export class PrimaryIndex {
  readonly #view: View;
  readonly #network: NetworkInstance;
  readonly #projections: readonly Projection[];
  /** facts since the last flush */
  #run: PrimaryFacts[] = [];

  constructor(view: View, network: NetworkInstance, projections: readonly Projection[]) {
    this.#view = view;
    this.#network = network;
    this.#projections = projections;
  }

  /** Adds the facts of the current step. */
  add(facts: PrimaryFacts): void {
    if (this.#projections.length === 0) return;
    this.#run.push(facts);
    this.#view.onRollback(() => this.#run.pop());
  }

  /** Makes the rows of everything added. Call it once no step can be undone any more. If it fails, the view must be thrown away. */
  async flush(fetch: Fetch, ranges: Ranges): Promise<void> {
    const run = this.#run;
    this.#run = [];
    if (run.length === 0) return;
    const effects = await applyUtxos(this.#view, run, { fetch, ranges }, this.#network);
    for (const projection of this.#projections) await projection.fetch(this.#view, run, fetch, this.#network);
    const breaks = new Breaks();
    for (const [i, facts] of run.entries()) {
      await breaks.take();
      for (const projection of this.#projections) projection.project(this.#view, facts, effects[i]!, this.#network);
    }
    for (const projection of this.#projections) await projection.finish?.(this.#view, fetch, ranges);
  }
}
