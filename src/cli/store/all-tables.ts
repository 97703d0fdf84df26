/** All tables that a store may have, by rising ID: what a store in PostgreSQL is made of, and what `firn copy` copies. */
import type { Table } from "../../base/table/table.ts";
import { tablesById } from "../../serve/all-tables.ts";

export const allTables: readonly Table[] = [...tablesById.values()].sort((a, b) => a.id - b.id);
