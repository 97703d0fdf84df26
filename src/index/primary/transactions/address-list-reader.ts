/** Reads the transactions of addresses, of all types or of some. Costs O(limit + lists) rows. */
import type { ShortId } from "../../../base/bytes/id.ts";
import type { Row, Table, TableKey } from "../../../base/table/table.ts";
import type { ScanRange, StoreReader } from "../../../store/store.ts";
import { mergedScan } from "../../merged-scan.ts";
import type { PackedRow } from "../../packed-list.ts";
import { readPage } from "../../packed-list-reader.ts";
import { addressListFormat, classAt, packPlace, placeAt } from "./address-lists.ts";
import type { OrderPlace, PlaceRange } from "./transaction-order.ts";
import { ANY_CLASS, addressLists, addressTransactions } from "./transaction-tables.ts";

type ListKey = TableKey<typeof addressLists>;

/** A list of an address, with its own row. */
interface StoredList {
  readonly key: ListKey;
  readonly row: PackedRow;
}

/**
 * The places of the transactions of any of the addresses, each once, in order.
 * @param classes types that are asked for; undefined: all
 */
export async function findUnderAddresses(
  reader: StoreReader,
  scopes: readonly { readonly list: number; readonly address: ShortId }[],
  classes: readonly number[] | undefined,
  range: PlaceRange,
): Promise<OrderPlace[]> {
  const lists = await listsOf(reader, scopes, classes);
  const rows = await mergedScan(scanLists(reader, lists, classes), listedTransactions, { ...range, prefixes: lists.map(({ key }) => key) });
  return rows.map(({ key: { timestamp, ordinal } }) => ({ timestamp, ordinal }));
}

async function listsOf(
  reader: StoreReader,
  scopes: readonly Omit<ListKey, "class">[],
  classes: readonly number[] | undefined,
): Promise<StoredList[]> {
  const whole = await readLists(
    reader,
    scopes.map((scope) => ({ ...scope, class: ANY_CLASS })),
  );
  if (classes === undefined) return whole;
  // a list without parts has no lists of its types: it is filtered
  const divided = whole.filter(({ row }) => row.hasParts);
  const ofClasses = divided.flatMap(({ key }) => classes.map((one) => ({ ...key, class: one })));
  return [...whole.filter(({ row }) => !row.hasParts), ...(await readLists(reader, ofClasses))];
}

async function readLists(reader: StoreReader, keys: readonly ListKey[]): Promise<StoredList[]> {
  const rows = await reader.getMany(addressLists, keys);
  return keys.flatMap((key, i) => (rows[i] === undefined ? [] : [{ key, row: rows[i] }]));
}

/** The lists as if each had a row for each of its transactions. */
const listedTransactions = { ...addressTransactions, value: {} };

function scanLists(reader: StoreReader, lists: readonly StoredList[], classes: readonly number[] | undefined): Pick<StoreReader, "scan"> {
  const rows = new Map(lists.map(({ key, row }) => [nameOf(key), row]));
  return {
    async scan<T extends Table>(_table: T, range: ScanRange<T>): Promise<Row<T>[]> {
      const { prefix, limit, ...bounds } = range as unknown as PlaceRange & { readonly prefix: ListKey };
      const accepts = (packed: Buffer, index: number) => classes === undefined || classes.includes(classAt(packed, index));
      const page = { ...pageRange(bounds), kinds: 1, accepts, limit };
      const found: Row<typeof listedTransactions>[] = [];
      await readPage(reader, addressListFormat, { list: prefix, row: rows.get(nameOf(prefix))! }, page, (packed, index) =>
        found.push({ key: { ...prefix, ...placeAt(packed, index) }, value: {} }),
      );
      return found as Row<Table>[] as Row<T>[];
    },
  };
}

function nameOf({ list, address, class: own }: ListKey): string {
  return `${list} ${address} ${own}`;
}

const LAST_ORDINAL = 2n ** 64n - 1n;

function pageRange({ from, after, until, reverse = false }: Omit<PlaceRange, "limit">) {
  const isBeyond = (packed: Buffer, index: number) => {
    const { timestamp } = placeAt(packed, index);
    return reverse ? timestamp <= until!.timestamp : timestamp >= until!.timestamp;
  };
  return {
    after: after && packPlace(after),
    from: after === undefined && from !== undefined ? packPlace({ ...from, ordinal: reverse ? LAST_ORDINAL : 0n }) : undefined,
    ...(until && { isBeyond }),
    reverse,
  };
}
