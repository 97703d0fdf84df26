/**
 * Stakers of all subnets and their rewards, for the Data API. Table IDs 240–259. There are records by transaction, and lists whose keys
 * have the order of their pages. `scope` says what a list covers (`staking-scope.ts`). `height` is that of the block with the staking
 * transaction.
 */
import { bool, bytes, list, optional, struct, u8, u16, u32, u64 } from "../../../base/codec/codec.ts";
import { blsPublicKey, id, shortId, type TableValue, table } from "../../../base/table/table.ts";

/** Values of `status`. */
export const PENDING = 0;
export const ACTIVE = 1;
export const COMPLETED = 2;
export const REMOVED = 3;

/** One staking period of one validator. Serves validators after its lists; an auto-renewed validator's row shows its last cycle. */
export const validations = table({
  id: 240,
  name: "validations",
  key: { txId: id },
  value: {
    status: u8,
    subnetId: id,
    nodeId: shortId,
    height: u64,
    /** of the block with the staking transaction, Unix seconds */
    timestamp: u64,
    weight: u64,
    /** as the transaction says, Unix seconds */
    start: u64,
    end: u64,
    isAutoRenewed: bool,
    signer: optional(struct({ publicKey: blsPublicKey, proofOfPossession: bytes })),
    /** `shares` is the validator's part of delegators' rewards, in millionths. Undefined for permissioned validators. */
    terms: optional(struct({ assetId: id, shares: u32, validationOwner: list(shortId), delegationOwner: list(shortId) })),
    /** promised for the period or the cycle; 0 while pending */
    potentialReward: u64,
    /** current delegators; `fees` adds up the validator's parts of their promised rewards */
    delegators: struct({ count: u32, weight: u64, fees: u64 }),
    /** all delegations that became active in the period */
    everDelegated: struct({ count: u32, weight: u64 }),
    /** paid so far */
    rewards: struct({ validation: u64, delegation: u64 }),
    /**
     * `txId`: the transaction that rewarded, forfeited or removed it; undefined if its time was over. `timestamp`: of the block, Unix
     * seconds
     */
    left: optional(struct({ txId: optional(id), timestamp: u64 })),
  },
});

/** The active or pending validation of a node in a subnet; there is at most one. */
export const currentValidations = table({
  id: 241,
  name: "current_validations",
  key: { subnetId: id, nodeId: shortId },
  value: { txId: id },
});

/** One delegation. Serves delegators after `delegation_lists`. */
export const delegations = table({
  id: 242,
  name: "delegations",
  key: { txId: id },
  value: {
    status: u8,
    /** the validator's staking transaction */
    validation: id,
    subnetId: id,
    nodeId: shortId,
    height: u64,
    timestamp: u64,
    weight: u64,
    start: u64,
    end: u64,
    assetId: id,
    owner: list(shortId),
    /** the validator's part, in millionths */
    shares: u32,
    /** the promised reward including the validator's part; once completed, what was paid: 0 if forfeited */
    reward: u64,
    rewardTxId: optional(id),
  },
});

/** Delegations by status, and by node, reward address or both. A page of delegators costs O(page + ranges). */
export const delegationLists = table({
  id: 243,
  name: "delegation_lists",
  key: { scope: shortId, height: u64, txId: id },
  value: {},
});

/** Completed and removed validations by status, and by subnet, node, both, or fee. A page of validators costs O(page + ranges). */
export const pastValidations = table({
  id: 244,
  name: "past_validations",
  key: { scope: shortId, height: u64, txId: id },
  /** `shares`: 0 for permissioned validators */
  value: { nodeId: shortId, shares: u32 },
});

/** Completed validations of the primary network, of all nodes or of one, in order of their fee. */
export const pastValidationsByFee = table({
  id: 245,
  name: "past_validations_by_fee",
  key: { scope: shortId, shares: u32, height: u64, txId: id },
  value: { nodeId: shortId },
});

/** Values of `type`. */
export const VALIDATOR = 0;
export const DELEGATOR = 1;
export const VALIDATOR_FEE = 2;

/**
 * Rewards that active stakers can expect, by recipient, node or both. `start` is the block time of the staking transaction (for an auto-renewed
 * validator, of its cycle). `txId` is the staker's; the fee of a delegation is listed under the delegation.
 */
export const pendingRewards = table({
  id: 246,
  name: "pending_rewards",
  key: { scope: shortId, start: u64, txId: id, type: u8 },
  value: {},
});

/** Rewards that were paid. Serves rewards after `reward_lists`. */
export const paidRewards = table({
  id: 247,
  name: "paid_rewards",
  key: { utxoId: id },
  value: {
    type: u8,
    /** the staking transaction whose period ended; not always the one that the UTXO names */
    stakingTxId: id,
    rewardTxId: id,
    outputIndex: u32,
    assetId: id,
    amount: u64,
    owner: list(shortId),
    nodeId: shortId,
    weight: u64,
    /** as in `pending_rewards` */
    start: u64,
    end: u64,
    isAutoRenewed: bool,
  },
});

/** Rewards by recipient, node or both, in order of payment (block time). */
export const rewardLists = table({ id: 248, name: "reward_lists", key: { scope: shortId, timestamp: u64, utxoId: id }, value: {} });

/**
 * Transactions whose staker is active or pending, by type and by address of their UTXOs, in the chain's order. Serves listStaking. The ID is
 * in `transaction_order`, where `ordinal` says. `staking_places` tells the rows of a transaction.
 */
export const stakingLists = table({
  id: 249,
  name: "staking_lists",
  key: { scope: shortId, timestamp: u64, ordinal: u64 },
  value: {},
});

/**
 * Every node that ever validated, numbered. A process holds all of them to search for parts of node IDs, and reads only those that are new.
 */
export const knownNodes = table({ id: 251, name: "known_nodes", key: { sequence: u32 }, value: { nodeId: shortId } });

/** The number of each node in `known_nodes`. */
export const nodeSequences = table({ id: 252, name: "node_sequences", key: { nodeId: shortId }, value: { sequence: u32 } });

/**
 * Totals of active stakers of the primary network, nAVAX, and the number of rows in `known_nodes` and `validation_changes`. One row (slot
 * 0). Resident.
 */
export const stakingTotals = table({
  id: 253,
  name: "staking_totals",
  key: { slot: u8 },
  value: {
    validatorCount: u32,
    validatorStake: u64,
    delegatorCount: u32,
    delegatorStake: u64,
    potentialRewards: u64,
    /** rows of `known_nodes` */
    nodeCount: u32,
    /** rows ever written to `validation_changes` */
    changeCount: u64,
  },
});

/** Slots of `validation_changes`. */
export const CHANGES_KEPT = 4096;

/**
 * A ring of the active or pending validations that the last blocks changed, so that a process can refresh its snapshot. Change n is in slot
 * n mod `CHANGES_KEPT`.
 */
export const validationChanges = table({
  id: 254,
  name: "validation_changes",
  key: { slot: u16 },
  value: { number: u64, txIds: list(id) },
});

export type Validation = TableValue<typeof validations>;
export type Delegation = TableValue<typeof delegations>;
export type PaidReward = TableValue<typeof paidRewards>;
export type StakingTotals = TableValue<typeof stakingTotals>;
