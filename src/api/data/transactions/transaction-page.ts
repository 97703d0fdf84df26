/** Reads a page of transactions. It ends early if they have too many UTXOs. */
import type { PrimaryChain } from "../../../index/primary/primary-chain.ts";
import type { ChainContext } from "../context.ts";
import { presentTransactions } from "./present.ts";
import { timeBounds } from "./time-bounds.ts";
import { findTransactions, type TransactionFilter } from "./transaction-lists.ts";

export interface PageQuery {
  readonly pageSize: number;
  /** newest first by default */
  readonly sortOrder?: "asc" | "desc";
  readonly startTimestamp?: number;
  readonly endTimestamp?: number;
}

export async function transactionPage<C extends PrimaryChain>(
  chain: C,
  filter: TransactionFilter,
  { pageSize, sortOrder = "desc", startTimestamp, endTimestamp }: PageQuery,
  context: ChainContext,
) {
  const reverse = sortOrder === "desc";
  const bounds = timeBounds(startTimestamp, endTimestamp, { reverse });
  const found = bounds === undefined ? [] : await findTransactions(filter, { bounds, reverse, limit: pageSize + 1 }, context);
  const transactions = await presentTransactions(chain, found.slice(0, pageSize), context, { maxUtxos: context.settings.pageUtxos });
  const last = found[transactions.length - 1]?.place;
  return { transactions, ...context.nextPage(found.length > transactions.length && last ? { ...last } : undefined) };
}
