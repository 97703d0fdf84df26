/** Presents transfers in lists of their own, with the block and the transaction of each. */
import { evmTransfers } from "../../evm/index/tables.ts";
import type { Position } from "../context.ts";
import { type EvmReading, mentionedIn, Tokens } from "./present-token.ts";
import { type LoadedTransaction, readTransactions, type TransactionPlace } from "./present-transaction.ts";
import type { Place, TokenTransfer } from "./transfer-schemas.ts";

/** The position of a transfer, as in the keys of `evm_transfers` and of the lists that lead to it. */
export interface TransferPlace {
  readonly height: bigint;
  readonly index: number;
  readonly logIndex: number;
  readonly batchIndex: number;
}

/** Reads a row's key, or the position of a page. */
export function transferPlace({ height, index, logIndex, batchIndex }: Position | TransferPlace): TransferPlace {
  return { height: BigInt(height!), index: Number(index), logIndex: Number(logIndex), batchIndex: Number(batchIndex) };
}

/** In the order of the places. Costs some rows for each. */
export async function presentTransfers(places: readonly TransferPlace[], context: EvmReading): Promise<TokenTransfer[]> {
  const { chain } = context.evmChain;
  const [rows, transactions] = await Promise.all([
    context.reader.getMany(
      evmTransfers,
      places.map(({ height, index, logIndex, batchIndex }) => ({ chain, height, index, logIndex, batchIndex })),
    ),
    readTransactions(places, context),
  ]);
  const transfers = rows.map((row, i) => {
    if (row === undefined) throw new Error(`transfer ${places[i]!.logIndex} of block ${places[i]!.height} has no row`);
    return row;
  });
  const tokens = await Tokens.read(mentionedIn(transfers), context);
  return transfers.map((row, i) => ({ ...presentPlace(transactions[i]!), ...tokens.transfer(row, places[i]!.logIndex) }));
}

/** The block and transaction of an item in a list of its own. */
export function presentPlace({ place, row, block }: LoadedTransaction): Place {
  return {
    blockNumber: `${place.height}`,
    blockTimestamp: Number(block.timestamp),
    ...(block.timestampMilliseconds !== undefined && { blockTimestampMilliseconds: Number(block.timestampMilliseconds) }),
    blockHash: `0x${block.hash}`,
    txHash: `0x${row.hash}`,
  };
}

/** Costs one row for each, and one for each block. */
export async function presentPlaces(places: readonly TransactionPlace[], context: EvmReading): Promise<Place[]> {
  return (await readTransactions(places, context)).map(presentPlace);
}
