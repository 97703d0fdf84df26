/** Members of P-chain transactions that only some types have. The compiler asks for an entry for each new type. */

import { formatId } from "../../../base/bytes/cb58.ts";
import { type Id, type NodeId, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID, type ShortId } from "../../../base/bytes/id.ts";
import { formatNodeId } from "../../../base/bytes/node-id.ts";
import { utf8 } from "../../../base/bytes/utf8.ts";
import type { UnsignedTx } from "../../../chains/platform/tx/registry.ts";
import type { SignedTx } from "../../../chains/platform/tx/signed-tx.ts";
import { toNodeId } from "../../../chains/platform/warp/l1-messages.ts";
import { genesisData } from "../blockchains/genesis-data.ts";
import type { DataContext } from "../context.ts";
import { l1Manager, subnetOwnership } from "../subnets/ownership.ts";
import { addressTexts, feePercent } from "../validators/present.ts";
import type { PlatformDetails } from "./schemas.ts";

/** What the store knows of a transaction beyond its bytes. */
export interface PlatformRecord {
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

export function platformDetails({ id, unsigned }: SignedTx, record: PlatformRecord, context: Context): PlatformDetails {
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
