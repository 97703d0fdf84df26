/**
 * Presents transactions by their IDs, in the form of their chain. A page costs a few reads, and as many rows as its transactions have
 * UTXOs.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { primaryBlocks } from "../../../index/primary/transactions/transaction-tables.ts";
import type { AffectedUtxo } from "../../../index/primary/transactions/tx-effects.ts";
import { utxoRecords } from "../../../index/primary/utxos/utxo-tables.ts";
import type { DataContext } from "../context.ts";
import { presentUtxos } from "../utxos/present.ts";
import type { PlatformUtxo, Utxo } from "../utxos/schemas.ts";
import { loadAsset } from "./asset.ts";
import { loadAtomic } from "./atomic.ts";
import type { LoadedTransaction, ShownTransaction } from "./loaded.ts";
import { loadPlatform } from "./platform.ts";
import type { AssetTransaction, AtomicTransaction, PlatformTransaction, Transaction } from "./schemas.ts";

interface PresentLimits {
  /** the page ends with the transaction that reaches this number of UTXOs */
  readonly maxUtxos?: number;
}

export interface TransactionForms {
  readonly [P_CHAIN]: PlatformTransaction;
  readonly [X_CHAIN]: AssetTransaction;
  readonly [C_CHAIN]: AtomicTransaction;
}

type Load = (txs: readonly ShownTransaction[], context: DataContext) => Promise<(LoadedTransaction | undefined)[]>;

const loaders: Readonly<Record<PrimaryChain, Load>> = {
  [P_CHAIN]: loadPlatform as Load,
  [X_CHAIN]: loadAsset as Load,
  [C_CHAIN]: loadAtomic as Load,
};

/** Returns transactions in the given order: all, or the first ones within the limits, at least one. An unknown ID is left out. */
export async function presentTransactions<C extends PrimaryChain>(
  chain: C,
  shown: readonly ShownTransaction[],
  context: DataContext,
  { maxUtxos = Number.POSITIVE_INFINITY }: PresentLimits = {},
): Promise<TransactionForms[C][]> {
  const found = (await loaders[chain](shown, context)).filter((tx) => tx !== undefined);
  const txs = within(found, maxUtxos);
  const [utxos, blocks] = await Promise.all([readUtxos(txs, chain, context), readBlocks(txs, chain, context)]);
  const items = txs.map((tx, i) => {
    const consumed = known(tx.consumedIds, utxos);
    const emitted = known(tx.emittedIds, utxos);
    const forms = { consumedUtxos: consumed.map(({ form }) => form), emittedUtxos: emitted.map(({ form }) => form) };
    return tx.present({ consumed, emitted, ...forms }, blocks[i]);
  });
  return (await Promise.all(items)) as Transaction[] as TransactionForms[C][];
}

function within(txs: readonly LoadedTransaction[], maxUtxos: number): readonly LoadedTransaction[] {
  let utxos = 0;
  const end = txs.findIndex(({ consumedIds, emittedIds }) => {
    utxos += consumedIds.length + emittedIds.length;
    return utxos >= maxUtxos;
  });
  return end === -1 ? txs : txs.slice(0, end + 1);
}

type ShownUtxo = AffectedUtxo & { readonly form: PlatformUtxo | Utxo };

function known(utxoIds: readonly Id[], utxos: ReadonlyMap<Id, ShownUtxo>): ShownUtxo[] {
  return utxoIds.map((utxoId) => utxos.get(utxoId)).filter((utxo) => utxo !== undefined);
}

/** Reads each UTXO once, although one transaction of a page may consume what another emitted. */
async function readUtxos(txs: readonly LoadedTransaction[], chain: PrimaryChain, context: DataContext): Promise<Map<Id, ShownUtxo>> {
  const utxoIds = [...new Set(txs.flatMap(({ consumedIds, emittedIds }) => [...consumedIds, ...emittedIds]))];
  const records = await context.reader.getMany(
    utxoRecords,
    utxoIds.map((utxoId) => ({ utxoId })),
  );
  const utxos = utxoIds.flatMap((utxoId, i) => (records[i] === undefined ? [] : [{ utxoId, record: records[i] }]));
  const forms = await presentUtxos(utxos, chain, context, { inTx: true });
  return new Map(utxos.map(({ utxoId, record }, i) => [utxoId, { utxoId, record, form: forms[i]! }]));
}

/** Many transactions of a page are in the same block. */
async function readBlocks(txs: readonly LoadedTransaction[], chain: PrimaryChain, { reader }: DataContext) {
  const heights = [...new Set(txs.map(({ height }) => height))];
  const rows = await reader.getMany(
    primaryBlocks,
    heights.map((height) => ({ chain, height })),
  );
  return txs.map(({ height }) => rows[heights.indexOf(height)]);
}
