/**
 * Transactions of P, X and C in answers. Each chain has its own form, which official clients recognize by its required members. So lists
 * and sums are never absent, and everything else is present only if the type has it.
 */

import Type, { type Static } from "typebox";
import { genesisDataSchema } from "../blockchains/genesis-data.ts";
import { exactInteger } from "../exact-integer.ts";
import { namedObject } from "../named-object.ts";
import { repeated } from "../paging.ts";
import { l1ManagerSchema, subnetOwnershipSchema } from "../subnets/ownership.ts";
import { assetAmountSchema, platformUtxoSchema, utxoCredentialSchema, utxoSchema } from "../utxos/schemas.ts";
import { l1TxDetailsSchema } from "../validators/l1-tx-details.ts";
import { blsCredentialsSchema } from "../validators/schemas.ts";
import { txTypeNames } from "./type-names.ts";

const amounts = (description: string) => Type.Array(assetAmountSchema, { description });
const sourceChain = Type.String({ description: "ID of the chain that exported." });
const destinationChain = Type.String({ description: "ID of the chain that imports." });
const memo = Type.String({ description: "Hex; `0x` if there is none." });

const platformMembers = {
  txHash: Type.String(),
  txType: Type.String({ description: "The node's name of the type; `UNKNOWN` for types that official clients do not know." }),
  blockTimestamp: Type.Integer(),
  blockNumber: Type.String(),
  blockHash: Type.String(),
  consumedUtxos: Type.Array(platformUtxoSchema),
  emittedUtxos: Type.Array(platformUtxoSchema, {
    description:
      "Own, exported and staked outputs, and paid rewards. A reward is listed with the staking transaction and with the one that paid it.",
  }),
  value: amounts("Sums of the transaction's own outputs. A reward counts only in the transaction that paid it."),
  amountBurned: amounts("Inputs minus outputs and minus balances of L1 validators."),
  amountStaked: amounts("Sum of the stake outputs."),
  amountL1ValidatorBalanceBurned: amounts("Amounts that became balances of L1 validators."),
  memo,
};

/** Members that only some types have. */
const platformDetails = {
  sourceChain,
  destinationChain,
  startTimestamp: Type.Integer({ description: "Start of the staker's period; for auto-renewed validators, of the current cycle." }),
  endTimestamp: exactInteger("Of the staker's period."),
  delegationFeePercent: Type.String({ description: "Percent with 16 decimals." }),
  nodeId: Type.String(),
  subnetId: Type.String(),
  l1ValidatorManagerDetails: l1ManagerSchema,
  l1ValidatorDetails: Type.Array(l1TxDetailsSchema, {
    description: "L1 validators that the transaction created or changed, as they were right after it.",
  }),
  estimatedReward: Type.String({
    description: "The reward promised for the period, including the validator's shares. Present once the period has begun.",
  }),
  rewardTxHash: Type.String({ description: "The transaction that ended the period." }),
  rewardAddresses: Type.Array(Type.String()),
  stakingTxHash: Type.String({ description: "The staking transaction whose period this one ended." }),
  subnetOwnershipInfo: subnetOwnershipSchema,
  blsCredentials: blsCredentialsSchema,
  blockchainInfo: namedObject("BlockchainInfo", {
    chainName: Type.String(),
    vmId: Type.String(),
    genesisData: Type.Optional(genesisDataSchema),
  }),
  period: exactInteger("For auto-renewed validators: length of a cycle in seconds. Only with real type names."),
  autoCompoundRewardShares: Type.Integer({
    description: "Part of the rewards that is restaked, in millionths. Only with real type names.",
  }),
  validatorAuthority: Type.Object({ addresses: Type.Array(Type.String()), threshold: Type.Integer() }),
};

export const platformTransactionSchema = namedObject("PChainTransaction", {
  ...platformMembers,
  ...Type.Partial(Type.Object(platformDetails)).properties,
});
export type PlatformTransaction = Static<typeof platformTransactionSchema>;
const platformDetailsSchema = Type.Partial(Type.Object(platformDetails));
export type PlatformDetails = Static<typeof platformDetailsSchema>;

export const assetDetailsSchema = namedObject("XChainAssetDetails", {
  assetId: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  denomination: Type.Integer({ description: "Decimal places." }),
  type: Type.Union([Type.Literal("secp256k1"), Type.Literal("nft")]),
  createdAtTimestamp: Type.Integer(),
  cap: Type.Union([Type.Literal("fixed"), Type.Literal("variable")], { description: "`variable`: more can be minted." }),
});
export type AssetDetails = Static<typeof assetDetailsSchema>;

const assetMembers = {
  txHash: Type.String(),
  timestamp: Type.Integer({ description: "Time of the block; on the DAG, when the source accepted the first vertex with it." }),
  txType: Type.String(),
  memo,
  consumedUtxos: Type.Array(utxoSchema),
  emittedUtxos: Type.Array(utxoSchema),
  amountUnlocked: amounts("Sums of the consumed UTXOs."),
  amountCreated: amounts("Sums of the emitted UTXOs."),
  sourceChain: Type.Optional(sourceChain),
  destinationChain: Type.Optional(destinationChain),
  assetCreated: Type.Optional(assetDetailsSchema),
};

export const linearTransactionSchema = namedObject("XChainLinearTransaction", {
  ...assetMembers,
  chainFormat: Type.Literal("linear"),
  blockHeight: Type.Integer(),
  blockHash: Type.String(),
});
export type LinearTransaction = Static<typeof linearTransactionSchema>;

export const nonLinearTransactionSchema = namedObject("XChainNonLinearTransaction", {
  ...assetMembers,
  chainFormat: Type.Literal("non-linear"),
  vertices: Type.Array(namedObject("TransactionVertexDetail", { hash: Type.String(), height: Type.Integer(), timestamp: Type.Integer() }), {
    description: "Vertices that contain it; none for an asset of the genesis.",
  }),
});
export type NonLinearTransaction = Static<typeof nonLinearTransactionSchema>;
export type AssetTransaction = LinearTransaction | NonLinearTransaction;

export const assetTransactionSchema = Type.Union([linearTransactionSchema, nonLinearTransactionSchema], { $id: "XChainTransaction" });

const atomicMembers = {
  txHash: Type.String({ description: "cb58 ID of the atomic transaction" }),
  blockHeight: Type.Integer(),
  blockHash: Type.String({ description: "0x and 64 hex digits" }),
  timestamp: Type.Integer(),
  memo: Type.String({ description: "Always `0x`." }),
  amountUnlocked: amounts("Amounts that accounts or UTXOs lose."),
  amountCreated: amounts("Amounts that UTXOs or accounts receive."),
  sourceChain,
  destinationChain,
};

export const atomicExportSchema = namedObject("CChainExportTransaction", {
  ...atomicMembers,
  txType: Type.Literal("ExportTx"),
  evmInputs: Type.Array(
    namedObject("EVMInput", { fromAddress: Type.String(), asset: assetAmountSchema, credentials: Type.Array(utxoCredentialSchema) }),
  ),
  emittedUtxos: Type.Array(utxoSchema),
});
type AtomicExportTransaction = Static<typeof atomicExportSchema>;

export const atomicImportSchema = namedObject("CChainImportTransaction", {
  ...atomicMembers,
  txType: Type.Literal("ImportTx"),
  evmOutputs: Type.Array(namedObject("EVMOutput", { toAddress: Type.String(), asset: assetAmountSchema })),
  consumedUtxos: Type.Array(utxoSchema),
});
type AtomicImportTransaction = Static<typeof atomicImportSchema>;
export type AtomicTransaction = AtomicExportTransaction | AtomicImportTransaction;

/** A transaction of the chain in the path. */
export const transactionSchema = Type.Union(
  [platformTransactionSchema, linearTransactionSchema, nonLinearTransactionSchema, atomicExportSchema, atomicImportSchema],
  { $id: "Transaction" },
);
export type Transaction = Static<typeof transactionSchema>;

export const txTypesQuery = Type.Optional(repeated(txTypeNames, "Types of transactions; those of other chains match nothing."));
