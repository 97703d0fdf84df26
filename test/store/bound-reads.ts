/**
 * Holds that every range that a request reads names the column by which Citus distributes the table; reads by key always do. Whatever imports
 * this file has it checked in its process: a request that does otherwise fails.
 */
import type { Table } from "../../src/base/table/table.ts";
import { BudgetedReader } from "../../src/store/budgeted-reader.ts";
import { unboundColumn } from "../../src/store/postgres/citus-distribution.ts";
import type { ScanRange } from "../../src/store/store.ts";

const scan = BudgetedReader.prototype.scan;

BudgetedReader.prototype.scan = function <T extends Table>(this: BudgetedReader, table: T, range: ScanRange<T>) {
  const column = unboundColumn(table, range.prefix);
  if (column !== undefined) {
    throw new Error(`a request reads a range of ${table.name} without ${column}, which would ask all nodes of Citus`);
  }
  return scan.call(this, table, range) as ReturnType<typeof scan<T>>;
};
