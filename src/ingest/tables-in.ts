import type { Table } from "../base/table/table.ts";

/** The tables that a module exports. */
export function tablesIn(module: object): Table[] {
  return Object.values(module).filter((member): member is Table => typeof member === "object" && "key" in member);
}
