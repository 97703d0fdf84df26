/** Reads the latest transactions of a chain, all or by status. */
import Type from "typebox";
import { evmTransactions, evmTransactionsByStatus } from "../../../../evm/index/tables.ts";
import type { ListStart } from "../latest-of-all.ts";
import type { EvmReading } from "../present-token.ts";
import { type LoadedTransaction, readTransactions, type TransactionPlace, withBlocks } from "../present-transaction.ts";

export const statusQuery = {
  status: Type.Optional(
    Type.Union([Type.Literal("failed"), Type.Literal("success")], { description: "Only transactions with this status. By default both." }),
  ),
};
type TransactionStatus = "failed" | "success";

/** Newest first. Costs O(limit) rows. */
export async function readLatestTransactions(
  status: TransactionStatus | undefined,
  reading: EvmReading,
  start: ListStart,
  limit: number,
): Promise<LoadedTransaction[]> {
  const { reader, evmChain } = reading;
  const { chain } = evmChain;
  if (status === undefined) {
    const rows = await reader.scan(evmTransactions, { prefix: { chain }, ...start, reverse: true, limit });
    return withBlocks(
      rows.map(({ key: { height, index }, value }) => ({ place: { height, index }, row: value })),
      reading,
    );
  }
  const { after, from } = { after: undefined, from: undefined, ...start };
  const first = after?.height ?? from?.height;
  const rows = await reader.scan(evmTransactionsByStatus, {
    prefix: { chain, isSuccess: status === "success" },
    ...(first !== undefined && { from: { height: first } }),
    reverse: true,
    // those of the first block may all be before the start
    limit: limit + 1,
  });
  const places = rows.flatMap(({ key: { height }, value }) => value.indexes.toReversed().map((index) => ({ height, index })));
  const isBehind = ({ height, index }: TransactionPlace) => after === undefined || height < after.height || index < after.index;
  return readTransactions(places.filter(isBehind).slice(0, limit), reading);
}
