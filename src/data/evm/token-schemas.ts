/** Tokens, their transfers and addresses with a name, as the official SDKs read them (data-api 4.6, 4.9–4.11). */
import Type, { type Static } from "typebox";
import { CURRENCY_CODES, type CurrencyCode } from "../../evm/labels/currencies.ts";
import { NFT_STATUSES, type NftStatus } from "../../evm/nft/nft-status.ts";

export const richAddressSchema = Type.Object({
  name: Type.Optional(Type.String({ description: "Of a known token or contract." })),
  symbol: Type.Optional(Type.String()),
  decimals: Type.Optional(Type.Integer()),
  logoUri: Type.Optional(Type.String()),
  address: Type.String({ description: "EIP-55" }),
});
export type RichAddress = Static<typeof richAddressSchema>;

const currencyCode = Type.Unsafe<CurrencyCode>(Type.Union(CURRENCY_CODES.map((code) => Type.Literal(code))));

/** `currency` of a query; always set when the handler runs. */
export const currencyQuery = {
  currency: Type.Unsafe<CurrencyCode>(
    Type.Union(
      CURRENCY_CODES.map((code) => Type.Literal(code)),
      { default: "usd", description: "Currency of prices and values." },
    ),
  ),
};

export const moneySchema = Type.Object({ currencyCode, value: Type.Number() });
export type Money = Static<typeof moneySchema>;

const price = Type.Optional(Type.Object(moneySchema.properties, { description: "Of one whole token. Absent if it is unpriced." }));
const balanceValue = Type.Optional(
  Type.Object(moneySchema.properties, { description: "Of the balance. Absent if the token is unpriced." }),
);
const chainId = Type.String({ description: "EVM chain ID" });
const balance = Type.String({ description: "Base units." });

const networkTokenMembers = {
  name: Type.String(),
  symbol: Type.String(),
  decimals: Type.Integer(),
  logoUri: Type.Optional(Type.String()),
};
export const networkTokenSchema = Type.Object({ ...networkTokenMembers, description: Type.Optional(Type.String()) });
export type NetworkToken = Static<typeof networkTokenSchema>;

export const networkTokenDetailsSchema = Type.Object({ networkToken: networkTokenSchema, currentPrice: price });
export type NetworkTokenDetails = Static<typeof networkTokenDetailsSchema>;

export const nativeTokenBalanceSchema = Type.Object({
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
  decimals: Type.Integer({ description: "0 if the contract says none, or an absurd number." }),
  logoUri: Type.Optional(Type.String()),
  ercType: Type.Literal("ERC-20"),
  price,
};
export const erc20TokenSchema = Type.Object(erc20Members);
export type Erc20Token = Static<typeof erc20TokenSchema>;

const tokenReputation = Type.Union([Type.Literal("Malicious"), Type.Literal("Benign"), Type.Null()], {
  description: "What the operator's token list says of it; null: nothing.",
});

/** of the `/v2` route */
export const ratedErc20TokenSchema = Type.Object({ ...erc20Members, tokenReputation });
export type RatedErc20Token = Static<typeof ratedErc20TokenSchema>;

export const erc20TokenBalanceSchema = Type.Object({ ...erc20Members, chainId, balance, balanceValue, tokenReputation });
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
const erc721MetadataSchema = Type.Object({ ...metadataMembers, attributes: Type.Optional(Type.String({ description: "JSON" })) });
const erc1155MetadataSchema = Type.Object({
  ...metadataMembers,
  decimals: Type.Optional(Type.Number()),
  properties: Type.Optional(Type.String({ description: "JSON" })),
});
export type Erc721Metadata = Static<typeof erc721MetadataSchema>;
export type Erc1155Metadata = Static<typeof erc1155MetadataSchema>;

const tokenUri = Type.String({ description: "Empty if the contract gave none." });
const erc721Members = {
  address: Type.String(),
  name: Type.String({ description: "Of the collection; empty if it has none." }),
  symbol: Type.String({ description: "Of the collection; empty if it has none." }),
  ercType: Type.Literal("ERC-721"),
  tokenId: Type.String(),
  tokenUri,
  metadata: erc721MetadataSchema,
  ownerAddress: Type.Optional(Type.String({ description: "Absent once it was burned." })),
};
const erc1155Members = {
  address: Type.String(),
  ercType: Type.Literal("ERC-1155"),
  tokenId: Type.String(),
  tokenUri,
  metadata: erc1155MetadataSchema,
};
export const erc721TokenSchema = Type.Object(erc721Members);
export const erc1155TokenSchema = Type.Object(erc1155Members);
export const nftSchema = Type.Union([erc721TokenSchema, erc1155TokenSchema]);
export type Erc721Token = Static<typeof erc721TokenSchema>;
export type Erc1155Token = Static<typeof erc1155TokenSchema>;
export type Nft = Erc721Token | Erc1155Token;

export const erc721TokenBalanceSchema = Type.Object({ ...erc721Members, chainId });
export const erc1155TokenBalanceSchema = Type.Object({ ...erc1155Members, chainId, balance });
export const collectibleBalanceSchema = Type.Union([erc721TokenBalanceSchema, erc1155TokenBalanceSchema]);
export type Erc721TokenBalance = Static<typeof erc721TokenBalanceSchema>;
export type Erc1155TokenBalance = Static<typeof erc1155TokenBalanceSchema>;
