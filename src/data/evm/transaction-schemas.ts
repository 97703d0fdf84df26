/** Transactions of EVM chains and what happened in them, as the official SDKs read them (data-api 4.7, 4.8, 4.10, 5.1, 5.18). */
import Type, { type Static } from "typebox";
import { networkTokenDetailsSchema, richAddressSchema } from "./token-schemas.ts";
import {
  erc20TransferDetailsSchema,
  erc721TransferDetailsSchema,
  erc1155TransferDetailsSchema,
  placeMembers,
  ratedErc20TransferDetailsSchema,
} from "./transfer-schemas.ts";

const methodSchema = Type.Object({
  callType: Type.Union([Type.Literal("NATIVE_TRANSFER"), Type.Literal("CONTRACT_CALL"), Type.Literal("CONTRACT_CREATION")]),
  methodHash: Type.String({ description: "The first four bytes of a call's input, or as many as there are; else empty." }),
  methodName: Type.Optional(Type.String({ description: "`transfer(address,uint256)`. Absent if nobody told this server the name." })),
});
export type Method = Static<typeof methodSchema>;

const nativeMembers = {
  blockNumber: placeMembers.blockNumber,
  blockTimestamp: placeMembers.blockTimestamp,
  blockTimestampMilliseconds: placeMembers.blockTimestampMilliseconds,
  blockMinDelayExcess: Type.Optional(Type.Integer({ description: "Avalanche since Granite." })),
  blockHash: Type.String({ description: "0x and 64 hex digits." }),
  chainId: Type.String({ description: "EVM chain ID" }),
  blockIndex: Type.Integer({ description: "Place of the transaction in its block." }),
  txHash: Type.String({ description: "0x and 64 hex digits." }),
  txStatus: Type.Union([Type.Literal("1"), Type.Literal("0")], { description: "`1` success, `0` failed." }),
  txType: Type.Integer({ description: "0 legacy, 1 with access list, 2 with dynamic fee …" }),
  gasLimit: Type.String({ description: "Gas" }),
  gasUsed: Type.String({ description: "Gas" }),
  gasPrice: Type.String({ description: "What was paid, wei per gas." }),
  nonce: Type.String({ description: "Of the sender." }),
  from: richAddressSchema,
  to: richAddressSchema,
  method: Type.Optional(methodSchema),
  value: Type.String({ description: "wei" }),
};

export const nativeTransactionSchema = Type.Object(nativeMembers);
export type NativeTransaction = Static<typeof nativeTransactionSchema>;

export const fullNativeTransactionSchema = Type.Object({
  ...nativeMembers,
  input: Type.String({ description: "0x and hex digits." }),
  baseFeePerGas: Type.String({ description: "Of the block, wei per gas; 0 before there was one." }),
  maxFeePerGas: Type.Optional(Type.String({ description: "wei per gas; of transactions with dynamic fee" })),
  maxPriorityFeePerGas: Type.Optional(Type.String({ description: "wei per gas; of transactions with dynamic fee" })),
});
export type FullNativeTransaction = Static<typeof fullNativeTransactionSchema>;

const internalMembers = {
  from: richAddressSchema,
  to: richAddressSchema,
  internalTxType: Type.Union([Type.Literal("CALL"), Type.Literal("CALLCODE"), Type.Literal("CREATE"), Type.Literal("CREATE2")]),
  value: Type.String({ description: "wei" }),
  isReverted: Type.Boolean({ description: "It failed, or something that it was a part of." }),
  gasUsed: Type.String({ description: "Gas" }),
  gasLimit: Type.String({ description: "Gas" }),
};

export const internalTransactionDetailsSchema = Type.Object(internalMembers);
export type InternalTransactionDetails = Static<typeof internalTransactionDetailsSchema>;

export const internalTransactionSchema = Type.Object({ ...placeMembers, ...internalMembers });
export type InternalTransaction = Static<typeof internalTransactionSchema>;

const ABSENT = "Absent if there is none.";
const internalTransactions = Type.Optional(Type.Array(internalTransactionDetailsSchema, { description: ABSENT }));
const nftTransfers = {
  erc721Transfers: Type.Optional(Type.Array(erc721TransferDetailsSchema, { description: ABSENT })),
  erc1155Transfers: Type.Optional(Type.Array(erc1155TransferDetailsSchema, { description: ABSENT })),
};
const erc20Transfers = Type.Optional(Type.Array(erc20TransferDetailsSchema, { description: ABSENT }));

/** A transaction with what an address had to do with it. */
export const transactionDetailsSchema = Type.Object({
  nativeTransaction: nativeTransactionSchema,
  erc20Transfers,
  ...nftTransfers,
  internalTransactions,
});

/** of the `/v2` route */
export const ratedTransactionDetailsSchema = Type.Object({
  nativeTransaction: nativeTransactionSchema,
  erc20Transfers: Type.Optional(Type.Array(ratedErc20TransferDetailsSchema, { description: ABSENT })),
  ...nftTransfers,
  internalTransactions,
});
export type TransactionDetails = Static<typeof ratedTransactionDetailsSchema>;

/** A transaction with all that happened in it. */
export const completeTransactionSchema = Type.Object({
  nativeTransaction: fullNativeTransactionSchema,
  erc20Transfers,
  ...nftTransfers,
  internalTransactions,
  networkTokenDetails: networkTokenDetailsSchema,
});
export type CompleteTransaction = Static<typeof completeTransactionSchema>;
