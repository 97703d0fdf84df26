/** All tables of EVM chains, for code that handles every row of a chain. */
import type { u32 } from "../../base/codec/codec.ts";
import type { Table } from "../../base/table/table.ts";
import * as holders from "./holder-tables.ts";
import * as icm from "./icm-tables.ts";
import * as logs from "./log-tables.ts";
import * as metrics from "./metric-tables.ts";
import * as index from "./tables.ts";
import * as tokens from "./token-tables.ts";

/** A table whose key begins with the chain. */
export type ChainTable = Table<{ chain: typeof u32 }>;

export const indexTables: readonly ChainTable[] = [index, holders, logs, metrics, icm].flatMap(tablesIn);
export const tokenTables: readonly ChainTable[] = tablesIn(tokens);

function tablesIn(module: object): ChainTable[] {
  return Object.values(module).filter((member): member is ChainTable => typeof member === "object" && "key" in member);
}
