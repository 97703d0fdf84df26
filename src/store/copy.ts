/**
 * Copies the rows of one store into another, table by table in key order, and compares both. The rows that the target has of a table are therefore
 * always a beginning of it, and a copy that was interrupted goes on after the last row. A table that differs in the end, because the source
 * was written between two attempts, is copied again.
 */
import { createHash } from "node:crypto";
import { FirnError } from "../base/errors/errors.ts";
import type { Row, Table, TableKey } from "../base/table/table.ts";
import { RowEncoder } from "./encoded-rows.ts";
import { formatChange, type StoreIdentity, unfinishedChange } from "./format.ts";
import { rowCodec } from "./lmdb/row-codec.ts";
import type { Store, StoreReader } from "./store.ts";
import { storeFormat, storeWriter } from "./tables.ts";

interface CopyOptions {
  readonly from: Store;
  /** empty, or with an unfinished copy of this network */
  readonly to: Store;
  readonly tables: readonly Table[];
  /** what was done since the last call, for each step */
  readonly onStep: (step: CopyStep) => void;
  readonly signal: AbortSignal;
}

export interface CopyStep {
  readonly phase: "copying" | "comparing";
  readonly table: string;
  readonly rows: number;
}

/** Rows in memory at once: those of one page that is read, and of one commit that is written. */
const PAGE_BYTES = 4 << 20;
const PAGE_ROWS = 4096;
const COMMIT_BYTES = 8 << 20;
const COMMIT_ROWS = 20_000;

/** Returns false if it was stopped; the same copy can then go on. */
export async function copyRows({ from, to, tables, onStep, signal }: CopyOptions): Promise<boolean> {
  const format = await from.get(storeFormat, { slot: 0 });
  if (format === undefined) throw new FirnError("store-empty", "the store to copy from has no network yet; there is nothing to copy");
  const isResumed = await begin(to, tables, format);
  // of the process that writes, and what tells that the copy is whole
  const copied = tables.filter((table) => table !== storeWriter && table !== storeFormat);
  const copy = (table: Table) => copyTable(table, from, to, (rows) => onStep({ phase: "copying", table: table.name, rows }), signal);
  const differs = async (table: Table) => {
    const onRows = (rows: number) => onStep({ phase: "comparing", table: table.name, rows });
    const [a, b] = await Promise.all([digest(from, table, onRows, signal), digest(to, table, () => {}, signal)]);
    return !signal.aborted && a !== b;
  };
  for (const table of copied) await copy(table);
  for (const table of copied) {
    if (signal.aborted) return false;
    if (!(await differs(table))) continue;
    if (isResumed) {
      await removeAll(table, to, signal);
      await copy(table);
      if (!(await differs(table))) continue;
    }
    throw new FirnError(
      "store-copy",
      `the rows of ${table.name} differ after they were copied; look for another process that writes one of the two stores`,
      {
        table: table.name,
      },
    );
  }
  if (signal.aborted) return false;
  await to.commit([formatChange(format, format.version)]);
  return true;
}

/** Marks the target as unfinished. Returns whether it has rows of an earlier attempt. */
async function begin(to: Store, tables: readonly Table[], network: StoreIdentity): Promise<boolean> {
  const found = await to.get(storeFormat, { slot: 0 });
  if (found !== undefined) {
    if (found.networkId === network.networkId && found.genesisId === network.genesisId) return true;
    const sentence = `the store to copy into is an unfinished copy of network ${found.networkId}, not of network ${network.networkId}; copy into an empty one`;
    throw new FirnError("store-network", sentence, { found: found.networkId, expected: network.networkId });
  }
  for (const table of tables) {
    if (table === storeWriter || (await to.scan(table, { limit: 1 })).length === 0) continue;
    throw new FirnError("store-not-empty", `the store to copy into has rows already, in ${table.name}; copy into an empty one`, {
      table: table.name,
    });
  }
  await to.commit([unfinishedChange(network)]);
  return false;
}

async function copyTable(table: Table, from: Store, to: Store, onRows: (rows: number) => void, signal: AbortSignal): Promise<void> {
  const [last] = await to.scan(table, { reverse: true, limit: 1 });
  // the next rows are read while these are written
  let written: Promise<void> = Promise.resolve();
  let batch = new RowEncoder(1);
  const write = async () => {
    await written;
    const rows = batch.rows;
    written = to.commit([], [batch.finish()]).then(() => onRows(rows));
    // waited for before the next one
    written.catch(() => {});
    batch = new RowEncoder(1);
  };
  for await (const rows of pagesOf(from, table, last?.key)) {
    for (const { key, value } of rows) batch.add(table, key, value);
    if (batch.rows >= COMMIT_ROWS || batch.byteLength >= COMMIT_BYTES) await write();
    if (signal.aborted) break;
  }
  if (batch.rows > 0) await write();
  await written;
}

/** From the end on: what an interrupted one leaves is a beginning. */
async function removeAll(table: Table, to: Store, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const rows = await to.scan(table, { reverse: true, limit: COMMIT_ROWS, maxBytes: COMMIT_BYTES });
    if (rows.length === 0) return;
    await to.commit(rows.map(({ key }) => ({ table, key, value: undefined })));
  }
}

/** Number and hash of all rows in key order. */
async function digest(reader: StoreReader, table: Table, onRows: (rows: number) => void, signal: AbortSignal): Promise<string> {
  const codec = rowCodec(table);
  const hash = createHash("sha256");
  const lengths = Buffer.alloc(8);
  let count = 0;
  for await (const rows of pagesOf(reader, table)) {
    for (const row of rows) {
      const key = codec.encodeKey(row.key);
      const value = codec.encodeValue(row.value);
      lengths.writeUInt32BE(key.length, 0);
      lengths.writeUInt32BE(value.length, 4);
      hash.update(lengths).update(key).update(value);
    }
    count += rows.length;
    onRows(rows.length);
    if (signal.aborted) break;
  }
  return `${count} ${hash.digest("hex")}`;
}

/** All rows in key order, in pages. */
async function* pagesOf<T extends Table>(reader: StoreReader, table: T, from?: TableKey<T>): AsyncGenerator<Row<T>[]> {
  for (let after = from; ; ) {
    const rows: Row<T>[] = await reader.scan(table, { limit: PAGE_ROWS, maxBytes: PAGE_BYTES, ...(after && { after }) });
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1)!.key;
  }
}
