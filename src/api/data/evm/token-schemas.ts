/** Tokens, their transfers and addresses with a name, as the official SDKs read them (data-api 4.6, 4.9–4.11). */
import Type, { type Static } from "typebox";
import { CURRENCY_CODES, type CurrencyCode } from "../../../evm/labels/currencies.ts";
import { NFT_STATUSES, type NftStatus } from "../../../evm/nft/nft-status.ts";
import { namedObject } from "../named-object.ts";

export const richAddressSchema = namedObject("RichAddress", {
  name: Type.Optional(Type.String({ description: "Name of a known token or contract." })),
  symbol: Type.Optional(Type.String()),
  decimals: Type.Optional(Type.Integer()),
  logoUri: Type.Optional(Type.String()),
  address: Type.String({ description: "EIP-55" }),
});
export type RichAddress = Static<typeof richAddressSchema>;

const currencyCode = Type.Unsafe<CurrencyCode>(
  Type.Union(
    CURRENCY_CODES.map((code) => Type.Literal(code)),
    { $id: "CurrencyCode" },
  ),
);

/** `currency` of a query. It is always set when the handler runs. */
export const currencyQuery = {
  currency: Type.Unsafe<CurrencyCode>(
    Type.Union(
      CURRENCY_CODES.map((code) => Type.Literal(code)),
      { default: "usd", description: "Currency of prices and values." },
    ),
  ),
};

const moneyMembers = { currencyCode, value: Type.Number() };
const money = (description: string) => namedObject("Money", moneyMembers, { description });
export type Money = Static<ReturnType<typeof money>>;

export const price = Type.Optional(money("Price of one whole token. Absent if it has none."));
const balanceValue = Type.Optional(money("Value of the balance. Absent if the token has no price."));
const chainId = Type.String({ description: "EVM chain ID" });
const balance = Type.String({ description: "Base units." });

const networkTokenMembers = {
  name: Type.String(),
  symbol: Type.String(),
  decimals: Type.Integer(),
  logoUri: Type.Optional(Type.String()),
};
export const networkTokenSchema = namedObject("NetworkToken", { ...networkTokenMembers, description: Type.Optional(Type.String()) });
export type NetworkToken = Static<typeof networkTokenSchema>;

export const networkTokenDetailsSchema = namedObject("NetworkTokenDetails", { networkToken: networkTokenSchema, currentPrice: price });
export type NetworkTokenDetails = Static<typeof networkTokenDetailsSchema>;

export const nativeTokenBalanceSchema = namedObject("NativeTokenBalance", {
  ...networkTokenMembers,
  chainId,
  price,
  balance: Type.String({ description: "wei" }),
  balanceValue,
});
export type NativeTokenBalance = Static<typeof nativeTokenBalanceSchema>;

const erc20Members = {
  address: Type.String(),
  name: Type.String({ description: "Empty if the contract has none." }),
  symbol: Type.String({ description: "Empty if the contract has none." }),
  decimals: Type.Integer({ description: "0 if the contract returns none, or an invalid number." }),
  logoUri: Type.Optional(Type.String()),
  ercType: Type.Literal("ERC-20"),
  price,
};
export const erc20TokenSchema = namedObject("Erc20Token", erc20Members);
export type Erc20Token = Static<typeof erc20TokenSchema>;

export const tokenReputation = Type.Union([Type.Literal("Malicious"), Type.Literal("Benign"), Type.Null()], {
  description: "The reputation in the operator's token list; null if it has none.",
});

/** for the `/v2` route */
export const ratedErc20TokenSchema = namedObject("RatedErc20Token", { ...erc20Members, tokenReputation });
export type RatedErc20Token = Static<typeof ratedErc20TokenSchema>;

export const erc20TokenBalanceSchema = namedObject("Erc20TokenBalance", {
  ...erc20Members,
  chainId,
  balance,
  balanceValue,
  tokenReputation,
});
export type Erc20TokenBalance = Static<typeof erc20TokenBalanceSchema>;

const metadataMembers = {
  indexStatus: Type.Unsafe<NftStatus>(Type.Union(NFT_STATUSES.map((status) => Type.Literal(status)))),
  metadataLastUpdatedTimestamp: Type.Optional(Type.Integer()),
  name: Type.Optional(Type.String()),
  symbol: Type.Optional(Type.String()),
  imageUri: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  animationUri: Type.Optional(Type.String()),
  externalUrl: Type.Optional(Type.String()),
  background: Type.Optional(Type.String()),
};
const erc721MetadataSchema = namedObject("Erc721TokenMetadata", {
  ...metadataMembers,
  attributes: Type.Optional(Type.String({ description: "JSON" })),
});
const erc1155MetadataSchema = namedObject("Erc1155TokenMetadata", {
  ...metadataMembers,
  decimals: Type.Optional(Type.Number()),
  properties: Type.Optional(Type.String({ description: "JSON" })),
});

const tokenUri = Type.String({ description: "Empty if the contract returned none." });
const erc721Members = {
  address: Type.String(),
  name: Type.String({ description: "Name of the collection; empty if it has none." }),
  symbol: Type.String({ description: "Symbol of the collection; empty if it has none." }),
  ercType: Type.Literal("ERC-721"),
  tokenId: Type.String(),
  tokenUri,
  metadata: erc721MetadataSchema,
  ownerAddress: Type.Optional(Type.String({ description: "Absent if it was burned." })),
};
const erc1155Members = {
  address: Type.String(),
  ercType: Type.Literal("ERC-1155"),
  tokenId: Type.String(),
  tokenUri,
  metadata: erc1155MetadataSchema,
};
export const erc721TokenSchema = namedObject("Erc721Token", erc721Members);
export const erc1155TokenSchema = namedObject("Erc1155Token", erc1155Members);
export const nftSchema = Type.Union([erc721TokenSchema, erc1155TokenSchema], { $id: "Token" });
export type Erc721Token = Static<typeof erc721TokenSchema>;
export type Erc1155Token = Static<typeof erc1155TokenSchema>;
export type Nft = Erc721Token | Erc1155Token;

export const erc721TokenBalanceSchema = namedObject("Erc721TokenBalance", { ...erc721Members, chainId });
export const erc1155TokenBalanceSchema = namedObject("Erc1155TokenBalance", { ...erc1155Members, chainId, balance });
export const collectibleBalanceSchema = Type.Union([erc721TokenBalanceSchema, erc1155TokenBalanceSchema], { $id: "CollectibleBalance" });
export type Erc721TokenBalance = Static<typeof erc721TokenBalanceSchema>;
export type Erc1155TokenBalance = Static<typeof erc1155TokenBalanceSchema>;
