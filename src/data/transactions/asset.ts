/**
 * X-chain transactions in answers: of blocks, or of the vertices of the DAG that came before them. Assets of the genesis are transactions
 * too: of block 0, or of no vertex where the chain began as a DAG.
 */
import type { UtxoReference } from "../../asset/fields.ts";
import { fxOf } from "../../asset/fx/registry.ts";
import { PHASE_DAG } from "../../asset/state.ts";
import { assetChainState, assetTxs } from "../../asset/tables.ts";
import type { UnsignedTx } from "../../asset/tx/registry.ts";
import type { SignedTx } from "../../asset/tx/signed-tx.ts";
import { X_CHAIN } from "../../index/primary/primary-chain.ts";
import { primaryBlocks, transactionVertices } from "../../index/primary/transaction-tables.ts";
import { xChainCodec } from "../../index/primary/utxo-codec.ts";
import { genesisTime } from "../../index/primary/utxo-effects.ts";
import { formatId } from "../../primitives/cb58.ts";
import type { Id } from "../../primitives/id.ts";
import { utxoId } from "../../primitives/utxo-id.ts";
import { scanAll } from "../../store/store.ts";
import { assetDetails } from "../assets/details.ts";
import type { DataContext } from "../context.ts";
import { assetAmounts } from "../utxos/asset-amount.ts";
import type { Utxo } from "../utxos/schemas.ts";
import { type BlockRow, type LoadedTransaction, type ShownTransaction, sumUtxos } from "./loaded.ts";
import type { AssetDetails, AssetTransaction, LinearTransaction, NonLinearTransaction } from "./schemas.ts";

/** Number of the X-chain among the asset chains. */
export const X_CHAIN_NUMBER = 0;

/** Transactions of the genesis may be larger than any other. */
const NO_LIMIT = { limit: Number.MAX_SAFE_INTEGER };

export async function loadAsset(txs: readonly ShownTransaction[], context: DataContext): Promise<(LoadedTransaction<Utxo> | undefined)[]> {
  const rows = await context.reader.getMany(
    assetTxs,
    txs.map(({ txId }) => ({ chain: X_CHAIN_NUMBER, txId })),
  );
  return rows.map((row) => row && load(xChainCodec(context.network).parseTx(row.bytes, NO_LIMIT), row.height, context));
}

/** undefined if no transaction with that ID created an asset */
export async function assetDetailsOf(assetId: Id, context: DataContext): Promise<AssetDetails | undefined> {
  const row = await context.reader.get(assetTxs, { chain: X_CHAIN_NUMBER, txId: assetId });
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
    consumedIds: inputsOf(unsigned).map(({ txId, outputIndex }) => utxoId(txId, outputIndex)),
    emittedIds: Array.from({ length: outputCount(unsigned) }, (_, index) => utxoId(id, index)),
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

/** In the order of credentials: its own, those of operations, or imported ones. */
function inputsOf(unsigned: UnsignedTx): readonly UtxoReference[] {
  switch (unsigned.kind) {
    case "OperationTx":
      return [...unsigned.inputs, ...unsigned.operations.flatMap(({ inputIds }) => inputIds)];
    case "ImportTx":
      return [...unsigned.inputs, ...unsigned.importedInputs];
    default:
      return unsigned.inputs;
  }
}

/** Its own, then exported ones, those that an asset begins with, or those of operations. */
function outputCount(unsigned: UnsignedTx): number {
  const own = unsigned.outputs.length;
  switch (unsigned.kind) {
    case "ExportTx":
      return own + unsigned.exportedOutputs.length;
    case "CreateAssetTx":
      return unsigned.initialStates.reduce((count, { outputs }) => count + outputs.length, own);
    case "OperationTx":
      return unsigned.operations.reduce((count, { operation }) => count + fxOf(operation).produces(operation).length, own);
    default:
      return own;
  }
}

function chainsOf(unsigned: UnsignedTx, { network }: DataContext): { sourceChain?: string; destinationChain?: string } {
  const own = formatId(network.xChainId);
  if (unsigned.kind === "ImportTx") return { sourceChain: formatId(unsigned.sourceChain), destinationChain: own };
  return unsigned.kind === "ExportTx" ? { sourceChain: own, destinationChain: formatId(unsigned.destinationChain) } : {};
}

type Place = { readonly timestamp: bigint } & (
  | Pick<LinearTransaction, "chainFormat" | "blockHeight" | "blockHash">
  | Pick<NonLinearTransaction, "chainFormat" | "vertices">
);

/** What is in a block has its time; what is at height 0 is of the DAG or of the genesis. */
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
