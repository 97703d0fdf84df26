/**
 * Merges the newest items of several chains into one list, by time, then by chain ID, then in the chain's own order. A page costs
 * O(pageSize + chains) rows. After the first page there is also a binary search over the blocks of each chain, since a token holds only the
 * time and the position of one chain.
 */
import Type from "typebox";
import { evmBlocks } from "../../../evm/index/tables.ts";
import type { DataContext, Position } from "../context.ts";
import type { EvmChain } from "./evm-chain.ts";
import type { EvmReading } from "./present-token.ts";
import type { TransactionPlace } from "./present-transaction.ts";

export const networkQuery = {
  network: Type.Optional(
    Type.Union([Type.Literal("mainnet"), Type.Literal("fuji"), Type.Literal("testnet")], {
      description: "`mainnet` lists chains that are not testnets; `fuji` and `testnet` list testnets. By default all chains are listed.",
    }),
  ),
};

export function isOfNetwork({ settings: { isTestnet } }: EvmChain, network: "mainnet" | "fuji" | "testnet" | undefined): boolean {
  return network === undefined || isTestnet === (network !== "mainnet");
}

/** Where a chain's part of the list starts: after an item, or at a height. */
export type ListStart = { readonly after: TransactionPlace } | { readonly from: { readonly height: bigint } } | Record<never, never>;

export interface LatestItem {
  /** Unix seconds */
  readonly timestamp: bigint;
  /** for a block, the index is 0 */
  readonly place: TransactionPlace;
}

/** Reads up to `limit` items of one chain, newest first. */
export type ReadLatest<T extends LatestItem> = (reading: EvmReading, start: ListStart, limit: number) => Promise<T[]>;

export interface ItemOfChain<T> {
  readonly evmChain: EvmChain;
  readonly item: T;
}

/** Reads only the chains that are available. */
export async function latestPage<T extends LatestItem>(
  chains: readonly EvmChain[],
  read: ReadLatest<T>,
  pageSize: number,
  context: DataContext,
): Promise<{ items: ItemOfChain<T>[]; nextPageToken?: string }> {
  const { reader, after } = context;
  const served = chains.filter((chain) => context.isAvailable(chain));
  // Most chains have few of the newest items.
  const chunk = Math.min(pageSize + 1, Math.ceil((2 * (pageSize + 1)) / Math.max(1, served.length)) + 1);
  const opened = await Promise.all(served.map((evmChain) => Cursor.open({ reader, evmChain }, read, after && positionOf(after), chunk)));
  const items: ItemOfChain<T>[] = [];
  for (;;) {
    let first: Cursor<T> | undefined;
    for (const cursor of opened) if (cursor.item !== undefined && (first === undefined || cursor.precedes(first))) first = cursor;
    if (first === undefined) return { items };
    if (items.length === pageSize) return { items, ...context.nextPage(nextPosition(items.at(-1)!)) };
    items.push({ evmChain: first.evmChain, item: first.item! });
    await first.advance();
  }
}

interface LatestPosition {
  readonly timestamp: bigint;
  readonly evmChainId: bigint;
  readonly place: TransactionPlace;
}

function nextPosition({ evmChain, item }: ItemOfChain<LatestItem>): Position {
  return { timestamp: item.timestamp, chainId: evmChain.evmChainId, ...item.place };
}

function positionOf({ timestamp, chainId, height, index }: Position): LatestPosition {
  return {
    timestamp: BigInt(timestamp!),
    evmChainId: BigInt(chainId!),
    place: { height: BigInt(height!), index: Number(index) },
  };
}

/** Reads one chain's part of the list in chunks. */
class Cursor<T extends LatestItem> {
  readonly evmChain: EvmChain;
  item: T | undefined;
  readonly #read: (start: ListStart) => Promise<T[]>;
  readonly #chunk: number;
  #items: T[] = [];
  #next = 0;

  static async open<T extends LatestItem>(
    reading: EvmReading,
    read: ReadLatest<T>,
    position: LatestPosition | undefined,
    chunk: number,
  ): Promise<Cursor<T>> {
    const cursor = new Cursor<T>(reading.evmChain, (start) => read(reading, start, chunk), chunk);
    const start = position === undefined ? {} : await startBehind(position, reading);
    if (start !== undefined) await cursor.#fill(start);
    return cursor;
  }

  private constructor(evmChain: EvmChain, read: (start: ListStart) => Promise<T[]>, chunk: number) {
    this.evmChain = evmChain;
    this.#read = read;
    this.#chunk = chunk;
  }

  precedes(other: Cursor<T>): boolean {
    const [mine, others] = [this.item!.timestamp, other.item!.timestamp];
    return mine === others ? this.evmChain.evmChainId < other.evmChain.evmChainId : mine > others;
  }

  async advance(): Promise<void> {
    const last = this.#items.at(-1)!;
    if (this.#next === this.#items.length && this.#next === this.#chunk) await this.#fill({ after: last.place });
    else this.item = this.#items[this.#next++];
  }

  async #fill(start: ListStart): Promise<void> {
    this.#items = await this.#read(start);
    this.item = this.#items[0];
    this.#next = 1;
  }
}

/** undefined: the chain has nothing after the position */
async function startBehind({ timestamp, evmChainId, place }: LatestPosition, reading: EvmReading): Promise<ListStart | undefined> {
  const own = reading.evmChain.evmChainId;
  if (own === evmChainId) return { after: place };
  const height = await newestUpTo(own > evmChainId ? timestamp : timestamp - 1n, reading);
  return height === undefined ? undefined : { from: { height } };
}

/** Height of the newest block at or before that time. A chain's times never decrease, and its heights have no gaps. */
async function newestUpTo(timestamp: bigint, { reader, evmChain: { chain } }: EvmReading): Promise<bigint | undefined> {
  const end = async (reverse: boolean) => (await reader.scan(evmBlocks, { prefix: { chain }, reverse, limit: 1 }))[0];
  const newest = await end(true);
  if (newest === undefined || newest.value.timestamp <= timestamp) return newest?.key.height;
  const oldest = (await end(false))!;
  if (oldest.value.timestamp > timestamp) return undefined;
  let [low, high] = [oldest.key.height, newest.key.height];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    const row = await reader.get(evmBlocks, { chain, height: middle });
    if (row!.timestamp <= timestamp) low = middle;
    else high = middle;
  }
  return low;
}
