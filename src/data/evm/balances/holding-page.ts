/**
 * A page of what an address holds: what is spam or no token is passed over, what cannot be told from transfers is read from the chain, and
 * nothing with a balance of zero is shown.
 */
import type { Address } from "../../../evm/block.ts";
import { ERC721 } from "../../../evm/facts.ts";
import { DIFFERS, NO_SUCH_TOKEN } from "../../../evm/tokens/balance-samples.ts";
import { evmTokens } from "../../../index/evm/tables.ts";
import { evmTokenChecks } from "../../../index/evm/token-tables.ts";
import type { TableValue } from "../../../primitives/table.ts";
import type { DataContext } from "../../context.ts";
import { tokenBalances } from "./chain-balances.ts";
import { type Holding, type HoldingSource, holdingKeyOf, positionOf } from "./holdings.ts";

export interface HoldingQuery {
  readonly holder: Address;
  /** at which balances are read from the chain */
  readonly height: bigint;
  readonly pageSize: number;
  /** tokens that the operator's list calls malicious are not shown */
  readonly hidesMalicious: boolean;
}

export interface HoldingPage {
  readonly holdings: readonly Holding[];
  readonly nextPageToken?: string;
}

const LARGEST_STRETCH = 1024;

/** Costs O(pageSize + what is passed over), and a row or two for each contract. */
export async function holdingPage(source: HoldingSource, query: HoldingQuery, context: DataContext): Promise<HoldingPage> {
  const wanted = query.pageSize + 1;
  const shown: Holding[] = [];
  let after = holdingKeyOf(context.after);
  for (let limit = wanted; shown.length < wanted; limit = Math.min(2 * limit, LARGEST_STRETCH)) {
    const { holdings, isLast } = await source(after, limit);
    shown.push(...(await visible(holdings, query, context)));
    after = holdings.at(-1);
    if (isLast) break;
  }
  const holdings = shown.slice(0, query.pageSize);
  const last = shown.length > query.pageSize ? holdings.at(-1) : undefined;
  return { holdings, ...context.nextPage(last && positionOf(last)) };
}

/** The contract was asked when logs like a token's were met, and is none. */
export function isClassedAsNone(row: TableValue<typeof evmTokens> | undefined): boolean {
  return row?.isClassed === true && row.kind === 0;
}

async function visible(
  holdings: readonly Holding[],
  { holder, height, hidesMalicious }: HoldingQuery,
  { reader, evmChain }: DataContext,
): Promise<Holding[]> {
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
    // an index that begins later has not seen what was moved before
    if (verdict === DIFFERS || classes[i]?.hasDebts || settings.startBlock > 0n) lying.add(token);
  }
  const kept = holdings.filter(({ token }) => !hidden.has(token));
  const doubtful = kept.filter(({ kind, token }) => kind !== ERC721 && lying.has(token));
  const read = await tokenBalances(evmChain, holder, doubtful, height);
  const balances = new Map(doubtful.map((holding, i) => [holding, read[i]!]));
  return kept.map((holding) => ({ ...holding, balance: balances.get(holding) ?? holding.balance })).filter(({ balance }) => balance > 0n);
}
