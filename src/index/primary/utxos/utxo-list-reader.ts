/** Reads lists of UTXOs in order of time. */

import type { ShortId } from "../../../base/bytes/id.ts";
import { u8, u64 } from "../../../base/codec/codec.ts";
import { id, type Row, shortId, type Table, type TableKey } from "../../../base/table/table.ts";
import type { ScanRange, StoreReader } from "../../../store/store.ts";
import { readPage } from "../../packed-list-reader.ts";
import { isSpentAt, type ListedUtxo, packedRow, packPlace, type UtxoListRow, unpackUtxos, utxoAt, utxoLists } from "./utxo-codec.ts";
import { utxosByTime } from "./utxo-tables.ts";

/** A list with its own row. */
export interface StoredUtxoList {
  readonly chain: number;
  readonly listId: ShortId;
  readonly row: UtxoListRow;
}

/** The lists as if each had a row for each of its UTXOs. Read by prefix `{ chain, listId }`, after a place, in either direction. */
export const listedUtxos = { ...utxosByTime, key: { chain: u8, listId: shortId, timestamp: u64, utxoId: id }, value: { amount: u64 } };

export function scanLists(
  reader: StoreReader,
  lists: readonly StoredUtxoList[],
  { includeSpent }: { includeSpent: boolean },
): Pick<StoreReader, "scan"> {
  const rows = new Map(lists.map(({ listId, row }) => [listId, packedRow(row)]));
  const accepts = (packed: Buffer, index: number) => includeSpent || !isSpentAt(packed, index);
  return {
    async scan<T extends Table>(_table: T, range: ScanRange<T>): Promise<Row<T>[]> {
      const { prefix, after, reverse = false, limit } = range as unknown as ScanRange<typeof listedUtxos>;
      const { chain, listId } = prefix as TableKey<typeof listedUtxos>;
      const page = {
        reverse,
        limit,
        kinds: includeSpent ? 2 : 1,
        accepts,
        after: after && packPlace(after as TableKey<typeof listedUtxos>),
      };
      const found: Row<typeof listedUtxos>[] = [];
      await readPage(reader, utxoLists, { list: { chain, listId }, row: rows.get(listId)! }, page, (packed, index) => {
        const { timestamp, utxoId, amount } = utxoAt(packed, index);
        found.push({ key: { chain, listId, timestamp, utxoId }, value: { amount } });
      });
      return found as Row<Table>[] as Row<T>[];
    },
  };
}

/** All UTXOs of a list that has at most `limit`. */
export async function readWhole(
  reader: StoreReader,
  { chain, listId, row }: StoredUtxoList,
  { includeSpent, limit }: { includeSpent: boolean; limit: number },
): Promise<ListedUtxo[]> {
  const parts = await reader.scan(utxosByTime, { prefix: { chain, listId, ...(!includeSpent && { isSpent: false }) }, limit });
  return [...parts.map(({ value }) => value.packed), row.short].flatMap(unpackUtxos);
}
