/** Reads the latest transactions of a chain, all or by status. */
import Type from "typebox";
import { evmTransactions, evmTransactionsByStatus } from "../../../evm/index/tables.ts";
import type { ListStart } from "../latest-of-all.ts";
import type { EvmReading } from "../present-token.ts";
import { type LoadedTransaction, readTransactions, withBlocks } from "../present-transaction.ts";

export const statusQuery = {
  status: Type.Optional(
    Type.Union([Type.Literal("failed"), Type.Literal("success")], { description: "Only transactions with this status. By default both." }),
  ),
};
export type TransactionStatus = "failed" | "success";

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
  const prefix = { chain, isSuccess: status === "success" };
  const rows = await reader.scan(evmTransactionsByStatus, { prefix, ...start, reverse: true, limit });
  return readTransactions(
    rows.map(({ key: { height, index } }) => ({ height, index })),
    reading,
  );
}
