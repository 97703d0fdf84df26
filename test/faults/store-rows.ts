import { join } from "node:path";
import { open } from "lmdb";
import { storeWriter } from "../../src/store/tables.ts";

/** All rows of a store as they are on disk, without the record of who writes it. */
export async function storeRows(dataDirectory: string): Promise<Map<string, string>> {
  const entries = open<Uint8Array, Uint8Array>({
    path: join(dataDirectory, "store"),
    readOnly: true,
    encoding: "binary",
    keyEncoding: "binary",
    overlappingSync: false,
  });
  const rows = new Map<string, string>();
  for (const { key, value } of entries.getRange()) {
    const bytes = Buffer.from(key);
    if (bytes.readUInt16BE() !== storeWriter.id) rows.set(bytes.toString("hex"), Buffer.from(value).toString("hex"));
  }
  await entries.close();
  return rows;
}

/** What is different, in words; undefined if nothing is. */
export function firstDifference(
  found: Map<string, string>,
  expected: Map<string, string>,
  where = (key: string) => `table ${Number.parseInt(key.slice(0, 4), 16)}, key ${key.slice(4)}`,
): string | undefined {
  for (const [key, value] of expected) {
    if (!found.has(key)) return `missing row: ${where(key)}`;
    if (found.get(key) !== value) return `different row: ${where(key)}: ${found.get(key)} instead of ${value}`;
  }
  for (const key of found.keys()) if (!expected.has(key)) return `surplus row: ${where(key)}`;
  return undefined;
}

/** Numbers of the tables that have rows. */
export function tablesOf(rows: ReadonlyMap<string, string>): Set<number> {
  return new Set([...rows.keys()].map((key) => Number.parseInt(key.slice(0, 4), 16)));
}
