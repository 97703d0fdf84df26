/**
 * Keeps the totals from which the AVAX supply is computed: fees burned on each chain, rewards paid, and continuous fees of L1 validators. A
 * block that changes them costs one or two resident rows.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import type { View } from "../../../base/table/view.ts";
import type { SignedTx as AssetTx } from "../../../chains/asset/tx/registry.ts";
import type { AtomicTx } from "../../../chains/atomic/tx.ts";
import type { PlatformFacts } from "../../../chains/platform/facts.ts";
import { unlockedInput, unlockedOutput } from "../../../chains/platform/output.ts";
import { decodeUtxo } from "../../../chains/platform/state/ledger-state.ts";
import { balancesOf, inputsOf, outputsOf, type UnsignedTx } from "../../../chains/platform/tx/registry.ts";
import type { PrimaryFacts } from "../facts.ts";
import { isCharged, l1Balance } from "../l1s/l1-balance.ts";
import { P_CHAIN, type PrimaryChain, X_CHAIN } from "../primary-chain.ts";
import type { Projection } from "../projection.ts";
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

/** AVAX that a transaction burned: what it consumed minus what it produced, staked, exported or added to balances of L1 validators. */
export function burnedOnPlatform(tx: UnsignedTx, avaxAssetId: Id): bigint {
  if (!("inputs" in tx)) return 0n;
  const isAvax = ({ assetId }: { readonly assetId: Id }) => assetId === avaxAssetId;
  const inputs = inputsOf(tx).filter(isAvax);
  const outputs = outputsOf(tx).filter(isAvax);
  const consumed = sum(inputs.map(({ input }) => unlockedInput(input).amount));
  return consumed - sum(outputs.map(({ output }) => unlockedOutput(output).amount)) - sum(balancesOf(tx));
}

/** Operations are left out: they mint other assets or move outputs without an amount. */
export function burnedOnAssetChain({ unsigned: tx }: AssetTx, avaxAssetId: Id): bigint {
  const inputs = [...tx.inputs, ...("importedInputs" in tx ? tx.importedInputs : [])];
  const outputs = [...tx.outputs, ...("exportedOutputs" in tx ? tx.exportedOutputs : [])];
  const amount = ({ assetId, body }: { readonly assetId: Id; readonly body: object }) =>
    assetId === avaxAssetId && "amount" in body ? (body.amount as bigint) : 0n;
  const consumed = sum(inputs.map(({ assetId, input }) => amount({ assetId, body: input })));
  return consumed - sum(outputs.map(({ assetId, output }) => amount({ assetId, body: output })));
}

/** The fee of an atomic transaction on the C-chain. Fees of EVM transactions are not known here. */
export function burnedByAtomicTx({ unsigned: tx }: AtomicTx, avaxAssetId: Id): bigint {
  const isAvax = ({ assetId }: { readonly assetId: Id }) => assetId === avaxAssetId;
  if (tx.kind === "ImportTx") {
    return (
      sum(tx.importedInputs.filter(isAvax).map(({ input }) => input.amount)) - sum(tx.outputs.filter(isAvax).map(({ amount }) => amount))
    );
  }
  return (
    sum(tx.inputs.filter(isAvax).map(({ amount }) => amount)) - sum(tx.exportedOutputs.filter(isAvax).map(({ output }) => output.amount))
  );
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
