/** Tokens with their sums, and their holders. The official SDKs have no such routes. */
import Type, { type Static } from "typebox";
import { namedObject } from "../../named-object.ts";
import { deploymentDetails } from "../contracts/schemas.ts";
import { price, tokenReputation } from "../token-schemas.ts";

const TOKEN_TYPES = ["ERC-20", "ERC-721", "ERC-1155"] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

export const tokenType = (description?: string) =>
  Type.Unsafe<TokenType>(
    Type.Union(
      TOKEN_TYPES.map((type) => Type.Literal(type)),
      description === undefined ? {} : { description },
    ),
  );

export const isExact = Type.Boolean({
  description:
    "`true`: the token's transfers determine its balances, as far as Firn has compared them with the contract. `false`: they do not, because the token rebases, charges fees or mints silently, or because the index begins after the chain's first block. Amounts are then what the transfers say.",
});

export const chainTokenSchema = namedObject("ChainToken", {
  address: Type.String(),
  ercType: tokenType("Standard of its transfers."),
  name: Type.String({ description: "Empty if the contract has none." }),
  symbol: Type.String({ description: "Empty if the contract has none." }),
  decimals: Type.Optional(Type.Integer({ description: "Of ERC-20 only. 0 if the contract returns none, or an invalid number." })),
  logoUri: Type.Optional(Type.String()),
  price,
  tokenReputation,
  supply: Type.String({
    description: "What all holders have together: base units of an ERC-20 token, NFTs of a collection, units of all token IDs of ERC-1155.",
  }),
  holderCount: Type.Optional(Type.Integer({ description: "Addresses that hold some. Absent for ERC-1155." })),
  transferCount: Type.Integer({ description: "Number of items in `listTransfers`." }),
  isExact,
  firstBlockNumber: Type.String({ description: "Height of the block with its first log." }),
  deploymentDetails,
});
export type ChainToken = Static<typeof chainTokenSchema>;

export const tokenHolderSchema = namedObject("TokenHolder", {
  address: Type.String(),
  balance: Type.String({ description: "Base units; of an ERC-721 collection, the number of NFTs." }),
});

/** An address in lists of the hosted service that are named after a looking glass. */
export const addressDetailsSchema = namedObject("AddressDetails", {
  address: Type.String({ description: "0x and EIP-55" }),
  sortKey: Type.String({ description: "Its balance now, in base units, or the number of its NFTs; decimal." }),
});
