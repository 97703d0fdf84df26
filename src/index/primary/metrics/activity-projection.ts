/** Counts transactions of P, X and C by hour, day, week and month. A block or vertex costs four rows, which those of the same hour share. */
import { rowKey } from "../../../base/table/view.ts";
import { countedSeconds, INTERVALS, intervalStart } from "../../../base/time/intervals.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { PrimaryFacts } from "../facts.ts";
import type { Projection } from "../projection.ts";
import { momentOf } from "../utxos/utxo-effects.ts";
import { primaryActivity } from "./primary-metric-tables.ts";

export const activityProjection: Projection = {
  residentTables: [],

  async fetch(_view, run, fetch, network) {
    await fetch(run.flatMap((facts) => keysOf(facts, network).map((key) => rowKey(primaryActivity, key))));
  },

  project(view, facts, txs, network) {
    for (const key of keysOf(facts, network)) {
      const { transactions } = view.get(primaryActivity, key) ?? { transactions: 0n };
      view.put(primaryActivity, key, { transactions: transactions + BigInt(txs.length) });
    }
  },
};

function keysOf(facts: PrimaryFacts, network: NetworkInstance) {
  if (facts.chain === "shared-memory") return [];
  const seconds = countedSeconds(momentOf(facts, network).timestamp);
  return INTERVALS.map((_, interval) => ({ chain: facts.chain, interval, start: BigInt(intervalStart(interval, seconds)) }));
}
