/**
 * Presents X-chain transactions of blocks, or of vertices of the earlier DAG. Assets of the genesis are transactions too: of block 0, or of
 * no vertex if the chain began as a DAG.
 */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { utxoId, utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { PHASE_DAG } from "../../../chains/asset/state.ts";
import { assetChainState, assetTxs } from "../../../chains/asset/tables.ts";
import type { SignedTx, UnsignedTx } from "../../../chains/asset/tx/registry.ts";
import { consumedBy, exportedUtxos, exportOf, importOf, producedHere } from "../../../chains/asset/tx/value.ts";
import { X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { primaryBlocks, transactionVertices } from "../../../index/primary/transactions/transaction-tables.ts";
import { xChainCodec } from "../../../index/primary/utxos/utxo-codec.ts";
import { genesisTime } from "../../../index/primary/utxos/utxo-effects.ts";
import { readAssetTxs } from "../../../index/stored-txs.ts";
import { scanAll } from "../../../store/store.ts";
import { assetDetails } from "../assets/details.ts";
import type { DataContext } from "../context.ts";
import { assetAmounts } from "../utxos/present.ts";
import type { Utxo } from "../utxos/schemas.ts";
import { type BlockRow, type LoadedTransaction, ParsedTxs, type ShownTransaction, sumUtxos } from "./loaded.ts";
import type { AssetDetails, AssetTransaction, LinearTransaction, NonLinearTransaction } from "./schemas.ts";

/** Number of the X-chain among the asset chains. */
export const X_CHAIN_NUMBER = 0;

/** Transactions of the genesis may be larger than any other. */
const NO_LIMIT = { limit: Number.MAX_SAFE_INTEGER };

export async function loadAsset(txs: readonly ShownTransaction[], context: DataContext): Promise<(LoadedTransaction<Utxo> | undefined)[]> {
  const { reader, network } = context;
  const txIds = txs.map(({ txId }) => txId);
  const rows = await reader.getMany(
    assetTxs,
    txIds.map((txId) => ({ chain: X_CHAIN_NUMBER, txId })),
  );
  const parse = (bytes: Uint8Array) => xChainCodec(network).parseTx(bytes, NO_LIMIT);
  const parsed = await context.kept.of(ParsedAssetTxs).of(txIds, rows, { reader, chainId: network.xChainId, parse });
  return parsed.map((tx, i) => tx && load(tx, rows[i]!.height, context));
}

class ParsedAssetTxs extends ParsedTxs<SignedTx> {}

function readTxs(txIds: readonly Id[], { reader, network }: DataContext) {
  return readAssetTxs(reader, { chain: X_CHAIN_NUMBER, chainId: network.xChainId }, txIds);
}

/** undefined if no transaction with that ID created an asset */
export async function assetDetailsOf(assetId: Id, context: DataContext): Promise<AssetDetails | undefined> {
  const [row] = await readTxs([assetId], context);
  if (row === undefined) return undefined;
  const { unsigned } = xChainCodec(context.network).parseTx(row.bytes, NO_LIMIT);
  if (unsigned.kind !== "CreateAssetTx") return undefined;
  const block = await context.reader.get(primaryBlocks, { chain: X_CHAIN, height: row.height });
  const { timestamp } = await placeOf(assetId, row.height, block, context);
  return assetDetails(assetId, unsigned, timestamp);
}

function load(tx: SignedTx, height: bigint, context: DataContext): LoadedTransaction<Utxo> {
  const { id, unsigned } = tx;
  return {
    height,
    consumedIds: consumedBy(unsigned).map(utxoIdOf),
    emittedIds: [...producedHere(tx), ...exportedUtxos(tx)].map((_, index) => utxoId(id, index)),
    async present({ consumed, emitted, consumedUtxos, emittedUtxos }, block): Promise<AssetTransaction> {
      const { timestamp, ...place } = await placeOf(id, height, block, context);
      return {
        txHash: formatId(id),
        timestamp: Number(timestamp),
        txType: unsigned.kind,
        memo: `0x${Buffer.from(unsigned.memo).toString("hex")}`,
        consumedUtxos,
        emittedUtxos,
        amountUnlocked: await assetAmounts(sumUtxos(consumed, context), context),
        amountCreated: await assetAmounts(sumUtxos(emitted, context), context),
        ...chainsOf(unsigned, context),
        ...(unsigned.kind === "CreateAssetTx" && { assetCreated: assetDetails(id, unsigned, timestamp) }),
        ...place,
      };
    },
  };
}

function chainsOf(unsigned: UnsignedTx, { network }: DataContext): { sourceChain?: string; destinationChain?: string } {
  const [own, imports, exports] = [formatId(network.xChainId), importOf(unsigned), exportOf(unsigned)];
  if (imports !== undefined) return { sourceChain: formatId(imports.sourceChain), destinationChain: own };
  return exports === undefined ? {} : { sourceChain: own, destinationChain: formatId(exports.destinationChain) };
}

type Place = { readonly timestamp: bigint } & (
  | Pick<LinearTransaction, "chainFormat" | "blockHeight" | "blockHash">
  | Pick<NonLinearTransaction, "chainFormat" | "vertices">
);

/** A transaction in a block has the block's time. Height 0 means the DAG or the genesis. */
async function placeOf(txId: Id, height: bigint, block: BlockRow | undefined, context: DataContext): Promise<Place> {
  if (height > 0n) return { timestamp: block!.timestamp, ...linear(height, block!) };
  const vertices = [];
  for await (const { value } of scanAll(context.reader, transactionVertices, { txId })) vertices.push(value);
  const timestamp = vertices[0]?.timestamp ?? genesisTime(context.network);
  if (vertices.length === 0 && block !== undefined && !(await beganAsDag(context))) return { timestamp, ...linear(height, block) };
  return {
    timestamp,
    chainFormat: "non-linear",
    vertices: vertices.map(({ vertexId, height, timestamp }) => ({
      hash: formatId(vertexId),
      height: Number(height),
      timestamp: Number(timestamp),
    })),
  };
}

function linear(height: bigint, { blockId }: BlockRow) {
  return { chainFormat: "linear" as const, blockHeight: Number(height), blockHash: formatId(blockId) };
}

async function beganAsDag({ reader }: DataContext): Promise<boolean> {
  const state = await reader.get(assetChainState, { chain: X_CHAIN_NUMBER });
  return state !== undefined && (state.phase === PHASE_DAG || state.vertexCount > 0n);
}
