/** Transfers of tokens: within their transaction (`…TransferDetails`), and in lists of their own (data-api 4.10). */
import Type, { type Static } from "typebox";
import { namedObject } from "../named-object.ts";
import { erc20TokenSchema, erc721TokenSchema, erc1155TokenSchema, ratedErc20TokenSchema, richAddressSchema } from "./token-schemas.ts";

const details = {
  from: richAddressSchema,
  to: richAddressSchema,
  logIndex: Type.Integer({ description: "Index of the log in the block; transfers of one batch share it." }),
};
const value = Type.String({ description: "Base units." });

export const erc20TransferDetailsSchema = namedObject("Erc20TransferDetails", { ...details, value, erc20Token: erc20TokenSchema });
/** for the `/v2` route */
export const ratedErc20TransferDetailsSchema = namedObject("RatedErc20TransferDetails", {
  ...details,
  value,
  erc20Token: ratedErc20TokenSchema,
});
export const erc721TransferDetailsSchema = namedObject("Erc721TransferDetails", { ...details, erc721Token: erc721TokenSchema });
export const erc1155TransferDetailsSchema = namedObject("Erc1155TransferDetails", { ...details, value, erc1155Token: erc1155TokenSchema });
export type Erc20TransferDetails = Static<typeof ratedErc20TransferDetailsSchema>;
export type Erc721TransferDetails = Static<typeof erc721TransferDetailsSchema>;
export type Erc1155TransferDetails = Static<typeof erc1155TransferDetailsSchema>;
export type TransferDetails = Erc20TransferDetails | Erc721TransferDetails | Erc1155TransferDetails;

/** The block and transaction of an item in a list of its own. */
export const placeMembers = {
  blockNumber: Type.String(),
  blockTimestamp: Type.Integer({ description: "Unix seconds." }),
  blockTimestampMilliseconds: Type.Optional(Type.Integer({ description: "Avalanche since Granite." })),
  blockHash: Type.String(),
  txHash: Type.String(),
};
const placeSchema = Type.Object(placeMembers);
export type TransferPlace = Static<typeof placeSchema>;

export const erc20TransferSchema = namedObject("Erc20Transfer", { ...placeMembers, ...details, value, erc20Token: erc20TokenSchema });
export const erc721TransferSchema = namedObject("Erc721Transfer", { ...placeMembers, ...details, erc721Token: erc721TokenSchema });
export const erc1155TransferSchema = namedObject("Erc1155Transfer", {
  ...placeMembers,
  ...details,
  value,
  erc1155Token: erc1155TokenSchema,
});
export type Erc20Transfer = TransferPlace & Erc20TransferDetails;
type Erc721Transfer = TransferPlace & Erc721TransferDetails;
type Erc1155Transfer = TransferPlace & Erc1155TransferDetails;
export type TokenTransfer = Erc20Transfer | Erc721Transfer | Erc1155Transfer;

/** In the order in which clients try the alternatives. */
export const tokenTransferSchema = Type.Union([erc20TransferSchema, erc1155TransferSchema, erc721TransferSchema], { $id: "Transfer" });
