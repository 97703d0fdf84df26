/** Writes the rows of a commit inside its transaction: few of them with one statement per table, many with COPY. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import { Writer } from "../../primitives/codec/writer.ts";
import type { Table } from "../../primitives/table.ts";
import { shardsCondition } from "./citus.ts";
import { placementOf } from "./citus-distribution.ts";
import { quoted, type SqlColumn, sqlColumns } from "./columns.ts";
import type { Session } from "./connection.ts";
import { keyOf, type PutRow, type RowGroup } from "./row-groups.ts";
import { arrayText, arrayType, listOf } from "./statements.ts";

const COPY_HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const COPY_END = 0xff_ff;
const CHUNK_BYTES = 256 * 1024;
/** of one statement; PostgreSQL takes 65,535 */
const MOST_PARAMETERS = 16_384;
/** Rows of one table in a large commit. */
const MOST_AS_ARRAYS = 300;
const UNIQUE_VIOLATION = "23505";
/** what Citus makes of any failure of a node's COPY; one of another cause comes again when the rows are staged */
const NODE_FAILURE = "XX000";

/** One statement per table and kind of change; all are sent at once. */
export function writeFew(session: Session, groups: readonly RowGroup[], isDistributed: boolean): Promise<unknown>[] {
  return groups.flatMap((group) => {
    const puts = putsOf(group);
    return [...putFew(session, group.table, puts, isDistributed), ...removeRows(session, group, isDistributed)];
  });
}

function putFew(session: Session, table: Table, puts: readonly PutRow[], isDistributed: boolean): Promise<unknown>[] {
  if (puts.length === 0) return [];
  return isDistributed && placementOf(table).kind === "distributed" ? insertRows(session, table, puts) : [upsert(session, table, puts)];
}

/** Citus sends each row of `VALUES` to its shard; what is selected it would first gather, for every shard, in a file. */
function insertRows(session: Session, table: Table, puts: readonly PutRow[]): Promise<unknown>[] {
  const { key, value } = sqlColumns(table);
  const all = [...key, ...value];
  const rowsPerStatement = Math.floor(MOST_PARAMETERS / all.length);
  const statements: Promise<unknown>[] = [];
  for (let start = 0; start < puts.length; start += rowsPerStatement) {
    const some = puts.slice(start, start + rowsPerStatement);
    const values = some.flatMap((put) => [
      ...key.map((column) => column.text(put.key[column.name])),
      ...value.map((column) => column.text(put.value[column.name])),
    ]);
    const rows = some.map((_, row) => `(${all.map(({ type }, i) => `$${row * all.length + i + 1}::${type}`).join(", ")})`);
    const text = `INSERT INTO ${quoted(table.name)} (${listOf(all)}) VALUES ${rows.join(", ")} ${onConflict(key, value)}`;
    statements.push(session.query({ text, values }));
  }
  return statements;
}

function upsert(session: Session, table: Table, puts: readonly PutRow[]): Promise<unknown> {
  const { key, value } = sqlColumns(table);
  const all = [...key, ...value];
  const arrays = [...key.map((column) => arrayOf(column, puts, "key")), ...value.map((column) => arrayOf(column, puts, "value"))];
  const given = all.map(({ type }, i) => `$${i + 1}::${arrayType(type)}`).join(", ");
  const text = `INSERT INTO ${quoted(table.name)} (${listOf(all)}) SELECT * FROM unnest(${given}) ${onConflict(key, value)}`;
  return session.query({ text, name: `firn_put_${table.name}`, values: arrays });
}

function arrayOf(column: SqlColumn, puts: readonly PutRow[], part: keyof PutRow): string {
  return arrayText(puts.map((put) => column.text(put[part][column.name])));
}

function onConflict(key: readonly SqlColumn[], value: readonly SqlColumn[]): string {
  if (value.length === 0) return "ON CONFLICT DO NOTHING";
  const changes = value.map(({ sqlName }) => `${sqlName} = EXCLUDED.${sqlName}`).join(", ");
  return `ON CONFLICT (${listOf(key)}) DO UPDATE SET ${changes}`;
}

function removeRows(session: Session, { table, rows }: RowGroup, isDistributed: boolean): Promise<unknown>[] {
  const removed = [...rows].filter(([, row]) => row === undefined).map(([name]) => keyOf(table, name));
  if (removed.length === 0) return [];
  const { key } = sqlColumns(table);
  const arrays = key.map((column) => arrayText(removed.map((row) => column.text(row[column.name]))));
  const given = key.map(({ type }, i) => `$${i + 1}::${arrayType(type)}`).join(", ");
  const joined = key.map(({ sqlName }, i) => `t.${sqlName} = k.k${i}`).join(" AND ");
  const names = key.map((_, i) => `k${i}`).join(", ");
  const shards = shardsCondition(
    table,
    isDistributed,
    key.map(({ type }) => arrayType(type)),
  );
  const text = `DELETE FROM ${quoted(table.name)} t USING unnest(${given}) AS k(${names}) WHERE ${joined}${shards}`;
  return [session.query({ text, name: `firn_remove_${table.name}`, values: arrays })];
}

/**
 * Writes many rows. Few rows of a table go as arrays. More are copied: into the table itself if its rows were all new so far; from a temporary
 * table if a row was there before. What comes before a copy is sent with it: the event loop, which executes blocks meanwhile, looks for
 * answers seldom.
 */
export class BulkRows {
  readonly #session: Session;
  /** tables whose rows are replaced */
  readonly #replaced = new Set<Table>();

  readonly #isDistributed: boolean;

  constructor(session: Session, isDistributed: boolean) {
    this.#session = session;
    this.#isDistributed = isDistributed;
  }

  async write(groups: readonly RowGroup[]): Promise<void> {
    for (const group of groups) {
      await Promise.all(removeRows(this.#session, group, this.#isDistributed));
      const puts = putsOf(group);
      if (puts.length === 0) continue;
      if (this.#isDistributed || puts.length > MOST_AS_ARRAYS) await this.#put(group.table, puts);
      else await upsert(this.#session, group.table, puts);
    }
  }

  async #put(table: Table, puts: readonly PutRow[]): Promise<void> {
    const name = quoted(table.name);
    if (!this.#replaced.has(table)) {
      try {
        await this.#copy("SAVEPOINT direct", table, name, puts);
        if (this.#isDistributed) await this.#session.query({ text: "RELEASE SAVEPOINT direct" });
        return;
      } catch (error) {
        const { code } = error as { code?: string };
        if (code !== UNIQUE_VIOLATION && !(this.#isDistributed && code === NODE_FAILURE)) throw error;
        await this.#session.query({ text: "ROLLBACK TO SAVEPOINT direct" });
        this.#replaced.add(table);
      }
    }
    const { key, value } = sqlColumns(table);
    const [columns, stage] = [listOf([...key, ...value]), `pg_temp.${quoted(`stage_${table.name}`)}`];
    // a commit that failed took the temporary table with it
    await this.#copy(`CREATE TEMPORARY TABLE IF NOT EXISTS ${stage} (LIKE ${name})`, table, stage, puts);
    await this.#session.query({ text: `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${stage} ${onConflict(key, value)}` });
    await this.#session.query({ text: `TRUNCATE ${stage}` });
  }

  /** @param before a statement. Citus gets it alone. */
  async #copy(before: string, table: Table, target: string, puts: readonly PutRow[]): Promise<void> {
    const { key, value } = sqlColumns(table);
    const copy = `COPY ${target} (${listOf([...key, ...value])}) FROM STDIN (FORMAT binary)`;
    if (this.#isDistributed) await this.#session.query({ text: before });
    const stream = this.#session.client.query(copyFrom(this.#isDistributed ? copy : `${before}; ${copy}`));
    await pipeline(Readable.from(copyChunks(key, value, puts)), stream);
  }
}

function* copyChunks(key: readonly SqlColumn[], value: readonly SqlColumn[], puts: readonly PutRow[]): Generator<Buffer> {
  const writer = new Writer(2 * CHUNK_BYTES);
  writer.raw(COPY_HEADER);
  for (const put of puts) {
    writer.u16(key.length + value.length);
    for (const column of key) column.write(writer, put.key[column.name]);
    for (const column of value) column.write(writer, put.value[column.name]);
    if (writer.length < CHUNK_BYTES) continue;
    yield writer.finish();
    writer.clear();
  }
  writer.u16(COPY_END);
  yield writer.finish();
}

function putsOf({ rows }: RowGroup): PutRow[] {
  return [...rows.values()].filter((row) => row !== undefined);
}
