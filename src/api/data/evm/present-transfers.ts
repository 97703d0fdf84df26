/** Presents transfers in lists of their own, with the block and the transaction of each. */
import type { Transfer } from "../../../evm/facts.ts";
import type { PartPlace } from "../../../evm/index/postings.ts";
import type { ReadPart } from "../../../evm/index/read-lists.ts";
import type { TransactionRow } from "../../../evm/index/read-parts.ts";
import type { Position } from "../context.ts";
import { type EvmReading, mentionedIn, Tokens } from "./present-token.ts";
import { type LoadedTransaction, type TransactionPlace, withBlocks } from "./present-transaction.ts";
import type { TokenTransfer, TransferPlace } from "./transfer-schemas.ts";

/** An item of a list, with its transaction and where it is in the list. */
export interface PlacedItem<T> {
  readonly place: TransactionPlace;
  readonly row: TransactionRow;
  readonly part: number;
  readonly item: T;
}

interface ItemPage<T> {
  readonly items: readonly PlacedItem<T>[];
  /** whether the list has more */
  readonly hasMore: boolean;
}

/** Takes a page of the wanted items of a list's parts. */
export async function itemPage<T>(
  parts: AsyncIterable<ReadPart<T>>,
  { pageSize, reverse, accepts }: { pageSize: number; reverse: boolean; accepts(item: T, at: number, part: ReadPart<T>): boolean },
): Promise<ItemPage<T>> {
  const items: PlacedItem<T>[] = [];
  for await (const found of parts) {
    const { place, row, part } = found;
    const accepted = found.items.filter((item, at) => accepts(item, at, found));
    for (const item of reverse ? accepted.reverse() : accepted) {
      if (items.length === pageSize) return { items, hasMore: true };
      items.push({ place, row, part, item });
    }
  }
  return { items, hasMore: false };
}

/** Where a page of transfers starts: the part with the last one, and what is known of it. */
interface TransferStart extends Partial<PartPlace> {
  readonly height: bigint;
  readonly index: number;
  readonly logIndex: number;
  readonly batchIndex: number;
}

/** Reads the position of a page. */
export function transferStart({ height, index, part, logIndex, batchIndex }: Position): TransferStart {
  return {
    height: BigInt(height!),
    index: Number(index),
    ...(part !== undefined && { part: Number(part) }),
    logIndex: Number(logIndex),
    batchIndex: Number(batchIndex),
  };
}

/** The part that a page starts in. */
export function partOf({ height, index, part }: TransferStart): Partial<PartPlace> {
  return { height, index, ...(part !== undefined && { part }) };
}

/** Whether a transfer comes after the start in a list of the newest ones. */
export function isBehind({ logIndex, batchIndex }: Transfer, { place }: ReadPart<Transfer>, start: TransferStart | undefined): boolean {
  if (start === undefined || place.height !== start.height || place.index !== start.index) return true;
  return logIndex < start.logIndex || (logIndex === start.logIndex && batchIndex < start.batchIndex);
}

/** Presents a page of the newest transfers. Costs some rows for each. */
export async function presentTransfers(
  { items, hasMore }: ItemPage<Transfer>,
  context: EvmReading,
): Promise<{ transfers: TokenTransfer[]; last: Position | undefined }> {
  const transactions = await withBlocks(items, context);
  const tokens = await Tokens.read(mentionedIn(items.map(({ item }) => item)), context);
  const transfers = items.map(({ item }, i) => ({ ...presentPlace(transactions[i]!), ...tokens.transfer(item) }));
  const last = hasMore ? items.at(-1) : undefined;
  if (last === undefined) return { transfers, last };
  const { place, part, item } = last;
  return { transfers, last: { ...place, part, logIndex: item.logIndex, batchIndex: item.batchIndex } };
}

/** The block and transaction of an item in a list of its own. */
export function presentPlace({ place, row, block }: LoadedTransaction): TransferPlace {
  return {
    blockNumber: `${place.height}`,
    blockTimestamp: Number(block.timestamp),
    ...(block.timestampMilliseconds !== undefined && { blockTimestampMilliseconds: Number(block.timestampMilliseconds) }),
    blockHash: `0x${block.hash}`,
    txHash: `0x${row.hash}`,
  };
}
