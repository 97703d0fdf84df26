/**
 * Subnets, blockchains, L1 validators and AVAX totals of the primary network, for the Data API. Table IDs 260–279. `place` is the order of
 * creation within a height. Genesis is height 0: it has P, X, C and the primary network.
 */
import { bool, bytes, list, optional, str, struct, u8, u32, u64 } from "../../../base/codec/codec.ts";
import { blsPublicKey, id, shortId, type TableValue, table } from "../../../base/table/table.ts";

const owner = struct({ locktime: u64, threshold: u32, addresses: list(shortId) });
/** Who owns an L1 validator's balance or may deactivate it; such an owner has no locktime. */
const l1Owner = struct({ threshold: u32, addresses: list(shortId) });

/** Current state of subnets, including the primary network. Serves one subnet, and the list after `subnetCreations`. */
export const subnets = table({
  id: 260,
  name: "subnets",
  key: { subnetId: id },
  value: {
    height: u64,
    /** Unix seconds */
    timestamp: u64,
    owner,
    blockchainCount: u32,
    conversion: optional(struct({ txId: id, height: u64, managerChainId: id, managerAddress: bytes })),
  },
});

/** Subnets in order of creation. Serves the list of subnets; a page costs O(page). */
export const subnetCreations = table({
  id: 261,
  name: "subnet_creations",
  key: { height: u64, place: u32 },
  value: { subnetId: id },
});

/** The owner of a subnet from a height on. The owner at a height is in the newest row at or below it. */
export const subnetOwners = table({ id: 262, name: "subnet_owners", key: { subnetId: id, height: u64 }, value: { owner } });

/** Blockchains, including P. Their genesis is in their CreateChainTx. Serves one blockchain, and lists after the two tables below. */
export const blockchains = table({
  id: 263,
  name: "blockchains",
  key: { chainId: id },
  value: {
    height: u64,
    /** Unix seconds */
    timestamp: u64,
    subnetId: id,
    /** bytes as latin1 */
    name: str,
    vmId: id,
    /** `config.chainId` of a JSON genesis, otherwise 0 */
    evmChainId: u64,
  },
});

/** Blockchains in order of creation. Serves the list of blockchains; a page costs O(page). */
export const blockchainCreations = table({
  id: 264,
  name: "blockchain_creations",
  key: { height: u64, place: u32 },
  value: { chainId: id },
});

/** Blockchains of a subnet, numbered from 0. The subnet's `blockchainCount` gives all keys, so one read fetches those of many subnets. */
export const subnetBlockchains = table({
  id: 265,
  name: "subnet_blockchains",
  key: { subnetId: id, number: u32 },
  value: { chainId: id },
});

/** L1 validators that are not removed, active or inactive. Serves l1Validators, after `l1ValidatorLists`. */
export const l1Validators = table({
  id: 266,
  name: "l1_validators",
  key: { validationId: id },
  value: {
    subnetId: id,
    nodeId: shortId,
    publicKey: blsPublicKey,
    remainingBalanceOwner: l1Owner,
    deactivationOwner: l1Owner,
    /** Unix seconds */
    createdAt: u64,
    weight: u64,
    /** the accrued fees at which the balance is used up; 0 if inactive */
    endAccumulatedFee: u64,
    /** of the newest change */
    height: u64,
  },
});

/**
 * L1 validators that are not removed, in order of creation, for every scope that a query can name: all, a subnet, a node, a node in a
 * subnet (`l1ValidatorScope`). Serves l1Validators; a page costs O(page).
 */
export const l1ValidatorLists = table({
  id: 267,
  name: "l1_validator_lists",
  key: { scope: shortId, isActive: bool, createdAt: u64, validationId: id },
  value: {},
});

/**
 * The state of L1 validators before and right after a transaction that changed them, in the order in which the transaction names them (a
 * conversion names several). Serves `l1ValidatorDetails`; read by prefix `{ txId }`. Balances in nAVAX, net of fees accrued until then.
 */
export const l1TxDetails = table({
  id: 268,
  name: "l1_tx_details",
  key: { txId: id, index: u32 },
  value: {
    validationId: id,
    nodeId: shortId,
    subnetId: id,
    publicKey: blsPublicKey,
    /** 0: removed */
    weight: u64,
    balanceBefore: u64,
    remainingBalance: u64,
    height: u64,
  },
});

/** AVAX burned as fees of a chain's transactions, nAVAX; P, X, C are 0, 1, 2. Serves avax/supply. Resident. */
export const burnedFees = table({ id: 269, name: "burned_fees", key: { chain: u8 }, value: { amount: u64, height: u64 } });

/** P-chain totals from which the supply is computed, nAVAX; one row (slot 0). Serves avax/supply. Resident. */
export const supplyTotals = table({
  id: 270,
  name: "supply_totals",
  key: { slot: u8 },
  value: {
    /** paid out as UTXOs */
    rewards: u64,
    /** what L1 validators paid as continuous fee until `accruedFees` */
    l1Fees: u64,
    /** what active L1 validators have left at `accruedFees` */
    l1Balances: u64,
    l1ActiveCount: u32,
    accruedFees: u64,
    height: u64,
  },
});

/** Values of `kind`. */
export const NAME_OF_BLOCKCHAIN = 0;
export const SYMBOL_OF_ASSET = 1;
export const NAME_OF_ASSET = 2;

/**
 * Names of blockchains, and names and symbols of the X-chain's assets (`folded-name.ts`). `order`: a blockchain's height, or the asset's
 * position among the chain's transactions, so that the oldest of one name comes first. Serves the search; a range of one name, or of one
 * beginning, costs O(range).
 */
export const primaryNames = table({
  id: 271,
  name: "primary_names",
  key: { kind: u8, name: id, order: u64, thing: id },
  value: {},
});

export type SubnetInfo = TableValue<typeof subnets>;
export type BlockchainInfo = TableValue<typeof blockchains>;
export type L1ValidatorInfo = TableValue<typeof l1Validators>;
export type L1TxDetail = TableValue<typeof l1TxDetails>;
export type SupplyTotals = TableValue<typeof supplyTotals>;
