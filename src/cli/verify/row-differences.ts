/** Compares rows of a store with what they should be. */
import { encodeAll, struct } from "../../base/codec/codec.ts";
import type { Change } from "../../base/table/table.ts";
import { tablesById } from "../../serve/all-tables.ts";
import type { StoreReader } from "../../store/store.ts";
import { keyText } from "./key-text.ts";

/** What is wrong, as the end of a sentence whose subject is that which the rows follow from. */
export async function differences(reader: StoreReader, changes: readonly Change[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [id, ofTable] of groupedByTable(changes)) {
    const table = tablesById.get(id)!;
    const codec = struct(table.value);
    const values = await reader.getMany(
      table,
      ofTable.map(({ key }) => key),
    );
    for (const [index, { key, value }] of ofTable.entries()) {
      const found = values[index];
      if (found === undefined) faults.push(`lacks the row ${keyText(key)} of ${table.name}`);
      else if (Buffer.compare(encodeAll(codec, found as never), encodeAll(codec, value as never)) !== 0) {
        faults.push(`has another row ${keyText(key)} of ${table.name} than follows from it`);
      }
    }
  }
  return faults;
}

function groupedByTable(changes: readonly Change[]): Map<number, Change[]> {
  const groups = new Map<number, Change[]>();
  for (const change of changes) {
    const group = groups.get(change.table.id);
    if (group === undefined) groups.set(change.table.id, [change]);
    else group.push(change);
  }
  return groups;
}
