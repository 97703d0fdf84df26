/** Writes the rows of a commit inside its transaction: few of them with one statement per table, many with COPY. */

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import { Reader, Writer } from "../../base/codec/reader.ts";
import type { Table } from "../../base/table/table.ts";
import { shardsCondition } from "./citus.ts";
import { placementOf } from "./citus-distribution.ts";
import { quoted, type SqlColumn, type SqlColumns, sqlColumns } from "./columns.ts";
import type { Session, Statement } from "./connection.ts";
import { runScript, type ScriptStep } from "./copy-script.ts";
import { decoded, type EncodedRow, keyOf, type PutRow, putsOf, type RowGroup } from "./row-groups.ts";
import { arrayText, arrayType, inlined, sqlList } from "./statements.ts";

const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const END = 0xff_ff;
const CHUNK_BYTES = 256 * 1024;
/** A key begins with its table's ID. */
const ID_BYTES = 2;

/** Encoded rows as binary COPY takes them, without making objects of them. */
function* copyChunks({ key, value }: SqlColumns, rows: readonly EncodedRow[]): Generator<Buffer> {
  const writer = new Writer(2 * CHUNK_BYTES);
  writer.raw(HEADER);
  for (const { source, start, keyEnd, end } of rows) {
    writer.u16(key.length + value.length);
    const ofKey = new Reader(source, start + ID_BYTES, keyEnd);
    for (const column of key) column.copy(writer, ofKey);
    const ofValue = new Reader(source, keyEnd + 1, end);
    for (const column of value) column.copy(writer, ofValue);
    if (writer.length < CHUNK_BYTES) continue;
    yield writer.finish();
    writer.clear();
  }
  writer.u16(END);
  yield writer.finish();
}

/** of one statement; PostgreSQL takes 65,535 */
const MOST_PARAMETERS = 16_384;
/** Rows of one table in a large commit. */
const MOST_AS_ARRAYS = 300;
const UNIQUE_VIOLATION = "23505";
/** what Citus makes of any failure of a node's COPY; one of another cause comes again when the rows are staged */
const NODE_FAILURE = "XX000";

/** One statement per table and kind of change; all are sent at once. */
export function writeFew(session: Session, groups: readonly RowGroup[], isDistributed: boolean): Promise<unknown>[] {
  return groups.flatMap((group) => fewRows(group, isDistributed)).map((statement) => session.query(statement));
}

function fewRows(group: RowGroup, isDistributed: boolean): Statement[] {
  const puts = decoded(group.table, putsOf(group));
  const removals = removeRows(group, isDistributed);
  if (puts.length === 0) return removals;
  const isSpread = isDistributed && placementOf(group.table).kind === "distributed";
  return [...(isSpread ? insertRows(group.table, puts) : [upsert(group.table, puts)]), ...removals];
}

/** Citus sends each row of `VALUES` to its shard; what is selected it would first gather, for every shard, in a file. */
function insertRows(table: Table, puts: readonly PutRow[]): Statement[] {
  const { key, value } = sqlColumns(table);
  const all = [...key, ...value];
  const rowsPerStatement = Math.floor(MOST_PARAMETERS / all.length);
  const statements: Statement[] = [];
  for (let start = 0; start < puts.length; start += rowsPerStatement) {
    const some = puts.slice(start, start + rowsPerStatement);
    const values = some.flatMap((put) => [
      ...key.map((column) => column.text(put.key[column.name])),
      ...value.map((column) => column.text(put.value[column.name])),
    ]);
    const rows = some.map((_, row) => `(${all.map(({ type }, i) => `$${row * all.length + i + 1}::${type}`).join(", ")})`);
    const text = `INSERT INTO ${quoted(table.name)} (${sqlList(all)}) VALUES ${rows.join(", ")} ${onConflict(key, value)}`;
    statements.push({ text, values });
  }
  return statements;
}

function upsert(table: Table, puts: readonly PutRow[]): Statement {
  const { key, value } = sqlColumns(table);
  const all = [...key, ...value];
  const arrays = [...key.map((column) => arrayOf(column, puts, "key")), ...value.map((column) => arrayOf(column, puts, "value"))];
  const given = all.map(({ type }, i) => `$${i + 1}::${arrayType(type)}`).join(", ");
  const text = `INSERT INTO ${quoted(table.name)} (${sqlList(all)}) SELECT * FROM unnest(${given}) ${onConflict(key, value)}`;
  return { text, name: `firn_put_${table.name}`, values: arrays };
}

function arrayOf(column: SqlColumn, puts: readonly PutRow[], part: keyof PutRow): string {
  return arrayText(puts.map((put) => column.text(put[part][column.name])));
}

function onConflict(key: readonly SqlColumn[], value: readonly SqlColumn[]): string {
  if (value.length === 0) return "ON CONFLICT DO NOTHING";
  const changes = value.map(({ sqlName }) => `${sqlName} = EXCLUDED.${sqlName}`).join(", ");
  return `ON CONFLICT (${sqlList(key)}) DO UPDATE SET ${changes}`;
}

function removeRows({ table, rows }: RowGroup, isDistributed: boolean): Statement[] {
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
  return [{ text, name: `firn_remove_${table.name}`, values: arrays }];
}

/**
 * Writes many rows. Few rows of a table go as arrays. More are copied: into the table itself if its rows were all new so far; from a temporary
 * table if a row was there before. Which tables these are the first large commit finds out, with a savepoint for each table; the next ones are
 * sent at once. If one of them is the first to replace a row of its table, it is written again like the first.
 */
export class BulkRows {
  readonly #session: Session;
  /** tables whose rows are replaced */
  readonly #replaced = new Set<Table>();
  readonly #isDistributed: boolean;
  #isFirst = true;

  constructor(session: Session, isDistributed: boolean) {
    this.#session = session;
    this.#isDistributed = isDistributed;
  }

  async write(groups: readonly RowGroup[]): Promise<void> {
    if (!this.#isDistributed && !this.#isFirst && (await this.#writeAtOnce(groups))) return;
    this.#isFirst = false;
    for (const group of groups) {
      for (const statement of removeRows(group, this.#isDistributed)) await this.#session.query(statement);
      const puts = putsOf(group);
      if (puts.length === 0) continue;
      if (this.#isDistributed || puts.length > MOST_AS_ARRAYS) await this.#put(group.table, puts);
      else await this.#session.query(upsert(group.table, decoded(group.table, puts)));
    }
  }

  /** @returns whether it wrote them; otherwise it wrote none, because a table is not yet known to have rows that are replaced */
  async #writeAtOnce(groups: readonly RowGroup[]): Promise<boolean> {
    const steps = groups.flatMap((group): ScriptStep[] => {
      const puts = putsOf(group);
      const isCopied = puts.length > MOST_AS_ARRAYS;
      const few = isCopied ? removeRows(group, false) : fewRows(group, false);
      return [...few.map((statement) => ({ text: inlined(statement) })), ...(isCopied ? this.#copied(group.table, puts) : [])];
    });
    try {
      await runScript(this.#session.client, [{ text: "SAVEPOINT direct" }, ...steps]);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
      await this.#session.query({ text: "ROLLBACK TO SAVEPOINT direct" });
      return false;
    }
  }

  #copied(table: Table, puts: readonly EncodedRow[]): ScriptStep[] {
    const rows = copyChunks(sqlColumns(table), puts);
    if (!this.#replaced.has(table)) return [{ text: copyText(table, quoted(table.name)), rows }];
    const { create, stage, insert, empty } = staging(table);
    return [{ text: create }, { text: copyText(table, stage), rows }, { text: insert }, { text: empty }];
  }

  async #put(table: Table, puts: readonly EncodedRow[]): Promise<void> {
    if (!this.#replaced.has(table)) {
      try {
        await this.#session.query({ text: "SAVEPOINT direct" });
        await this.#copy(table, quoted(table.name), puts);
        await this.#session.query({ text: "RELEASE SAVEPOINT direct" });
        return;
      } catch (error) {
        const { code } = error as { code?: string };
        if (code !== UNIQUE_VIOLATION && !(this.#isDistributed && code === NODE_FAILURE)) throw error;
        await this.#session.query({ text: "ROLLBACK TO SAVEPOINT direct" });
        this.#replaced.add(table);
      }
    }
    const { create, stage, insert, empty } = staging(table);
    await this.#session.query({ text: create });
    await this.#copy(table, stage, puts);
    await this.#session.query({ text: insert });
    await this.#session.query({ text: empty });
  }

  async #copy(table: Table, target: string, puts: readonly EncodedRow[]): Promise<void> {
    const stream = this.#session.client.query(copyFrom(copyText(table, target)));
    await pipeline(Readable.from(copyChunks(sqlColumns(table), puts)), stream);
  }
}

function copyText(table: Table, target: string): string {
  const { key, value } = sqlColumns(table);
  return `COPY ${target} (${sqlList([...key, ...value])}) FROM STDIN (FORMAT binary)`;
}

/** The statements that put rows by way of a temporary table. A commit that failed took that with it. */
function staging(table: Table): { readonly create: string; readonly stage: string; readonly insert: string; readonly empty: string } {
  const { key, value } = sqlColumns(table);
  const [name, columns, stage] = [quoted(table.name), sqlList([...key, ...value]), `pg_temp.${quoted(`stage_${table.name}`)}`];
  return {
    stage,
    create: `CREATE TEMPORARY TABLE IF NOT EXISTS ${stage} (LIKE ${name})`,
    insert: `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${stage} ${onConflict(key, value)}`,
    empty: `TRUNCATE ${stage}`,
  };
}
