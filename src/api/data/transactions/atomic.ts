/** Presents atomic transactions of the C-chain: exports from accounts into UTXOs, and imports of UTXOs into accounts. */

import { formatId } from "../../../base/bytes/cb58.ts";
import { formatEvmAddress } from "../../../base/bytes/evm-address.ts";
import { utxoId, utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { atomicTxs } from "../../../chains/atomic/tables.ts";
import { type AtomicTx, parseAtomicTx } from "../../../chains/atomic/tx.ts";
import type { DataContext } from "../context.ts";
import { readCredential } from "../utxos/credentials.ts";
import { assetAmount, assetAmounts, sumByAsset } from "../utxos/present.ts";
import type { Utxo } from "../utxos/schemas.ts";
import { type BlockRow, type LoadedTransaction, type ShownTransaction, sumUtxos, type TransactionUtxos } from "./loaded.ts";
import type { AtomicTransaction } from "./schemas.ts";

export async function loadAtomic(txs: readonly ShownTransaction[], context: DataContext): Promise<(LoadedTransaction<Utxo> | undefined)[]> {
  const rows = await context.reader.getMany(
    atomicTxs,
    txs.map(({ txId }) => ({ txId })),
  );
  return rows.map((row) => row && load(parseAtomicTx(row.bytes), row.height, context));
}

function load(tx: AtomicTx, height: bigint, context: DataContext): LoadedTransaction<Utxo> {
  const { id, unsigned } = tx;
  const isImport = unsigned.kind === "ImportTx";
  return {
    height,
    consumedIds: isImport ? unsigned.importedInputs.map(utxoIdOf) : [],
    emittedIds: isImport ? [] : unsigned.exportedOutputs.map((_, index) => utxoId(id, index)),
    present: (utxos, block) => present(tx, { height, block: block! }, utxos, context),
  };
}

async function present(
  tx: AtomicTx,
  { height, block }: { height: bigint; block: BlockRow },
  { consumed, emitted, consumedUtxos, emittedUtxos }: TransactionUtxos<Utxo>,
  context: DataContext,
): Promise<AtomicTransaction> {
  const { id, unsigned } = tx;
  const own = formatId(context.network.cChainId);
  const accounts = unsigned.kind === "ImportTx" ? unsigned.outputs : unsigned.inputs;
  const amountOfAccounts = await assetAmounts(sumByAsset(accounts.map((account) => ({ ...account, kind: "transfer" }))), context);
  const amountOfUtxos = await assetAmounts(sumUtxos([...consumed, ...emitted], context), context);
  const assets = await Promise.all(accounts.map(({ assetId, amount }) => assetAmount(assetId, amount, context)));
  const common = {
    txHash: formatId(id),
    blockHeight: Number(height),
    blockHash: `0x${block.blockId}`,
    timestamp: Number(block.timestamp),
    memo: "0x",
  };
  if (unsigned.kind === "ImportTx") {
    return {
      ...common,
      ...{ amountUnlocked: amountOfUtxos, amountCreated: amountOfAccounts },
      ...{ sourceChain: formatId(unsigned.sourceChain), destinationChain: own },
      txType: "ImportTx",
      evmOutputs: unsigned.outputs.map(({ address }, i) => ({ toAddress: formatEvmAddress(address), asset: assets[i]! })),
      consumedUtxos,
    };
  }
  return {
    ...common,
    ...{ amountUnlocked: amountOfAccounts, amountCreated: amountOfUtxos },
    ...{ sourceChain: own, destinationChain: formatId(unsigned.destinationChain) },
    txType: "ExportTx",
    evmInputs: unsigned.inputs.map(({ address }, i) => ({
      fromAddress: formatEvmAddress(address),
      asset: assets[i]!,
      credentials: readCredential(tx, i),
    })),
    emittedUtxos,
  };
}
