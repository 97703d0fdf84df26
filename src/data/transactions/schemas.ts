/**
 * Transactions of P, X and C in answers. Each chain has a form of its own, which official clients tell apart by the members that must be
 * there: what is a list or a sum is never absent, everything else is only where the type has it.
 */
import Type, { type Static } from "typebox";
import { genesisDataSchema } from "../blockchains/genesis-data.ts";
import { exactInteger } from "../exact-integer.ts";
import { l1TxDetailsSchema } from "../l1-validators/tx-details.ts";
import { repeated } from "../paging.ts";
import { l1ManagerSchema, subnetOwnershipSchema } from "../subnets/ownership.ts";
import { assetAmountSchema } from "../utxos/asset-amount.ts";
import { platformUtxoSchema, utxoSchema } from "../utxos/schemas.ts";
import { txTypeNames } from "./type-names.ts";

const amounts = (description: string) => Type.Array(assetAmountSchema, { description });
const blsCredentialsSchema = Type.Object({ publicKey: Type.String(), proofOfPossession: Type.String() });
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
      "Own, exported and staked outputs, and rewards: with the transaction that staked, once they are paid, and with the one that paid.",
  }),
  value: amounts("Sums of what the transaction itself made; of rewards only where they were paid."),
  amountBurned: amounts("Inputs less outputs and less balances of L1 validators."),
  amountStaked: amounts("Sum of the stake outputs."),
  amountL1ValidatorBalanceBurned: amounts("What became balances of L1 validators."),
  memo,
};

/** Members that only some types have. */
const platformDetails = {
  sourceChain,
  destinationChain,
  startTimestamp: Type.Integer({ description: "Of the staker's period; of auto-renewed validators of the current one." }),
  endTimestamp: exactInteger("Of the staker's period."),
  delegationFeePercent: Type.String({ description: "Percent with 16 decimals." }),
  nodeId: Type.String(),
  subnetId: Type.String(),
  l1ValidatorManagerDetails: l1ManagerSchema,
  l1ValidatorDetails: Type.Array(l1TxDetailsSchema, { description: "L1 validators that it made or changed, as they were right after it." }),
  estimatedReward: Type.String({ description: "Promised for the period, shares of the validator included; once it has begun." }),
  rewardTxHash: Type.String({ description: "The transaction that ended the period." }),
  rewardAddresses: Type.Array(Type.String()),
  stakingTxHash: Type.String({ description: "The staking transaction whose period this one ended." }),
  subnetOwnershipInfo: subnetOwnershipSchema,
  blsCredentials: blsCredentialsSchema,
  blockchainInfo: Type.Object({ chainName: Type.String(), vmId: Type.String(), genesisData: Type.Optional(genesisDataSchema) }),
  period: exactInteger("Of auto-renewed validators: seconds of a cycle. With real type names only."),
  autoCompoundRewardShares: Type.Integer({ description: "Millionths of rewards that are restaked. With real type names only." }),
  validatorAuthority: Type.Object({ addresses: Type.Array(Type.String()), threshold: Type.Integer() }),
};

export const platformTransactionSchema = Type.Object({ ...platformMembers, ...Type.Partial(Type.Object(platformDetails)).properties });
export type PlatformTransaction = Static<typeof platformTransactionSchema>;
const platformDetailsSchema = Type.Partial(Type.Object(platformDetails));
export type PlatformDetails = Static<typeof platformDetailsSchema>;

export const assetDetailsSchema = Type.Object({
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
  timestamp: Type.Integer({ description: "Of the block; of the DAG: when the source accepted the first vertex with it." }),
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

export const linearTransactionSchema = Type.Object({
  ...assetMembers,
  chainFormat: Type.Literal("linear"),
  blockHeight: Type.Integer(),
  blockHash: Type.String(),
});
export type LinearTransaction = Static<typeof linearTransactionSchema>;

export const nonLinearTransactionSchema = Type.Object({
  ...assetMembers,
  chainFormat: Type.Literal("non-linear"),
  vertices: Type.Array(Type.Object({ hash: Type.String(), height: Type.Integer(), timestamp: Type.Integer() }), {
    description: "Those that hold it; none for an asset of the genesis.",
  }),
});
export type NonLinearTransaction = Static<typeof nonLinearTransactionSchema>;
export type AssetTransaction = LinearTransaction | NonLinearTransaction;

export const assetTransactionSchema = Type.Union([linearTransactionSchema, nonLinearTransactionSchema]);

const credentialsSchema = Type.Array(Type.Object({ signature: Type.Optional(Type.String()), publicKey: Type.Optional(Type.String()) }));

const atomicMembers = {
  txHash: Type.String({ description: "cb58 ID of the atomic transaction" }),
  blockHeight: Type.Integer(),
  blockHash: Type.String({ description: "0x and 64 hex digits" }),
  timestamp: Type.Integer(),
  memo: Type.String({ description: "Always `0x`." }),
  amountUnlocked: amounts("What accounts, or UTXOs, lose."),
  amountCreated: amounts("What UTXOs, or accounts, get."),
  sourceChain,
  destinationChain,
};

export const atomicExportSchema = Type.Object({
  ...atomicMembers,
  txType: Type.Literal("ExportTx"),
  evmInputs: Type.Array(Type.Object({ fromAddress: Type.String(), asset: assetAmountSchema, credentials: credentialsSchema })),
  emittedUtxos: Type.Array(utxoSchema),
});
export type AtomicExportTransaction = Static<typeof atomicExportSchema>;

export const atomicImportSchema = Type.Object({
  ...atomicMembers,
  txType: Type.Literal("ImportTx"),
  evmOutputs: Type.Array(Type.Object({ toAddress: Type.String(), asset: assetAmountSchema })),
  consumedUtxos: Type.Array(utxoSchema),
});
export type AtomicImportTransaction = Static<typeof atomicImportSchema>;
export type AtomicTransaction = AtomicExportTransaction | AtomicImportTransaction;

/** Of the chain of the path. */
export const transactionSchema = Type.Union([
  platformTransactionSchema,
  linearTransactionSchema,
  nonLinearTransactionSchema,
  atomicExportSchema,
  atomicImportSchema,
]);
export type Transaction = Static<typeof transactionSchema>;

export const txTypesQuery = Type.Optional(repeated(txTypeNames, "Types of transactions; those of other chains match nothing."));
