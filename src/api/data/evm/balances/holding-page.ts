/**
 * A page of what an address holds. It skips spam and contracts that are not tokens. It reads balances that transfers do not determine from
 * the chain. It shows no balance of zero.
 */

import type { TableValue } from "../../../../base/table/table.ts";
import { ERC721 } from "../../../../evm/facts.ts";
import { evmTokens } from "../../../../evm/index/tables.ts";
import { evmTokenChecks } from "../../../../evm/index/token-tables.ts";
import { DIFFERS, NO_SUCH_TOKEN } from "../../../../evm/tokens/balance-samples.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import type { EvmChainContext } from "../../context.ts";
import { tokenBalances } from "./chain-balances.ts";
import { type Holding, type HoldingSource, holdingKeyOf, positionOf } from "./holdings.ts";

interface HoldingQuery {
  readonly holder: Address;
  /** height at which balances are read from the chain */
  readonly height: bigint;
  readonly pageSize: number;
  /** leave out tokens that the operator's list calls malicious */
  readonly hidesMalicious: boolean;
}

interface HoldingPage {
  readonly holdings: readonly Holding[];
  readonly nextPageToken?: string;
}

const LARGEST_STRETCH = 1024;
/**
 * Anyone can give an address fake tokens, or tokens whose contracts report a balance of zero. So a page ends early after this many tokens
 * or this many balances read from the node; the next page continues there.
 */
const MOST_LOOKED_AT = 4096;
const MOST_ASKED = 500;

/** Costs O(pageSize + skipped tokens, up to MOST_LOOKED_AT), and a row or two for each contract. */
export async function holdingPage(source: HoldingSource, query: HoldingQuery, context: EvmChainContext): Promise<HoldingPage> {
  const wanted = query.pageSize + 1;
  const shown: Holding[] = [];
  let after = holdingKeyOf(context.after);
  let asked = 0;
  for (let limit = wanted, lookedAt = 0; lookedAt < MOST_LOOKED_AT; limit = Math.min(2 * limit, LARGEST_STRETCH)) {
    const { holdings, end } = await source(after, limit);
    const found = await visible(holdings, query, context);
    shown.push(...found.holdings);
    asked += found.asked;
    lookedAt += limit;
    after = end;
    if (end === undefined || shown.length >= wanted || asked >= MOST_ASKED) break;
  }
  const holdings = shown.slice(0, query.pageSize);
  const last = shown.length > query.pageSize ? holdings.at(-1) : after;
  return { holdings, ...context.nextPage(last && positionOf(last)) };
}

/** The contract emitted logs like those of a token, but when asked turned out not to be one. */
export function isClassedAsNone(row: TableValue<typeof evmTokens> | undefined): boolean {
  return row?.isClassed === true && row.kind === 0;
}

async function visible(
  holdings: readonly Holding[],
  { holder, height, hidesMalicious }: HoldingQuery,
  { reader, evmChain }: EvmChainContext,
): Promise<{ readonly holdings: readonly Holding[]; readonly asked: number }> {
  const { chain, labels, settings } = evmChain;
  const tokens = [...new Set(holdings.map(({ token }) => token))];
  const keys = tokens.map((token) => ({ chain, token }));
  const [checks, classes] = await Promise.all([reader.getMany(evmTokenChecks, keys), reader.getMany(evmTokens, keys)]);
  const hidden = new Set<Address>();
  const lying = new Set<Address>();
  for (const [i, token] of tokens.entries()) {
    const verdict = checks[i]?.verdict;
    const isToken = verdict !== NO_SUCH_TOKEN && !isClassedAsNone(classes[i]);
    if (!isToken || (hidesMalicious && labels.token(token)?.reputation === "Malicious")) hidden.add(token);
    // An index that begins at a later block misses earlier transfers.
    if (verdict === DIFFERS || classes[i]?.hasDebts || settings.startBlock > 0n) lying.add(token);
  }
  const kept = holdings.filter(({ token }) => !hidden.has(token));
  const doubtful = kept.filter(({ kind, token }) => kind !== ERC721 && lying.has(token));
  const read = await tokenBalances(evmChain, holder, doubtful, height);
  const balances = new Map(doubtful.map((holding, i) => [holding, read[i]!]));
  const told = kept.map((holding) => ({ ...holding, balance: balances.get(holding) ?? holding.balance }));
  return { holdings: told.filter(({ balance }) => balance > 0n), asked: doubtful.length };
}
