/**
 * Stakers and rewards: validations and delegations from their transaction to their end, with promised and paid rewards. Only one row of
 * totals stays in memory; the rows that events name are fetched per batch. An event costs about 15 rows.
 */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { type RowKey, rowKey } from "../../../base/table/view.ts";
import type { PlatformEvent, PlatformFacts, TxEvent } from "../../../chains/platform/facts.ts";
import { isValidator, type Staker } from "../../../chains/platform/state/staker.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { P_CHAIN } from "../primary-chain.ts";
import type { Projection } from "../projection.ts";
import { stakingPlaces } from "../transactions/transaction-tables.ts";
import type { TxEffects } from "../transactions/tx-effects.ts";
import { decodeOutput } from "../utxos/utxo-codec.ts";
import { type ListingOf, StakingChanges } from "./staking-changes.ts";
import { currentValidations, delegations, nodeSequences, stakingTotals, validations } from "./staking-tables.ts";

export const stakingProjection: Projection = {
  residentTables: [stakingTotals],

  async fetch(view, run, fetch) {
    const events = run.flatMap((facts) => (facts.chain === P_CHAIN ? facts.facts.events : []));
    const keys = events.flatMap(rowsOf);
    if (keys.length === 0) return;
    await fetch(keys);
    // Also fetch the validators of the delegators, unless they are added in this run.
    const current = keys.filter(({ table }) => table === currentValidations);
    const known = current.map(({ key }) => view.get(currentValidations, key as { subnetId: Id; nodeId: string }));
    await fetch(known.flatMap((row) => (row === undefined ? [] : [rowKey(validations, { txId: row.txId })])));
  },

  project(view, facts, txs, network) {
    if (facts.chain !== P_CHAIN || !facts.facts.events.some(concernsStakers)) return;
    const changes = new StakingChanges(view, facts.facts, listings(facts.facts, txs, network));
    for (const event of facts.facts.events) changes.apply(event);
    changes.finish();
  },
};

/** The rows that applying an event reads. */
function rowsOf(event: PlatformEvent): RowKey[] {
  switch (event.kind) {
    case "staker-added":
      return isValidator(event.staker) ? [rowKey(nodeSequences, { nodeId: event.staker.nodeId })] : [currentOf(event.staker)];
    case "staker-promoted":
      return recordsOf(event.staker);
    case "staker-renewed":
      return recordsOf(event.before);
    case "staker-left":
      return [...recordsOf(event.staker), rowKey(stakingPlaces, { txId: event.staker.txId })];
    case "reward":
      return recordsOf(event.staker);
    default:
      return [];
  }
}

function recordsOf(staker: Staker): RowKey[] {
  const { txId } = staker;
  return isValidator(staker) ? [rowKey(validations, { txId })] : [rowKey(delegations, { txId }), currentOf(staker)];
}

function currentOf({ subnetId, nodeId }: Staker): RowKey {
  return rowKey(currentValidations, { subnetId, nodeId });
}

function concernsStakers({ kind }: PlatformEvent): boolean {
  return kind === "reward" || kind.startsWith("staker-");
}

/** Positions and addresses of the block's staking transactions. */
function listings({ events, timestamp }: PlatformFacts, txs: readonly TxEffects[], network: NetworkInstance): ListingOf {
  const decided = new Map<Id, TxEvent>();
  for (const event of events) if (event.kind === "tx") decided.set(event.tx.id, event);
  const effects = new Map(txs.map((tx) => [tx.txId, tx]));
  return (txId) => {
    const { height } = decided.get(txId)!;
    return { timestamp, height, addresses: addressesOf(effects.get(txId), network) };
  };
}

function addressesOf(effects: TxEffects | undefined, network: NetworkInstance): ShortId[] {
  const addresses = new Set<ShortId>();
  for (const { record } of [...(effects?.consumed ?? []), ...(effects?.produced ?? [])]) {
    for (const address of decodeOutput(record, network).addresses) addresses.add(address);
  }
  return [...addresses];
}
