import Type, { type Static } from "typebox";
import { namedObject } from "../named-object.ts";

const resultKind = Type.Union(
  [
    Type.Literal("chain"),
    Type.Literal("evmChain"),
    Type.Literal("transaction"),
    Type.Literal("block"),
    Type.Literal("vertex"),
    Type.Literal("address"),
    Type.Literal("validator"),
    Type.Literal("subnet"),
    Type.Literal("blockchain"),
    Type.Literal("l1Validator"),
    Type.Literal("asset"),
    Type.Literal("token"),
    Type.Literal("nftCollection"),
    Type.Literal("contract"),
  ],
  {
    description:
      "`chain`: P, X or C; `evmChain`: an EVM chain of this server; `validator`: a node that validates or did; `token`: ERC-20; `nftCollection`: ERC-721 or ERC-1155.",
  },
);

const searchResultSchema = namedObject("SearchResult", {
  kind: resultKind,
  chain: Type.Optional(
    Type.Union([Type.Literal("P"), Type.Literal("X"), Type.Literal("C")], {
      description: "Where it is, if that is a chain of the primary network.",
    }),
  ),
  evmChainId: Type.Optional(Type.String({ description: "Where it is, if that is an EVM chain." })),
  id: Type.String({
    description:
      "As other routes take it: cb58, `NodeID-…`, bech32 without a chain, 0x and hex digits, the alias of a chain, or an EVM chain ID.",
  }),
  name: Type.Optional(Type.String({ description: "As strangers chose it." })),
  symbol: Type.Optional(Type.String({ description: "As strangers chose it." })),
  hint: Type.Optional(Type.String({ description: "What tells it from others: a type, chains on which it is known." })),
  blockNumber: Type.Optional(Type.String({ description: "Height of a block, or of the block that has or created it." })),
});
export type SearchResult = Static<typeof searchResultSchema>;

export const searchResponseSchema = namedObject("SearchResponse", {
  results: Type.Array(searchResultSchema, { description: "Best first, at most 20." }),
  understoodAs: Type.Array(Type.String(), { description: "What the text can be: `a height`, `a node ID`." }),
  problems: Type.Array(Type.String(), { description: "Sentences that say what is wrong with the text: a checksum, another network." }),
  forms: Type.Optional(Type.Array(Type.String(), { description: "All that is understood. Only if nothing was found." })),
});
