/** Transfers in lists of their own, with the block and the transaction that they happened in. */
import { evmBlocks, evmTransactions, evmTransfers } from "../../index/evm/tables.ts";
import { type EvmReading, mentionedIn, Tokens } from "./present-token.ts";
import type { Place, TokenTransfer } from "./transfer-schemas.ts";

/** As keys of `evm_transfers` and of the lists that lead to it have it. */
export interface TransferPlace {
  readonly height: bigint;
  readonly index: number;
  readonly logIndex: number;
  readonly batchIndex: number;
}

/** In the order of the places. Costs some rows for each. */
export async function presentTransfers(places: readonly TransferPlace[], context: EvmReading): Promise<TokenTransfer[]> {
  const { chain } = context.evmChain;
  const rows = await context.reader.getMany(
    evmTransfers,
    places.map(({ height, index, logIndex, batchIndex }) => ({ chain, height, index, logIndex, batchIndex })),
  );
  const transfers = rows.map((row, i) => {
    if (row === undefined) throw new Error(`the transfer at ${JSON.stringify(places[i], stringOfBigint)} has no row`);
    return row;
  });
  const [happened, tokens] = await Promise.all([presentPlaces(places, context), Tokens.read(mentionedIn(transfers), context)]);
  return transfers.map((row, i) => ({ ...happened[i]!, ...tokens.transfer(row, places[i]!.logIndex) }));
}

function stringOfBigint(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}

/** Blocks and transactions of a page, each read once. */
export async function presentPlaces(
  places: readonly { readonly height: bigint; readonly index: number }[],
  { reader, evmChain: { chain } }: EvmReading,
): Promise<Place[]> {
  const heights = [...new Set(places.map(({ height }) => height))];
  const transactions = new Map(places.map(({ height, index }) => [`${height} ${index}`, { chain, height, index }]));
  const [blocks, found] = await Promise.all([
    reader.getMany(
      evmBlocks,
      heights.map((height) => ({ chain, height })),
    ),
    reader.getMany(evmTransactions, [...transactions.values()]),
  ]);
  const blockAt = new Map(heights.map((height, i) => [height, blocks[i]!]));
  const hashAt = new Map([...transactions.keys()].map((key, i) => [key, found[i]!.hash]));
  return places.map(({ height, index }) => {
    const { hash, timestamp, timestampMilliseconds } = blockAt.get(height)!;
    return {
      blockNumber: `${height}`,
      blockTimestamp: Number(timestamp),
      ...(timestampMilliseconds !== undefined && { blockTimestampMilliseconds: Number(timestampMilliseconds) }),
      blockHash: `0x${hash}`,
      txHash: `0x${hashAt.get(`${height} ${index}`)!}`,
    };
  });
}
