import Type from "typebox";
import { ERC20, ERC721, ERC1155, type TransferKind } from "../../../../evm/facts.ts";
import { evmTokensByHeight } from "../../../../evm/index/holder-tables.ts";
import { mergedScan } from "../../../../index/merged-scan.ts";
import type { EvmChainContext } from "../../context.ts";
import { pageOf, pageQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { type KnownToken, knownTokens, presentTokens } from "./known-tokens.ts";
import { chainTokenSchema, type TokenType, tokenType } from "./schemas.ts";

const KINDS: Readonly<Record<TokenType, TransferKind>> = { "ERC-20": ERC20, "ERC-721": ERC721, "ERC-1155": ERC1155 };

/** Anyone can make contracts that log like tokens and are none. A page ends early after so many; the next one continues there. */
const MOST_LOOKED_AT = 1000;

export const listChainTokens = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/tokens",
  operationId: "listChainTokens",
  tag: "EVM: tokens",
  summary: "Tokens of a chain, the one with the newest first transfer first.",
  description: "Contracts that log like a token and are none are left out.",
  cost: "O(pageSize) rows; for contracts that turned out not to be tokens, up to 1,000 more",
  computeUnits: 20,
  evm: "chain",
  isOfState: true,
  query: Type.Object({ ercType: Type.Optional(tokenType("Only tokens of this standard.")), ...pageQuery() }),
  response: pageOf({ tokens: Type.Array(chainTokenSchema) }),
  async handle({ query: { ercType, pageSize } }, context) {
    const kinds = ercType === undefined ? Object.values(KINDS) : [KINDS[ercType]];
    const { tokens, end } = await tokensAfter(kinds, pageSize, context);
    return { ...context.nextPage(end), tokens: await presentTokens(tokens, context) };
  },
});

interface Place {
  readonly height: bigint;
  readonly token: string;
}

/** @returns `end`: where the next page continues; undefined: nowhere */
async function tokensAfter(
  kinds: readonly TransferKind[],
  pageSize: number,
  context: EvmChainContext,
): Promise<{ readonly tokens: readonly KnownToken[]; readonly end: { height: bigint; token: string } | undefined }> {
  const { reader, evmChain, after } = context;
  const prefixes = kinds.map((kind) => ({ chain: evmChain.chain, kind }));
  const wanted = pageSize + 1;
  const found: KnownToken[] = [];
  let reached: Place | undefined = after && { height: BigInt(after.height!), token: String(after.token) };
  for (let lookedAt = 0; lookedAt < MOST_LOOKED_AT && found.length < wanted; lookedAt += wanted) {
    const rows = await mergedScan(reader, evmTokensByHeight, {
      prefixes,
      ...(reached && { after: reached }),
      reverse: true,
      limit: wanted,
    });
    found.push(
      ...(await knownTokens(
        rows.map(({ key }) => key.token),
        context,
      )),
    );
    const last = rows.at(-1)?.key;
    reached = rows.length < wanted ? undefined : last && { height: last.height, token: last.token };
    if (reached === undefined) break;
  }
  const tokens = found.slice(0, pageSize);
  const last = found.length > pageSize ? tokens.at(-1) : reached;
  return { tokens, end: last && { height: last.height, token: last.token } };
}
