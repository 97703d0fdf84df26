/** The tables of a store as SQL, made from their definitions. */
import { FirnError } from "../../base/errors/errors.ts";
import type { Table } from "../../base/table/table.ts";
import { storeFormat } from "../tables.ts";
import { distribute, MARKS, makeMarks } from "./citus.ts";
import { quoted, type SqlColumn, sqlColumns } from "./columns.ts";
import { commitCount } from "./commit-feed.ts";
import type { Session } from "./connection.ts";
import { commentOf, makeFunction, sqlFunctions } from "./functions.ts";
import { leaseTables, SESSION } from "./lease/lease-tables.ts";

interface SchemaOptions {
  readonly schema: string;
  readonly tables: readonly Table[];
  /** the address for people */
  readonly place: string;
  /** whether new tables are distributed over the nodes of Citus (`citus.ts`) */
  readonly distributes?: boolean;
}

const LEASE_TABLE = "store_lease";
/** SQLSTATEs of what another process has made, or is making, at the same time */
const MADE_MEANWHILE: ReadonlySet<string | undefined> = new Set(["23505", "40P01", "42701", "42710", "42723", "42P06", "42P07", "XX000"]);
const ATTEMPTS = 10;

/** how PostgreSQL names types that have shorter names in `CREATE TABLE` */
const FULL_NAMES: Readonly<Record<string, string>> = { "numeric(20)": "numeric(20,0)" };

function createTable(table: Table): string {
  const { key, value } = sqlColumns(table);
  const columns = [...key, ...value].map(({ sqlName, type, isNullable }) => `  ${sqlName} ${type}${isNullable ? "" : " NOT NULL"}`);
  const primaryKey = `  PRIMARY KEY (${key.map(({ sqlName }) => sqlName).join(", ")})`;
  return `CREATE TABLE ${quoted(table.name)} (\n${[...columns, primaryKey].join(",\n")}\n)`;
}

/**
 * Makes the schema and what it does not have yet, in one transaction. Several processes may begin with it at once: all but one wait for the name
 * of the first thing that it makes, fail, and find everything there. An advisory lock would be anybody's to hold.
 */
export async function makeTables(session: Session, options: SchemaOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const statements = await missingStatements(session, options);
    if (statements.length === 0) return;
    try {
      await session.query({ text: "BEGIN" });
      // Citus takes a second or so for each table, on every node: that is no reason to give up the whole
      for (const text of options.distributes ? statements : [statements.join(";\n")]) await session.query({ text });
      await session.query({ text: "COMMIT" });
      return;
    } catch (error) {
      // the first error says more than that the connection is lost
      await session.query({ text: "ROLLBACK" }).catch(() => {});
      const { code } = (error instanceof FirnError ? error.cause : error) as { readonly code?: string };
      if (attempt === ATTEMPTS || !MADE_MEANWHILE.has(code)) throw error;
    }
  }
}

async function missingStatements(session: Session, { schema, tables, place, distributes = false }: SchemaOptions): Promise<string[]> {
  const before = await columnsOf(session, schema);
  const missing = tables.filter(({ name }) => !before.has(name));
  requireColumns(before, tables, place);
  const known = await functionsOf(session, schema);
  const functions = sqlFunctions.filter((one) => known.get(one.name) !== commentOf(one));
  if (missing.length === 0 && functions.length === 0 && before.get(LEASE_TABLE)?.has(SESSION)) return [];
  const statements = [`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`, ...leaseTables(schema), ...commitCount.make];
  // a store that was made without Citus stays as it is
  const isNew = before.size === 0;
  const isSpread = distributes && (isNew || before.has(MARKS));
  if (isSpread && isNew) statements.push(...makeMarks());
  for (const table of missing) {
    statements.push(createTable(table), comments(table).join(";\n"), ...(isSpread ? distribute(table) : []));
  }
  return [...statements, ...functions.flatMap(makeFunction)];
}

/** What the database says of a table and its columns to those who look there. */
function comments(table: Table): string[] {
  const { key, value } = sqlColumns(table);
  const name = quoted(table.name);
  return [
    `COMMENT ON TABLE ${name} IS 'Firn table ${table.id}; docs/tables.md says what it serves'`,
    ...[...key, ...value].map(({ sqlName, meaning }) => `COMMENT ON COLUMN ${name}.${sqlName} IS '${meaning}'`),
  ];
}

/** Refuses tables that are not as they were made. Returns whether there is a store. */
export async function checkTables(session: Session, { schema, tables, place }: SchemaOptions): Promise<boolean> {
  const columns = await columnsOf(session, schema);
  requireColumns(columns, tables, place);
  if (!columns.has(storeFormat.name)) return false;
  const known = await functionsOf(session, schema);
  for (const { name } of sqlFunctions) if (!known.has(name)) throw lacksFunction(name, place);
  return true;
}

function lacksFunction(name: string, place: string): FirnError {
  const sentence = `${place} lacks the function ${name}: somebody removed it, or an older Firn made the store; whatever writes the store makes it when it starts`;
  return new FirnError("store-schema", sentence, { function: name });
}

/** by name: its comment */
async function functionsOf(session: Session, schema: string): Promise<Map<string, string | null>> {
  const text = `SELECT p.proname, obj_description(p.oid, 'pg_proc') FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1`;
  return new Map((await session.query({ text, values: [schema] })) as [string, string | null][]);
}

/** by table: column → type */
async function columnsOf(session: Session, schema: string): Promise<Map<string, Map<string, string>>> {
  const text = `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`;
  const found = new Map<string, Map<string, string>>();
  for (const [table, column, type] of (await session.query({ text, values: [schema] })) as [string, string, string][]) {
    const columns = found.get(table) ?? new Map<string, string>();
    found.set(table, columns.set(column, type));
  }
  return found;
}

function requireColumns(found: ReadonlyMap<string, ReadonlyMap<string, string>>, tables: readonly Table[], place: string): void {
  for (const table of tables) {
    const columns = found.get(table.name);
    if (columns === undefined) continue;
    const { key, value } = sqlColumns(table);
    for (const column of [...key, ...value]) requireColumn(columns, column, table, place);
  }
}

function requireColumn(found: ReadonlyMap<string, string>, column: SqlColumn, { name }: Table, place: string): void {
  const plainName = column.sqlName.slice(1, -1);
  const type = found.get(plainName);
  const expected = column.type.replace(/ COLLATE .*/, "");
  if (type === (FULL_NAMES[expected] ?? expected)) return;
  const problem = type === undefined ? `has no column ${plainName}` : `has ${plainName} as ${type}, not as ${expected}`;
  const sentence = `in ${place} the table ${name} ${problem}: somebody changed it; put it back, or restore a backup`;
  throw new FirnError("store-schema", sentence, { table: name, column: plainName });
}
