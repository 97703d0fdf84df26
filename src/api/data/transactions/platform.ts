/**
 * Presents P-chain transactions. Their bytes say what they consume and create. The index says where they are, what became of stakers, and
 * how L1 validators were after them. Reads are batched: a page costs as many rows as its transactions have UTXOs, and a few per
 * transaction.
 */

import { formatId } from "../../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import { utxoId, utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { type TransferableOutput, unlockedInput, unlockedOutput } from "../../../chains/platform/output.ts";
import { platformRewardUtxos, platformTxs } from "../../../chains/platform/tables.ts";
import { definitionOf, isOf, type UnsignedTx } from "../../../chains/platform/tx/registry.ts";
import { parseTx, type SignedTx } from "../../../chains/platform/tx/signed-tx.ts";
import { balancesOf, inputsOf, outputsOf } from "../../../chains/platform/tx/value.ts";
import { rewardTxOf } from "../../../index/primary/staking/validation-reader.ts";
import { stakingPlaces } from "../../../index/primary/transactions/transaction-tables.ts";
import { readPlatformTxs } from "../../../index/stored-txs.ts";
import { scanAll } from "../../../store/store.ts";
import type { DataContext } from "../context.ts";
import { readL1TxDetails } from "../l1-validators/tx-details.ts";
import { type AssetSum, describeAssets, presentAmount } from "../utxos/asset-amount.ts";
import type { PlatformUtxo } from "../utxos/schemas.ts";
import { type LoadedTransaction, type ShownTransaction, sumUtxos, type TransactionUtxos } from "./loaded.ts";
import { ParsedTxs } from "./parsed-txs.ts";
import { type PlatformRecord, platformDetails } from "./platform-details.ts";
import type { PlatformTransaction } from "./schemas.ts";
import { txTypeName } from "./type-names.ts";

const parsedTxs = new ParsedTxs<SignedTx>();

export async function loadPlatform(
  txs: readonly ShownTransaction[],
  context: DataContext,
): Promise<(LoadedTransaction<PlatformUtxo> | undefined)[]> {
  const { reader } = context;
  const txIds = txs.map(({ txId }) => txId);
  const rows = await reader.getMany(
    platformTxs,
    txIds.map((txId) => ({ txId })),
  );
  const parsed = await parsedTxs.of(txIds, rows, { reader, chainId: PLATFORM_CHAIN_ID, parse: parseTx });
  return Promise.all(parsed.map((tx, i) => tx && load(tx, txs[i]!.height ?? rows[i]!.height, context)));
}

async function load(tx: SignedTx, height: bigint, context: DataContext): Promise<LoadedTransaction<PlatformUtxo>> {
  const rewardIds = await rewardsOf(tx, context.reader);
  return {
    height,
    consumedIds: inputsOf(tx.unsigned).map(utxoIdOf),
    emittedIds: [...ownOutputIds(tx), ...rewardIds],
    present: async (utxos, block) => {
      const { timestamp, blockId } = block!;
      const { value, amountBurned, amountStaked, amountL1ValidatorBalanceBurned } = await amountsOf(tx, utxos, rewardIds, context);
      return {
        txHash: formatId(tx.id),
        txType: txTypeName(tx.unsigned.kind, context.settings),
        blockTimestamp: Number(timestamp),
        blockNumber: `${height}`,
        blockHash: formatId(blockId),
        consumedUtxos: utxos.consumedUtxos,
        emittedUtxos: utxos.emittedUtxos,
        value,
        amountBurned,
        amountStaked,
        amountL1ValidatorBalanceBurned,
        memo: "memo" in tx.unsigned ? `0x${Buffer.from(tx.unsigned.memo).toString("hex")}` : "0x",
        ...platformDetails(tx, await readRecord(tx, context), context),
      };
    },
  };
}

/**
 * By index: the transaction's own outputs, then exported or staked ones. A refund of a balance, if there is one, comes after its own
 * outputs.
 */
function ownOutputIds({ id: txId, unsigned }: SignedTx): Id[] {
  const count = outputsOf(unsigned).length + Number(definitionOf(unsigned.kind).mayRefund ?? false);
  return Array.from({ length: count }, (_, index) => utxoId(txId, index));
}

function stakeOutputs(unsigned: UnsignedTx): readonly TransferableOutput[] {
  return isOf("staking", unsigned) ? (definitionOf(unsigned.kind).produced?.(unsigned) ?? []) : [];
}

/** Rewards are UTXOs of the staking transaction, or of the transaction that renewed the staker. */
async function rewardsOf({ id, unsigned }: SignedTx, reader: DataContext["reader"]): Promise<Id[]> {
  const rewarded = unsigned.kind === "RewardValidatorTx" ? unsigned.txId : id;
  if (!isOf("reward", unsigned) && !isOf("staking", unsigned)) return [];
  const ids: Id[] = [];
  for await (const { value } of scanAll(reader, platformRewardUtxos, { txId: rewarded })) ids.push(idOfUtxo(value.bytes));
  return ids;
}

/** A UTXO begins with the transaction and the output index, which give its ID. */
function idOfUtxo(bytes: Uint8Array): Id {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, 36);
  return utxoId(start.toString("hex", 0, 32), start.readUInt32BE(32));
}

type Amounts = Pick<PlatformTransaction, "value" | "amountBurned" | "amountStaked" | "amountL1ValidatorBalanceBurned">;

/** Rewards count in the transaction that paid them. */
async function amountsOf(
  { unsigned }: SignedTx,
  { emitted }: TransactionUtxos<PlatformUtxo>,
  rewardIds: readonly Id[],
  context: DataContext,
): Promise<Amounts> {
  const rewards = new Set(rewardIds);
  const own = isOf("reward", unsigned) ? emitted : emitted.filter(({ utxoId }) => !rewards.has(utxoId));
  const funded = balancesOf(unsigned).reduce((sum, balance) => sum + balance, 0n);
  const avax = context.network.avaxAssetId;
  const value = sumUtxos(own, context);
  const lost = burned(unsigned, funded, avax);
  const staked = positive(stakeOutputs(unsigned).map(({ assetId, output }) => [assetId, unlockedOutput(output).amount]));
  const balances = positive([[avax, funded]]);
  const sums = [value, lost, staked, balances];
  const described = await describeAssets(
    sums.flatMap((some) => some.map(({ assetId }) => assetId)),
    context,
  );
  const amounts = (some: readonly AssetSum[]) => some.map((sum) => presentAmount(sum, described));
  return {
    value: amounts(value),
    amountBurned: amounts(lost),
    amountStaked: amounts(staked),
    amountL1ValidatorBalanceBurned: amounts(balances),
  };
}

/** The inputs that are in no output. */
function burned(unsigned: UnsignedTx, funded: bigint, avaxAssetId: Id): AssetSum[] {
  return positive([
    ...inputsOf(unsigned).map(({ assetId, input }) => [assetId, unlockedInput(input).amount] as const),
    ...outputsOf(unsigned).map(({ assetId, output }) => [assetId, -unlockedOutput(output).amount] as const),
    [avaxAssetId, -funded],
  ]);
}

/** Sums by asset, without those that are 0 or below. */
function positive(amounts: readonly (readonly [Id, bigint])[]): AssetSum[] {
  const sums = new Map<Id, bigint>();
  for (const [assetId, amount] of amounts) sums.set(assetId, (sums.get(assetId) ?? 0n) + amount);
  return [...sums].filter(([, amount]) => amount > 0n).map(([assetId, amount]) => ({ assetId, isNft: false, amount }));
}

async function readRecord({ id, unsigned }: SignedTx, { reader }: DataContext): Promise<PlatformRecord> {
  const [place, [rewardTxId], [named], l1ValidatorDetails] = await Promise.all([
    isOf("staking", unsigned) ? reader.get(stakingPlaces, { txId: id }) : undefined,
    // without a stake there is no reward
    stakeOutputs(unsigned).length > 0 ? rewardTxOf(reader, [id]) : [],
    isOf("reward", unsigned) ? readPlatformTxs(reader, [unsigned.txId]) : [],
    isOf("l1Validator", unsigned) ? readL1TxDetails(reader, id) : [],
  ]);
  return { staker: place?.staker, rewardTxId, named: named && parseTx(named.bytes).unsigned, l1ValidatorDetails };
}
