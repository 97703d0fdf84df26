/**
 * Makes the Data API's index of P, X and C. Steps add the facts of what they executed, undone with the view; before the commit, `flush` has
 * all projections make their rows from them, in the same view and so in the same commit as the state.
 */
import type { NetworkInstance } from "../../network/network.ts";
import type { View } from "../../primitives/view.ts";
import type { PrimaryFacts } from "./facts.ts";
import type { Fetch, Projection } from "./projection.ts";
import { applyUtxos } from "./utxo-effects.ts";

export class PrimaryIndex {
  readonly #view: View;
  readonly #network: NetworkInstance;
  readonly #projections: readonly Projection[];
  /** since the last flush */
  #run: PrimaryFacts[] = [];

  constructor(view: View, network: NetworkInstance, projections: readonly Projection[]) {
    this.#view = view;
    this.#network = network;
    this.#projections = projections;
  }

  /** Takes the facts of a step that is being run. */
  add(facts: PrimaryFacts): void {
    if (this.#projections.length === 0) return;
    this.#run.push(facts);
    this.#view.onRollback(() => this.#run.pop());
  }

  /** Makes the rows of everything added. Call it when no step can be undone any more; if it fails, the view is of no use. */
  async flush(fetch: Fetch): Promise<void> {
    const run = this.#run;
    this.#run = [];
    if (run.length === 0) return;
    const effects = await applyUtxos(this.#view, run, fetch, this.#network);
    for (const projection of this.#projections) await projection.fetch(this.#view, run, fetch, this.#network);
    for (const [i, facts] of run.entries()) {
      for (const projection of this.#projections) projection.project(this.#view, facts, effects[i]!, this.#network);
    }
  }
}
