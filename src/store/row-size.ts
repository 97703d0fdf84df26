/** Estimates the size of a table's rows from their variable-length columns. */
import { memorySize } from "../base/collections/memory-size.ts";
import type { Table } from "../base/table/table.ts";

export class RowSizer {
  /** columns of variable length */
  readonly #columns: readonly string[];
  /** Estimated size in bytes of the largest recent rows; rows of a new table are assumed to be large. */
  typicalBytes: number;

  constructor(table: Table) {
    const columns = Object.entries(table.value).filter(([, { column }]) => !FIXED.has(column?.kind ?? "structure"));
    this.#columns = columns.map(([name]) => name);
    this.typicalBytes = this.#columns.length === 0 ? SMALL : LARGE;
  }

  /** Size of a row's value in bytes. */
  bytesOf(value: object): number {
    if (this.#columns.length === 0) return SMALL;
    let bytes = SMALL;
    for (const column of this.#columns) {
      const content = (value as Record<string, unknown>)[column];
      bytes += content instanceof Uint8Array ? content.byteLength : memorySize(content);
    }
    this.typicalBytes = bytes > this.typicalBytes ? bytes : this.typicalBytes - (this.typicalBytes - bytes) / FORGETTING;
    return bytes;
  }
}

const FIXED: ReadonlySet<string> = new Set(["u8", "u16", "u32", "u64", "bool", "hex"]);
/** estimate for the fixed-length columns */
const SMALL = 32;
const LARGE = 2 ** 16;
/** number of rows after which a large one has little influence */
const FORGETTING = 64;

const sizers = new WeakMap<Table, RowSizer>();

export function rowSizer(table: Table): RowSizer {
  let sizer = sizers.get(table);
  if (sizer === undefined) {
    sizer = new RowSizer(table);
    sizers.set(table, sizer);
  }
  return sizer;
}
