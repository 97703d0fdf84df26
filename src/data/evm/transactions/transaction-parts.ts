/** Reads the transfers and internal transactions of a page of transactions, all at once. */
import type { Address } from "../../../evm/block.ts";
import { ERC20, ERC721, ERC1155 } from "../../../evm/facts.ts";
import { evmAddressInternals, evmAddressTransfers, evmInternals, evmTransfers } from "../../../evm/index/tables.ts";
import type { Table, TableKey } from "../../../primitives/table.ts";
import type { ScanRange, StoreReader } from "../../../store/store.ts";
import { type EvmReading, mentionedIn, type Tokens, type TransferRow } from "../present-token.ts";
import { type InternalRow, type LoadedTransaction, presentInternal, type TransactionPlace } from "../present-transaction.ts";
import type { TransactionDetails } from "../transaction-schemas.ts";

export interface TransactionParts {
  readonly transfers: { readonly logIndex: number; readonly row: TransferRow }[];
  readonly internals: InternalRow[];
}

/**
 * One transaction can pay for tens of thousands of transfers. It is shown with the first MOST_PARTS of each kind; lists of transfers have
 * all of them. A page of transactions ends early where they have more in total.
 */
export const MOST_PARTS = 10_000;

/** The first of consecutive transactions whose parts fit on a page, at least one. */
export function fittingOnPage(transactions: readonly LoadedTransaction[]): readonly LoadedTransaction[] {
  let parts = 0;
  const end = transactions.findIndex(({ row }, i) => {
    parts += row.transfers + row.internals;
    return i > 0 && parts > MOST_PARTS;
  });
  return end === -1 ? transactions : transactions.slice(0, end);
}

/** Reads all parts of one transaction, up to MOST_PARTS transfers and as many internal transactions. Costs one row for each. */
export async function readAllParts(
  { place, row }: LoadedTransaction,
  { reader, evmChain: { chain } }: EvmReading,
): Promise<TransactionParts> {
  const prefix = { chain, ...place };
  const [transfers, internals] = await Promise.all([
    row.transfers === 0 ? [] : reader.scan(evmTransfers, { prefix, limit: Math.min(row.transfers, MOST_PARTS) }),
    row.internals === 0 ? [] : reader.scan(evmInternals, { prefix, limit: Math.min(row.internals, MOST_PARTS) }),
  ]);
  return {
    transfers: transfers.map(({ key: { logIndex }, value }) => ({ logIndex, row: value })),
    internals: internals.map(({ value }) => value),
  };
}

/**
 * Reads the address's own parts of transactions that are consecutive in its list, so every part between the first and the last of them
 * belongs to one of them. They must fit on a page (`fittingOnPage`). Costs two rows for each part and at most four ranges.
 */
export async function readOwnParts(
  address: Address,
  transactions: readonly LoadedTransaction[],
  reading: EvmReading,
): Promise<TransactionParts[]> {
  const parts = new Map(transactions.map(({ place }) => [keyOf(place), { transfers: [], internals: [] } as TransactionParts]));
  await Promise.all([addTransfers(address, transactions, parts, reading), addInternals(address, transactions, parts, reading)]);
  return transactions.map(({ place }) => parts.get(keyOf(place))!);
}

type PartsByPlace = ReadonlyMap<string, TransactionParts>;

async function addTransfers(
  address: Address,
  transactions: readonly LoadedTransaction[],
  parts: PartsByPlace,
  { reader, evmChain: { chain } }: EvmReading,
): Promise<void> {
  const span = spanOf(transactions.filter(({ row }) => row.transfers > 0));
  if (span === undefined) return;
  const ranges = [ERC20, ERC721, ERC1155].map((kind) =>
    readRange(reader, evmAddressTransfers, { prefix: { chain, address, kind }, ...span }),
  );
  const keys = (await Promise.all(ranges)).flat();
  const rows = await reader.getMany(
    evmTransfers,
    keys.map(({ height, index, logIndex, batchIndex }) => ({ chain, height, index, logIndex, batchIndex })),
  );
  for (const [i, key] of keys.entries()) parts.get(keyOf(key))?.transfers.push({ logIndex: key.logIndex, row: rows[i]! });
}

async function addInternals(
  address: Address,
  transactions: readonly LoadedTransaction[],
  parts: PartsByPlace,
  { reader, evmChain: { chain } }: EvmReading,
): Promise<void> {
  const span = spanOf(transactions.filter(({ row }) => row.internals > 0));
  if (span === undefined) return;
  const keys = await readRange(reader, evmAddressInternals, { prefix: { chain, address }, ...span });
  const rows = await reader.getMany(
    evmInternals,
    keys.map(({ height, index, position }) => ({ chain, height, index, position })),
  );
  for (const [i, key] of keys.entries()) parts.get(keyOf(key))?.internals.push(rows[i]!);
}

function keyOf({ height, index }: TransactionPlace): string {
  return `${height} ${index}`;
}

/** The range from the first to the last transaction in the chain's order, whatever the list's order; undefined if there are none. */
function spanOf(transactions: readonly LoadedTransaction[]) {
  const ends = [transactions[0], transactions.at(-1)].flatMap((end) => (end === undefined ? [] : [end.place]));
  const [first, last] = ends.sort((a, b) => (a.height === b.height ? a.index - b.index : a.height < b.height ? -1 : 1));
  if (first === undefined || last === undefined) return undefined;
  return { from: first, until: { height: last.height, index: last.index + 1 } };
}

const CHUNK = 1024;

/** Reads the keys of a range, at most MOST_PARTS. */
async function readRange<T extends Table>(reader: StoreReader, table: T, range: Omit<ScanRange<T>, "limit">): Promise<TableKey<T>[]> {
  const keys: TableKey<T>[] = [];
  for (let start = range; ; ) {
    const rows = await reader.scan(table, { ...start, limit: CHUNK });
    for (const { key } of rows) keys.push(key);
    if (rows.length < CHUNK) return keys;
    if (keys.length >= MOST_PARTS) return keys.slice(0, MOST_PARTS);
    const { from: _, ...rest } = range;
    start = { ...rest, after: rows.at(-1)!.key };
  }
}

/** The addresses and NFTs in parts, for `Tokens.read`. */
export function mentionedInParts(parts: readonly TransactionParts[]) {
  const { addresses, nfts } = mentionedIn(parts.flatMap(({ transfers }) => transfers.map(({ row }) => row)));
  return { addresses: [...addresses, ...parts.flatMap(({ internals }) => internals.flatMap(({ from, to }) => [from, to]))], nfts };
}

/** In the chain's order; empty lists are left out. */
export function presentParts({ transfers, internals }: TransactionParts, tokens: Tokens): Omit<TransactionDetails, "nativeTransaction"> {
  const of = (kind: number) => transfers.filter(({ row }) => row.kind === kind);
  const erc20Transfers = of(ERC20).map(({ row, logIndex }) => tokens.erc20Transfer(row, logIndex));
  const erc721Transfers = of(ERC721).map(({ row, logIndex }) => tokens.erc721Transfer(row, logIndex));
  const erc1155Transfers = of(ERC1155).map(({ row, logIndex }) => tokens.erc1155Transfer(row, logIndex));
  const internalTransactions = internals.map((row) => presentInternal(row, tokens));
  return {
    ...(erc20Transfers.length > 0 && { erc20Transfers }),
    ...(erc721Transfers.length > 0 && { erc721Transfers }),
    ...(erc1155Transfers.length > 0 && { erc1155Transfers }),
    ...(internalTransactions.length > 0 && { internalTransactions }),
  };
}
