/**
 * The P-chain's state rows (chain-rules 3). Table IDs 100–149. Resident tables are loaded completely when ingest starts and are held in
 * memory; rows of the others are fetched per batch, as `keysRead` names them.
 */
import { bool, bytes, list, optional, str, struct, u8, u32, u64 } from "../../base/codec/codec.ts";
import { blsPublicKey, id, shortId, storedTxColumns, type TableValue, table } from "../../base/table/table.ts";

/** Owner of rewards or subnets, as in the transaction. */
const owner = struct({ locktime: u64, threshold: u32, addresses: list(shortId) });
/** Owner of an L1 validator's balance or deactivation right, without locktime. */
const l1Owner = struct({ threshold: u32, addresses: list(shortId) });

/** The chain's scalars, one row (slot 0). Resident. */
export const platformChain = table({
  id: 100,
  name: "platform_chain",
  key: { slot: u8 },
  value: {
    height: u64,
    lastAccepted: id,
    /** chain time, Unix seconds */
    timestamp: u64,
    feeCapacity: u64,
    feeExcess: u64,
    l1Excess: u64,
    /** nAVAX that an L1 validator active since Etna would have paid */
    accruedFees: u64,
  },
});

/** Current supply of the primary network (nAVAX) and of elastic subnets. Resident. */
export const platformSupplies = table({ id: 101, name: "platform_supplies", key: { subnetId: id }, value: { supply: u64 } });

/** Current and pending stakers, by the transaction that added them (chain-rules 3.1). Resident. */
export const platformStakers = table({
  id: 102,
  name: "platform_stakers",
  key: { txId: id },
  value: {
    isCurrent: bool,
    nodeId: shortId,
    subnetId: id,
    publicKey: optional(blsPublicKey),
    weight: u64,
    startTime: u64,
    endTime: u64,
    potentialReward: u64,
    /** 1..11, chain-rules 3.1 */
    priority: u8,
    /** the staking transaction without inputs, memo and signatures: reward owners, shares and stake outputs are read from it */
    tx: bytes,
  },
});

/** Rewards that a current validator has accrued (chain-rules 3, "staking info"). Each current validator has a row. Resident. */
export const platformStakingInfo = table({
  id: 103,
  name: "platform_staking_info",
  key: { subnetId: id, nodeId: shortId },
  value: {
    delegateeReward: u64,
    accruedValidationRewards: u64,
    accruedDelegateeRewards: u64,
    autoCompoundRewardShares: u32,
    nextPeriod: u64,
  },
});

/** L1 validators, active and inactive (chain-rules 3.2). Resident. */
export const platformL1Validators = table({
  id: 104,
  name: "platform_l1_validators",
  key: { validationId: id },
  value: {
    subnetId: id,
    nodeId: shortId,
    publicKey: blsPublicKey,
    remainingBalanceOwner: l1Owner,
    deactivationOwner: l1Owner,
    startTime: u64,
    weight: u64,
    minNonce: u64,
    /** 0 if inactive */
    endAccumulatedFee: u64,
  },
});

/** Used RegisterL1Validator messages that have not expired, as replay protection. Resident. */
export const platformExpiries = table({ id: 105, name: "platform_expiries", key: { timestamp: u64, validationId: id }, value: {} });

/** Subnets, without the primary network. Resident. */
export const platformSubnets = table({
  id: 106,
  name: "platform_subnets",
  key: { subnetId: id },
  value: {
    /** 0, 1, 2 … in order of creation */
    sequence: u64,
    owner,
    /** the signed TransformSubnetTx of an elastic subnet, with codec version; the API returns its ID */
    transformation: optional(bytes),
    conversion: optional(struct({ conversionId: id, managerChainId: id, managerAddress: bytes })),
  },
});

/** Blockchains except P. Their genesis is in their CreateChainTx. Resident. */
export const platformChains = table({
  id: 107,
  name: "platform_chains",
  key: { chainId: id },
  value: { sequence: u64, subnetId: id, name: str, vmId: id, fxIds: list(id) },
});

/** The UTXO set. `bytes` is the UTXO without codec version. */
export const platformUtxos = table({ id: 108, name: "platform_utxos", key: { utxoId: id }, value: { bytes, rank: u64 } });

/** Status of a decided transaction. */
export const TX_COMMITTED = 4;
export const TX_ABORTED = 5;

/** Decided transactions. One that was proposed again is that of its last block. `stored-tx.ts` says where its bytes are. */
export const platformTxs = table({
  id: 109,
  name: "platform_txs",
  key: { txId: id },
  value: { height: u64, status: u8, ...storedTxColumns },
});

/** Reward UTXOs (not returned stake) by the transaction that names them, in order of payment. */
export const platformRewardUtxos = table({ id: 110, name: "platform_reward_utxos", key: { txId: id, index: u32 }, value: { bytes } });

const member = optional(struct({ weight: u64, publicKey: optional(blsPublicKey) }));

/**
 * Changes of validator sets (chain-rules 13.2): the member before and after block `height`; absent means not a member. Rows of recent
 * heights are also kept in memory for warp verification.
 */
export const platformValidatorDiffs = table({
  id: 111,
  name: "platform_validator_diffs",
  key: { subnetId: id, height: u64, nodeId: shortId },
  value: { before: member, after: member },
});

export type StakerRow = TableValue<typeof platformStakers>;
export type L1ValidatorRow = TableValue<typeof platformL1Validators>;
export type SubnetRow = TableValue<typeof platformSubnets>;
export type ValidatorMember = NonNullable<TableValue<typeof platformValidatorDiffs>["after"]>;

/** Loaded completely when ingest starts. */
export const residentTables = [
  platformChain,
  platformSupplies,
  platformStakers,
  platformStakingInfo,
  platformL1Validators,
  platformExpiries,
  platformSubnets,
  platformChains,
] as const;
