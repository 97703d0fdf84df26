/**
 * P-chain transactions in answers. Their bytes say what they consume and make; the index says where they stand, what became of stakers,
 * and how L1 validators were after them. Read in batches: a page costs as many rows as its transactions have UTXOs, and a few per transaction.
 */
import { l1ValidatorTypes, stakingTypes } from "../../index/primary/transaction-classes.ts";
import { stakingPlaces } from "../../index/primary/transaction-tables.ts";
import { rewardTxOf } from "../../index/primary/validation-reader.ts";
import { type TransferableInput, type TransferableOutput, unlockedInput, unlockedOutput } from "../../platform/output.ts";
import { platformRewardUtxos, platformTxs } from "../../platform/tables.ts";
import { inputId } from "../../platform/tx/base.ts";
import type { UnsignedTx } from "../../platform/tx/registry.ts";
import { parseTx, type SignedTx } from "../../platform/tx/signed-tx.ts";
import { formatId } from "../../primitives/cb58.ts";
import type { Id } from "../../primitives/id.ts";
import type { TableValue } from "../../primitives/table.ts";
import { utxoId } from "../../primitives/utxo-id.ts";
import { scanAll } from "../../store/store.ts";
import type { DataContext } from "../context.ts";
import { readL1TxDetails } from "../l1-validators/tx-details.ts";
import { type AssetSum, assetAmounts } from "../utxos/asset-amount.ts";
import type { PlatformUtxo } from "../utxos/schemas.ts";
import { type LoadedTransaction, type ShownTransaction, sumUtxos, type TransactionUtxos } from "./loaded.ts";
import { type PlatformRecord, platformDetails } from "./platform-details.ts";
import type { PlatformTransaction } from "./schemas.ts";
import { txTypeName } from "./type-names.ts";

type TxRow = TableValue<typeof platformTxs>;

const staking: ReadonlySet<string> = new Set(stakingTypes);

/** Types that the rows of L1 validators know. */
const aboutL1: ReadonlySet<string> = new Set(l1ValidatorTypes);

export async function loadPlatform(
  txs: readonly ShownTransaction[],
  context: DataContext,
): Promise<(LoadedTransaction<PlatformUtxo> | undefined)[]> {
  const rows = await context.reader.getMany(
    platformTxs,
    txs.map(({ txId }) => ({ txId })),
  );
  return Promise.all(rows.map((row, i) => row && load({ ...row, height: txs[i]!.height ?? row.height }, context)));
}

async function load({ bytes, height }: TxRow, context: DataContext): Promise<LoadedTransaction<PlatformUtxo>> {
  const tx = parseTx(bytes);
  const rewardIds = await rewardsOf(tx, context.reader);
  return {
    height,
    consumedIds: inputsOf(tx.unsigned).map(inputId),
    emittedIds: [...ownOutputIds(tx), ...rewardIds],
    present: async (utxos, block) => {
      const { timestamp, blockId } = block!;
      return {
        txHash: formatId(tx.id),
        txType: txTypeName(tx.unsigned.kind, context.settings),
        blockTimestamp: Number(timestamp),
        blockNumber: `${height}`,
        blockHash: formatId(blockId),
        consumedUtxos: utxos.consumedUtxos,
        emittedUtxos: utxos.emittedUtxos,
        ...(await amountsOf(tx, utxos, rewardIds, context)),
        memo: "memo" in tx.unsigned ? `0x${Buffer.from(tx.unsigned.memo).toString("hex")}` : "0x",
        ...platformDetails(tx, await readRecord(tx, context), context),
      };
    },
  };
}

/** Imported ones after its own. */
function inputsOf(unsigned: UnsignedTx): readonly TransferableInput[] {
  if (!("inputs" in unsigned)) return [];
  return unsigned.kind === "ImportTx" ? [...unsigned.inputs, ...unsigned.importedInputs] : unsigned.inputs;
}

/** By index: own, then exported or staked ones; what is paid back of a balance comes after the own ones, if there is any. */
function ownOutputIds({ id: txId, unsigned }: SignedTx): Id[] {
  if (!("outputs" in unsigned)) return [];
  const mayRefund = unsigned.kind === "DisableL1ValidatorTx" || unsigned.kind === "SetL1ValidatorWeightTx";
  const count = unsigned.outputs.length + exportedOutputs(unsigned).length + stakeOutputs(unsigned).length + Number(mayRefund);
  return Array.from({ length: count }, (_, index) => utxoId(txId, index));
}

function exportedOutputs(unsigned: UnsignedTx): readonly TransferableOutput[] {
  return unsigned.kind === "ExportTx" ? unsigned.exportedOutputs : [];
}

function stakeOutputs(unsigned: UnsignedTx): readonly TransferableOutput[] {
  return "stake" in unsigned ? unsigned.stake : [];
}

/** Rewards are UTXOs of the staking transaction, or of the one that renewed the staker. */
async function rewardsOf({ id, unsigned }: SignedTx, reader: DataContext["reader"]): Promise<Id[]> {
  const rewarded = unsigned.kind === "RewardValidatorTx" ? unsigned.txId : id;
  if (unsigned.kind !== "RewardValidatorTx" && unsigned.kind !== "RewardAutoRenewedValidatorTx" && !staking.has(unsigned.kind)) return [];
  const ids: Id[] = [];
  for await (const { value } of scanAll(reader, platformRewardUtxos, { txId: rewarded })) ids.push(idOfUtxo(value.bytes));
  return ids;
}

/** A UTXO begins with the transaction and the index that name it. */
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
  const own = isReward(unsigned) ? emitted : emitted.filter(({ utxoId }) => !rewards.has(utxoId));
  const amounts = (sums: readonly AssetSum[]) => assetAmounts(sums, context);
  const funded = fundedBalances(unsigned);
  const avax = context.network.avaxAssetId;
  return {
    value: await amounts(sumUtxos(own, context)),
    amountBurned: await amounts(burned(unsigned, funded, avax)),
    amountStaked: await amounts(positive(stakeOutputs(unsigned).map(({ assetId, output }) => [assetId, unlockedOutput(output).amount]))),
    amountL1ValidatorBalanceBurned: await amounts(positive([[avax, funded]])),
  };
}

function isReward({ kind }: UnsignedTx): boolean {
  return kind === "RewardValidatorTx" || kind === "RewardAutoRenewedValidatorTx";
}

/** What became balances of L1 validators, nAVAX. */
function fundedBalances(unsigned: UnsignedTx): bigint {
  if (unsigned.kind === "ConvertSubnetToL1Tx") return unsigned.validators.reduce((sum, { balance }) => sum + balance, 0n);
  return unsigned.kind === "RegisterL1ValidatorTx" || unsigned.kind === "IncreaseL1ValidatorBalanceTx" ? unsigned.balance : 0n;
}

/** What went in and did not come out. */
function burned(unsigned: UnsignedTx, funded: bigint, avaxAssetId: Id): AssetSum[] {
  const outputs = "outputs" in unsigned ? [...unsigned.outputs, ...exportedOutputs(unsigned), ...stakeOutputs(unsigned)] : [];
  return positive([
    ...inputsOf(unsigned).map(({ assetId, input }) => [assetId, unlockedInput(input).amount] as const),
    ...outputs.map(({ assetId, output }) => [assetId, -unlockedOutput(output).amount] as const),
    [avaxAssetId, -funded],
  ]);
}

/** Sums by asset, those above 0. */
function positive(amounts: readonly (readonly [Id, bigint])[]): AssetSum[] {
  const sums = new Map<Id, bigint>();
  for (const [assetId, amount] of amounts) sums.set(assetId, (sums.get(assetId) ?? 0n) + amount);
  return [...sums].filter(([, amount]) => amount > 0n).map(([assetId, amount]) => ({ assetId, isNft: false, amount }));
}

async function readRecord({ id, unsigned }: SignedTx, { reader }: DataContext): Promise<PlatformRecord> {
  const isStaking = staking.has(unsigned.kind);
  const [place, [rewardTxId], named, l1ValidatorDetails] = await Promise.all([
    isStaking ? reader.get(stakingPlaces, { txId: id }) : undefined,
    isStaking && unsigned.kind !== "AddSubnetValidatorTx" ? rewardTxOf(reader, [id]) : [],
    isReward(unsigned) ? reader.get(platformTxs, { txId: (unsigned as { txId: Id }).txId }) : undefined,
    aboutL1.has(unsigned.kind) ? readL1TxDetails(reader, id) : [],
  ]);
  return { staker: place?.staker, rewardTxId, named: named && parseTx(named.bytes).unsigned, l1ValidatorDetails };
}
