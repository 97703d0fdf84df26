/** Reads a page of subnets or blockchains in order of creation on the P-chain. Costs pageSize + 1 rows. */

import type { Row, TableKey } from "../../../base/table/table.ts";
import type { blockchainCreations, subnetCreations } from "../../../index/primary/network/network-tables.ts";
import type { DataContext, Position } from "../context.ts";

interface CreationQuery {
  readonly pageSize: number;
  readonly sortOrder: "asc" | "desc";
}

export async function readCreations<T extends typeof subnetCreations | typeof blockchainCreations>(
  table: T,
  { pageSize, sortOrder }: CreationQuery,
  { reader, after }: Pick<DataContext, "reader" | "after">,
): Promise<{ readonly page: readonly Row<T>[]; readonly next: Position | undefined }> {
  const rows = await reader.scan(table, {
    ...(after && { after: after as unknown as TableKey<T> }),
    reverse: sortOrder === "desc",
    limit: pageSize + 1,
  });
  const page = rows.slice(0, pageSize);
  return { page, next: rows.length > pageSize ? (page.at(-1)!.key as Position) : undefined };
}
