/**
 * Transactions of EVM chains with their transfers and internal transactions, as the official SDKs read them (data-api 4.7, 4.8, 4.10, 5.1,
 * 5.18).
 */
import Type, { type Static } from "typebox";
import { namedObject } from "../named-object.ts";
import { BASE_FEE, isBaseFeeBoundSchema } from "./blocks/schemas.ts";
import { networkTokenDetailsSchema, richAddressSchema } from "./token-schemas.ts";
import {
  erc20TransferDetailsSchema,
  erc721TransferDetailsSchema,
  erc1155TransferDetailsSchema,
  placeMembers,
  ratedErc20TransferDetailsSchema,
} from "./transfer-schemas.ts";

export const methodSchema = namedObject("Method", {
  callType: Type.Union([Type.Literal("NATIVE_TRANSFER"), Type.Literal("CONTRACT_CALL"), Type.Literal("CONTRACT_CREATION")]),
  methodHash: Type.String({ description: "The first four bytes of a call's input, or fewer if it is shorter; otherwise empty." }),
  methodName: Type.Optional(Type.String({ description: "`transfer(address,uint256)`. Absent if this server does not know the name." })),
});
export type Method = Static<typeof methodSchema>;

const nativeMembers = {
  blockNumber: placeMembers.blockNumber,
  blockTimestamp: placeMembers.blockTimestamp,
  blockTimestampMilliseconds: placeMembers.blockTimestampMilliseconds,
  blockMinDelayExcess: Type.Optional(Type.Integer({ description: "Avalanche since Granite." })),
  blockHash: Type.String({ description: "0x and 64 hex digits." }),
  chainId: Type.String({ description: "EVM chain ID" }),
  blockIndex: Type.Integer({ description: "Index of the transaction in its block." }),
  txHash: Type.String({ description: "0x and 64 hex digits." }),
  txStatus: Type.Union([Type.Literal("1"), Type.Literal("0")], { description: "`1` success, `0` failed." }),
  txType: Type.Integer({ description: "0 legacy, 1 with access list, 2 with dynamic fee …" }),
  gasLimit: Type.String({ description: "Gas" }),
  gasUsed: Type.String({ description: "Gas that was charged. On the C-chain since Helicon, at least half of `gasLimit`." }),
  gasPrice: Type.String({ description: "Price paid, wei per gas: `effectiveGasPrice` of the receipt." }),
  nonce: Type.String({ description: "Of the sender." }),
  from: richAddressSchema,
  to: richAddressSchema,
  method: Type.Optional(methodSchema),
  value: Type.String({ description: "wei" }),
};

export const nativeTransactionSchema = namedObject("NativeTransaction", nativeMembers);
export type NativeTransaction = Static<typeof nativeTransactionSchema>;

const fullNativeTransactionSchema = namedObject("FullNativeTransactionDetails", {
  ...nativeMembers,
  input: Type.String({ description: "0x and hex digits." }),
  baseFeePerGas: Type.String({ description: `Base fee of the block, ${BASE_FEE}` }),
  isBaseFeeBound: isBaseFeeBoundSchema,
  maxFeePerGas: Type.Optional(Type.String({ description: "wei per gas; only for transactions with a dynamic fee" })),
  maxPriorityFeePerGas: Type.Optional(Type.String({ description: "wei per gas; only for transactions with a dynamic fee" })),
});
export type FullNativeTransaction = Static<typeof fullNativeTransactionSchema>;

const internalMembers = {
  from: richAddressSchema,
  to: richAddressSchema,
  internalTxType: Type.Union([Type.Literal("CALL"), Type.Literal("CALLCODE"), Type.Literal("CREATE"), Type.Literal("CREATE2")]),
  value: Type.String({ description: "wei" }),
  isReverted: Type.Boolean({ description: "Whether it failed, or a call that it was part of." }),
  gasUsed: Type.String({ description: "Gas" }),
  gasLimit: Type.String({ description: "Gas" }),
};

const internalTransactionDetailsSchema = namedObject("InternalTransactionDetails", internalMembers);
export type InternalTransactionDetails = Static<typeof internalTransactionDetailsSchema>;

export const internalTransactionSchema = namedObject("InternalTransaction", { ...placeMembers, ...internalMembers });
export type InternalTransaction = Static<typeof internalTransactionSchema>;

const ABSENT = "Absent if there is none.";
const internalTransactions = Type.Optional(Type.Array(internalTransactionDetailsSchema, { description: ABSENT }));
const nftTransfers = {
  erc721Transfers: Type.Optional(Type.Array(erc721TransferDetailsSchema, { description: ABSENT })),
  erc1155Transfers: Type.Optional(Type.Array(erc1155TransferDetailsSchema, { description: ABSENT })),
};
const erc20Transfers = Type.Optional(Type.Array(erc20TransferDetailsSchema, { description: ABSENT }));

/** A transaction with the address's own part in it. */
export const transactionDetailsSchema = namedObject("TransactionDetails", {
  nativeTransaction: nativeTransactionSchema,
  erc20Transfers,
  ...nftTransfers,
  internalTransactions,
});

/** for the `/v2` route */
export const ratedTransactionDetailsSchema = namedObject("RatedTransactionDetails", {
  nativeTransaction: nativeTransactionSchema,
  erc20Transfers: Type.Optional(Type.Array(ratedErc20TransferDetailsSchema, { description: ABSENT })),
  ...nftTransfers,
  internalTransactions,
});
export type TransactionDetails = Static<typeof ratedTransactionDetailsSchema>;

/** A transaction with all its transfers and internal transactions. */
export const completeTransactionSchema = namedObject("GetTransactionResponse", {
  nativeTransaction: fullNativeTransactionSchema,
  erc20Transfers,
  ...nftTransfers,
  internalTransactions,
  internalTransactionsUnavailable: Type.Optional(
    Type.Literal(true, {
      description: "Present if no node returned the call trace of the transaction: its internal transactions are not known.",
    }),
  ),
  networkTokenDetails: networkTokenDetailsSchema,
  teleporterMessageInfo: Type.Optional(
    namedObject(
      "TeleporterMessageInfo",
      {
        teleporterMessageId: Type.String({ description: "64 hex digits" }),
        direction: Type.Union([Type.Literal("SOURCE_TRANSACTION"), Type.Literal("DESTINATION_TRANSACTION")]),
        sourceChainId: Type.Optional(
          Type.String({ description: "If the message was received: cb58 of the blockchain ID, which paths take as `{chainId}`." }),
        ),
        destinationChainId: Type.Optional(Type.String({ description: "If it was sent: the same of the destination." })),
      },
      { description: "The first interchain message that the transaction sent or received." },
    ),
  ),
});
export type CompleteTransaction = Static<typeof completeTransactionSchema>;
