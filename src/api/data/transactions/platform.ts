/**
 * Presents P-chain transactions. Their bytes say what they consume and create. The index says where they are, what became of stakers, and
 * how L1 validators were after them. Reads are batched: a page costs as many rows as its transactions have UTXOs, and a few per
 * transaction.
 */

import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { utf8 } from "../../../base/bytes/hex.ts";
import { type Id, type NodeId, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID, type ShortId } from "../../../base/bytes/id.ts";
import { utxoId, utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { type TransferableOutput, unlockedInput, unlockedOutput } from "../../../chains/platform/output.ts";
import { platformRewardUtxos, platformTxs } from "../../../chains/platform/tables.ts";
import {
  balancesOf,
  definitionOf,
  inputsOf,
  isOf,
  outputsOf,
  parseTx,
  type SignedTx,
  type UnsignedTx,
} from "../../../chains/platform/tx/registry.ts";
import { toNodeId } from "../../../chains/platform/warp/l1-messages.ts";
import { rewardTxOf } from "../../../index/primary/staking/validation-reader.ts";
import { stakingPlaces } from "../../../index/primary/transactions/transaction-tables.ts";
import { readPlatformTxs } from "../../../index/stored-txs.ts";
import { scanAll } from "../../../store/store.ts";
import { genesisData } from "../blockchains/genesis-data.ts";
import type { DataContext } from "../context.ts";
import { l1Manager, subnetOwnership } from "../subnets/ownership.ts";
import { type AssetSum, describeAssets, presentAmount } from "../utxos/present.ts";
import type { PlatformUtxo } from "../utxos/schemas.ts";
import { readL1TxDetails } from "../validators/l1-tx-details.ts";
import { addressTexts, feePercent } from "../validators/present.ts";
import { type LoadedTransaction, ParsedTxs, type ShownTransaction, sumUtxos, type TransactionUtxos } from "./loaded.ts";
import type { PlatformDetails, PlatformTransaction } from "./schemas.ts";
import { txTypeName } from "./type-names.ts";

/** What the store knows of a transaction beyond its bytes. */
interface PlatformRecord {
  /** undefined if it created none */
  readonly staker: { readonly start: bigint; readonly end: bigint; readonly potentialReward: bigint | undefined } | undefined;
  /** for a staking transaction: the transaction that ended the period */
  readonly rewardTxId: Id | undefined;
  /** the staking transaction that this one names, if any */
  readonly named: UnsignedTx | undefined;
  readonly l1ValidatorDetails: NonNullable<PlatformDetails["l1ValidatorDetails"]>;
}

type Context = Pick<DataContext, "network" | "settings">;
type Presenter<K extends UnsignedTx["kind"]> = (
  tx: Extract<UnsignedTx, { kind: K }>,
  record: PlatformRecord,
  context: Context,
  txId: Id,
) => PlatformDetails;

const none = () => ({});
const l1Details = (_tx: UnsignedTx, { l1ValidatorDetails }: PlatformRecord) => ({ l1ValidatorDetails });

const presenters: { readonly [K in UnsignedTx["kind"]]: Presenter<K> } = {
  AdvanceTimeTx: none,
  BaseTx: none,
  ImportTx: ({ sourceChain }) => ({ sourceChain: formatId(sourceChain), destinationChain: formatId(PLATFORM_CHAIN_ID) }),
  ExportTx: ({ destinationChain }) => ({ sourceChain: formatId(PLATFORM_CHAIN_ID), destinationChain: formatId(destinationChain) }),

  AddValidatorTx: (tx, record, context) => ({
    ...stakerDetails(tx.validator, PRIMARY_NETWORK_ID, record),
    ...rewardDetails(tx.rewardsOwner, record, context),
    delegationFeePercent: feePercent(tx.shares),
  }),
  AddPermissionlessValidatorTx: (tx, record, context) => ({
    ...stakerDetails(tx.validator, tx.subnetId, record),
    ...rewardDetails(tx.validationRewardsOwner, record, context),
    delegationFeePercent: feePercent(tx.shares),
    ...blsCredentials(tx.signer),
  }),
  AddAutoRenewedValidatorTx: (tx, record, context) => ({
    ...stakerDetails({ nodeId: toNodeId(tx.nodeId), start: 0n, end: 0n }, PRIMARY_NETWORK_ID, record),
    ...rewardDetails(tx.validationRewardsOwner, record, context),
    delegationFeePercent: feePercent(tx.delegationShares),
    ...blsCredentials(tx.signer),
    ...(context.settings.hasRealTypeNames && {
      ...renewal(tx),
      validatorAuthority: {
        addresses: addressTexts(tx.validatorAuthority.addresses, context.network),
        threshold: tx.validatorAuthority.threshold,
      },
    }),
  }),
  AddDelegatorTx: (tx, record, context) => ({
    ...stakerDetails(tx.validator, PRIMARY_NETWORK_ID, record),
    ...rewardDetails(tx.rewardsOwner, record, context),
  }),
  AddPermissionlessDelegatorTx: (tx, record, context) => ({
    ...stakerDetails(tx.validator, tx.subnetId, record),
    ...rewardDetails(tx.rewardsOwner, record, context),
  }),
  AddSubnetValidatorTx: (tx, record) => stakerDetails(tx.validator, tx.validator.subnetId, record),
  RemoveSubnetValidatorTx: ({ nodeId, subnetId }) => ({ nodeId: formatNodeId(nodeId), subnetId: formatId(subnetId) }),
  RewardValidatorTx: ({ txId }, { named }) => ({ stakingTxHash: formatId(txId), ...nodeOf(named) }),
  RewardAutoRenewedValidatorTx: ({ txId }, { named }) => ({ stakingTxHash: formatId(txId), ...nodeOf(named) }),
  SetAutoRenewedValidatorConfigTx: (tx, _record, { settings }) =>
    settings.hasRealTypeNames ? { stakingTxHash: formatId(tx.txId), ...renewal(tx) } : {},

  CreateSubnetTx: ({ owner }, _record, context, txId) => ({
    subnetId: formatId(txId),
    subnetOwnershipInfo: subnetOwnership(owner, context),
  }),
  TransferSubnetOwnershipTx: ({ subnetId, newOwner }, _record, context) => ({
    subnetId: formatId(subnetId),
    subnetOwnershipInfo: subnetOwnership(newOwner, context),
  }),
  TransformSubnetTx: ({ subnetId }) => ({ subnetId: formatId(subnetId) }),
  CreateChainTx: ({ subnetId, chainName, vmId, genesisData: bytes }) => ({
    subnetId: formatId(subnetId),
    blockchainInfo: { chainName: utf8(chainName), vmId: formatId(vmId), genesisData: genesisData(bytes, vmId) },
  }),
  ConvertSubnetToL1Tx: ({ subnetId, chainId, address }, { l1ValidatorDetails }) => ({
    subnetId: formatId(subnetId),
    l1ValidatorManagerDetails: l1Manager(chainId, address),
    l1ValidatorDetails,
  }),
  RegisterL1ValidatorTx: l1Details,
  SetL1ValidatorWeightTx: l1Details,
  IncreaseL1ValidatorBalanceTx: l1Details,
  DisableL1ValidatorTx: l1Details,
};

/** Members of P-chain transactions that only some types have. The compiler asks for an entry for each new type. */
function platformDetails({ id, unsigned }: SignedTx, record: PlatformRecord, context: Context): PlatformDetails {
  // A presenter only gets transactions of its own kind, but the compiler cannot see that through a lookup by name.
  return (presenters[unsigned.kind] as Presenter<UnsignedTx["kind"]>)(unsigned, record, context, id);
}

/** The staker's period; for an aborted proposal, which created no staker, the requested one. */
function stakerDetails(
  { nodeId, start, end }: { nodeId: NodeId; start: bigint; end: bigint },
  subnetId: Id,
  { staker }: PlatformRecord,
): PlatformDetails {
  return {
    startTimestamp: Number(staker?.start ?? start),
    endTimestamp: staker?.end ?? end,
    nodeId: formatNodeId(nodeId),
    subnetId: formatId(subnetId),
  };
}

function rewardDetails(
  owner: { addresses: readonly ShortId[] },
  { staker, rewardTxId }: PlatformRecord,
  { network }: Context,
): PlatformDetails {
  return {
    rewardAddresses: addressTexts(owner.addresses, network),
    ...(staker?.potentialReward !== undefined && { estimatedReward: `${staker.potentialReward}` }),
    ...(rewardTxId !== undefined && { rewardTxHash: formatId(rewardTxId) }),
  };
}

type Signer = Extract<UnsignedTx, { kind: "AddPermissionlessValidatorTx" }>["signer"];

function blsCredentials(signer: Signer): PlatformDetails {
  if (signer.kind === "Empty") return {};
  return { blsCredentials: { publicKey: `0x${signer.publicKey}`, proofOfPossession: hex(signer.proofOfPossession) } };
}

function renewal({ period, autoCompoundRewardShares }: { period: bigint; autoCompoundRewardShares: number }): PlatformDetails {
  return { period, autoCompoundRewardShares };
}

/** The node of a staking transaction. */
function nodeOf(staking: UnsignedTx | undefined): PlatformDetails {
  if (staking === undefined) return {};
  if (staking.kind === "AddAutoRenewedValidatorTx") return { nodeId: formatNodeId(toNodeId(staking.nodeId)) };
  return "validator" in staking ? { nodeId: formatNodeId(staking.validator.nodeId) } : {};
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

class ParsedPlatformTxs extends ParsedTxs<SignedTx> {}

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
  const parsed = await context.kept.of(ParsedPlatformTxs).of(txIds, rows, { reader, chainId: PLATFORM_CHAIN_ID, parse: parseTx });
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
