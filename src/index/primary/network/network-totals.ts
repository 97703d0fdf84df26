/**
 * Keeps the totals from which the AVAX supply is computed: fees burned on each chain, rewards paid, and continuous fees of L1 validators. A
 * block that changes them costs one or two resident rows.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import type { View } from "../../../base/table/view.ts";
import type { PlatformFacts } from "../../../chains/platform/facts.ts";
import { unlockedOutput } from "../../../chains/platform/output.ts";
import { decodeUtxo } from "../../../chains/platform/state/utxo-bytes.ts";
import type { PrimaryFacts } from "../facts.ts";
import { isCharged, l1Balance } from "../l1s/l1-balance.ts";
import { P_CHAIN, type PrimaryChain, X_CHAIN } from "../primary-chain.ts";
import type { Projection } from "../projection.ts";
import { burnedByAtomicTx, burnedOnAssetChain, burnedOnPlatform } from "./network-burned.ts";
import { burnedFees, type SupplyTotals, supplyTotals } from "./network-tables.ts";

export const networkTotals: Projection = {
  residentTables: [burnedFees, supplyTotals],

  async fetch() {},

  project(view, item, _txs, { avaxAssetId }) {
    if (item.chain === "shared-memory") return;
    addBurned(view, item.chain, burnedBy(item, avaxAssetId), heightOf(item));
    if (item.chain === P_CHAIN) addPlatformTotals(view, item.facts);
  },
};

type ChainFacts = Exclude<PrimaryFacts, { chain: "shared-memory" }>;

function burnedBy(item: ChainFacts, avaxAssetId: Id): bigint {
  let burned = 0n;
  if (item.chain === P_CHAIN) {
    // the stake of genesis was never consumed
    if (item.facts.height === 0n) return 0n;
    for (const event of item.facts.events) if (event.kind === "tx") burned += burnedOnPlatform(event.tx.unsigned, avaxAssetId);
  } else if (item.chain === X_CHAIN) {
    for (const { tx } of item.facts.txs) burned += burnedOnAssetChain(tx, avaxAssetId);
  } else {
    for (const tx of item.facts.atomicTxs) burned += burnedByAtomicTx(tx, avaxAssetId);
  }
  return burned;
}

/** Height of the block; 0 for vertices. */
function heightOf(item: ChainFacts): bigint {
  return item.chain === X_CHAIN ? (item.facts.block?.height ?? 0n) : item.facts.height;
}

function addBurned(view: View, chain: PrimaryChain, burned: bigint, height: bigint): void {
  if (burned === 0n) return;
  const before = view.get(burnedFees, { chain })?.amount ?? 0n;
  view.put(burnedFees, { chain }, { amount: before + burned, height });
}

export const NO_TOTALS: SupplyTotals = { rewards: 0n, l1Fees: 0n, l1Balances: 0n, l1ActiveCount: 0, accruedFees: 0n, height: 0n };

function addPlatformTotals(view: View, { events, height }: PlatformFacts): void {
  const before = view.get(supplyTotals, { slot: 0 }) ?? NO_TOTALS;
  let totals = before;
  for (const event of events) {
    if (event.kind === "reward" && event.staker.subnetId === PRIMARY_NETWORK_ID) {
      totals = { ...totals, rewards: totals.rewards + unlockedOutput(decodeUtxo(event.utxo.bytes).output).amount };
    } else if (event.kind === "l1-validator") {
      totals = settled(totals, event.accruedFees);
      const balance = l1Balance(event.before, event.accruedFees);
      const change = l1Balance(event.after, event.accruedFees) - balance;
      const activeChange = Number(isCharged(event.after)) - Number(isCharged(event.before));
      totals = { ...totals, l1Balances: totals.l1Balances + change, l1ActiveCount: totals.l1ActiveCount + activeChange };
      // A validator that ran out paid only what it had. Its balance is then at most 0: the amount that was charged too much.
      if (event.txId === undefined) totals = { ...totals, l1Fees: totals.l1Fees + balance };
    }
  }
  if (totals !== before) view.put(supplyTotals, { slot: 0 }, { ...totals, height });
}

/** The totals after all active validators were charged up to `accruedFees`; each pays the same. */
export function settled(totals: SupplyTotals, accruedFees: bigint): SupplyTotals {
  const charged = BigInt(totals.l1ActiveCount) * (accruedFees - totals.accruedFees);
  return { ...totals, l1Fees: totals.l1Fees + charged, l1Balances: totals.l1Balances - charged, accruedFees };
}
