/** Reads the transfers and internal transactions of a page of transactions, all at once. */

import { ERC20, ERC721, ERC1155, type Internal, type Transfer } from "../../../../evm/facts.ts";
import { NATIVE, type OwnPart, type Posting, ROLE_OF } from "../../../../evm/index/postings.ts";
import type { PlacedPosting } from "../../../../evm/index/read-lists.ts";
import { allParts, PART_ITEMS, readInternalParts, readTransferParts } from "../../../../evm/index/read-parts.ts";
import { evmAddressInternals } from "../../../../evm/index/tables.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { type EvmReading, mentionedIn, type Tokens } from "../present-token.ts";
import { type LoadedTransaction, presentInternal } from "../present-transaction.ts";
import type { TransactionDetails } from "../transaction-schemas.ts";

export interface TransactionParts {
  readonly transfers: readonly Transfer[];
  readonly internals: readonly Internal[];
}

/**
 * One transaction can pay for tens of thousands of transfers. It is shown with the first MOST_PARTS of each kind; lists of transfers have
 * all of them. A page of transactions ends early where they have more in total.
 */
export const MOST_PARTS = 10_000;

/** The first of consecutive transactions whose parts fit on a page, at least one. */
export function fittingOnPage<T extends LoadedTransaction>(transactions: readonly T[]): readonly T[] {
  let parts = 0;
  const end = transactions.findIndex(({ row }, i) => {
    parts += row.transfers + row.internals;
    return i > 0 && parts > MOST_PARTS;
  });
  return end === -1 ? transactions : transactions.slice(0, end);
}

/** Reads all parts of one transaction, up to MOST_PARTS transfers and as many internal transactions. Costs few rows. */
export async function readAllParts(
  { place, row }: LoadedTransaction,
  { reader, evmChain: { chain } }: EvmReading,
): Promise<TransactionParts> {
  const [transfers, internals] = await Promise.all([
    readTransferParts(reader, chain, allParts(place, row, Math.min(row.transfers, MOST_PARTS))),
    readInternalParts(reader, chain, allParts(place, row, Math.min(row.internals, MOST_PARTS))),
  ]);
  return { transfers: transfers.flat().slice(0, MOST_PARTS), internals: internals.flat().slice(0, MOST_PARTS) };
}

/** A transaction in a list of an address. */
export type ListedTransaction = LoadedTransaction & Pick<PlacedPosting, "role" | "parts">;

/**
 * Reads the address's own parts of transactions in its list. They must fit on a page (`fittingOnPage`). Costs one row for each part that is
 * not a transaction's first, and one for each transaction with many internal transactions.
 */
export async function readOwnParts(
  address: Address,
  transactions: readonly ListedTransaction[],
  reading: EvmReading,
): Promise<TransactionParts[]> {
  const [transfers, internals] = await Promise.all([
    ownTransfers(address, transactions, reading),
    ownInternals(address, transactions, reading),
  ]);
  return transactions.map((_, i) => ({ transfers: transfers[i]!, internals: internals[i]! }));
}

async function ownTransfers(
  address: Address,
  transactions: readonly ListedTransaction[],
  { reader, evmChain: { chain } }: EvmReading,
): Promise<Transfer[][]> {
  const wanted = transactions.flatMap((transaction, at) => {
    const { place, row, role = 0, parts } = transaction;
    if ((role & ~NATIVE) === 0) return [];
    return firstOfEachKind(parts).map((part) => ({ at, place, row, part }));
  });
  return grouped(transactions.length, wanted, await readTransferParts(reader, chain, wanted), (own) => {
    const counts = new Map<number, number>();
    return own.filter(({ from, to, kind }) => {
      if (from !== address && to !== address) return false;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return counts.get(kind)! <= MOST_PARTS;
    });
  });
}

/** Enough parts for MOST_PARTS transfers of each kind. */
function firstOfEachKind(parts: readonly OwnPart[] | undefined): number[] {
  if (parts === undefined) return [0];
  const wanted = Object.values(ROLE_OF).flatMap((kind) => parts.filter(({ kinds }) => (kinds & kind) !== 0).slice(0, MOST_PARTS));
  return [...new Set(wanted.map(({ part }) => part))].sort((a, b) => a - b);
}

async function ownInternals(
  address: Address,
  transactions: readonly ListedTransaction[],
  { reader, evmChain: { chain } }: EvmReading,
): Promise<Internal[][]> {
  const long = transactions.filter(({ row }) => row.internals > PART_ITEMS);
  const lists = await reader.getMany(
    evmAddressInternals,
    long.map(({ place: { height } }) => ({ chain, address, height })),
  );
  const partsOf = new Map(long.map((transaction, i) => [transaction, ownPartsIn(lists[i]?.transactions, transaction.place.index)]));
  const wanted = transactions.flatMap((transaction, at) => {
    const { place, row } = transaction;
    const parts = partsOf.get(transaction) ?? (row.internals === 0 ? [] : [0]);
    return parts.slice(0, MOST_PARTS).map((part) => ({ at, place, row, part }));
  });
  return grouped(transactions.length, wanted, await readInternalParts(reader, chain, wanted), (own) =>
    own.filter(({ from, to }) => from === address || to === address).slice(0, MOST_PARTS),
  );
}

function ownPartsIn(postings: readonly Posting[] | undefined, index: number): number[] {
  const posting = postings?.find((each) => each.index === index);
  return posting === undefined ? [] : (posting.parts?.map(({ part }) => part) ?? [0]);
}

/** The items of parts by transaction. */
function grouped<T>(
  count: number,
  wanted: readonly { readonly at: number }[],
  parts: readonly (readonly T[])[],
  own: (items: readonly T[]) => T[],
): T[][] {
  const items = Array.from({ length: count }, (): T[][] => []);
  for (const [i, { at }] of wanted.entries()) items[at]!.push(parts[i] as T[]);
  return items.map((each) => own(each.flat()));
}

/** The addresses and NFTs in parts, for `Tokens.read`. */
export function mentionedInParts(parts: readonly TransactionParts[]) {
  const { addresses, nfts } = mentionedIn(parts.flatMap(({ transfers }) => transfers));
  return { addresses: [...addresses, ...parts.flatMap(({ internals }) => internals.flatMap(({ from, to }) => [from, to]))], nfts };
}

/** In the chain's order; empty lists are left out. */
export function presentParts({ transfers, internals }: TransactionParts, tokens: Tokens): Omit<TransactionDetails, "nativeTransaction"> {
  const of = (kind: number) => transfers.filter((transfer) => transfer.kind === kind);
  const erc20Transfers = of(ERC20).map((transfer) => tokens.erc20Transfer(transfer));
  const erc721Transfers = of(ERC721).map((transfer) => tokens.erc721Transfer(transfer));
  const erc1155Transfers = of(ERC1155).map((transfer) => tokens.erc1155Transfer(transfer));
  const internalTransactions = internals.map((row) => presentInternal(row, tokens));
  return {
    ...(erc20Transfers.length > 0 && { erc20Transfers }),
    ...(erc721Transfers.length > 0 && { erc721Transfers }),
    ...(erc1155Transfers.length > 0 && { erc1155Transfers }),
    ...(internalTransactions.length > 0 && { internalTransactions }),
  };
}
