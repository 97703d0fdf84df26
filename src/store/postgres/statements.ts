/** The SQL of reads: one text per table and shape of a read, so that each is prepared once per session. */
import { FirnError } from "../../base/errors/errors.ts";
import type { Table } from "../../base/table/table.ts";
import type { Column, PartOf, ScanRange } from "../store.ts";
import { shardsCondition } from "./citus.ts";
import { quoted, type SqlColumn, type SqlColumns, sqlColumns } from "./columns.ts";
import type { Statement } from "./connection.ts";

/** Statements by their text; their names are only unique within this process, and so within its sessions. */
const names = new Map<string, string>();

function prepared(text: string, values: readonly (string | null)[]): Statement {
  let name = names.get(text);
  if (name === undefined) {
    name = `firn_${names.size}`;
    names.set(text, name);
  }
  return { text, name, values };
}

export function getStatement(table: Table, key: object): Statement {
  const columns = sqlColumns(table);
  const values = wholeKey(table, columns, key);
  const condition = columns.key.map(({ sqlName }, i) => `${sqlName} = $${i + 1}`).join(" AND ");
  return prepared(`SELECT ${sqlList(columns.value)} FROM ${quoted(table.name)} WHERE ${condition}`, values);
}

/** Rows begin with the position of their key in `keys`, from 1 on. */
/** @param isDistributed whether the tables are on several nodes (`citus.ts`) */
export function getManyStatement(table: Table, keys: readonly object[], isDistributed: boolean): Statement {
  return joinedStatement(
    table,
    keys,
    isDistributed,
    sqlColumns(table).value.map(({ sqlName }) => `t.${sqlName}`),
  );
}

/** Rows are the position of their part in `parts`, from 1 on, and the part. */
export function getPartsStatement<T extends Table>(
  table: T,
  name: Column<T>,
  parts: readonly PartOf<T>[],
  isDistributed: boolean,
): Statement {
  const { sqlName } = sqlColumns(table).value.find((column) => column.name === name)!;
  const bounds = { first: parts.map(({ offset }) => `${offset + 1}`), size: parts.map(({ size }) => `${size}`) };
  return joinedStatement(
    table,
    parts.map(({ key }) => key),
    isDistributed,
    [`substr(t.${sqlName}, k.first, k.size)`],
    bounds,
  );
}

/** @param integers further columns of `k` */
function joinedStatement(
  table: Table,
  keys: readonly object[],
  isDistributed: boolean,
  selected: readonly string[],
  integers: Readonly<Record<string, readonly string[]>> = {},
): Statement {
  const columns = sqlColumns(table);
  const rows = keys.map((key) => wholeKey(table, columns, key));
  const arrays = [...columns.key.map((_, column) => rows.map((row) => row[column]!)), ...Object.values(integers)];
  const types = [...columns.key.map(({ type }) => arrayType(type)), ...Object.keys(integers).map(() => "integer[]")];
  const given = types.map((type, i) => `$${i + 1}::${type}`).join(", ");
  const names = [...columns.key.map((_, i) => `k${i}`), ...Object.keys(integers), "position"].join(", ");
  const joined = columns.key.map(({ sqlName }, i) => `t.${sqlName} = k.k${i}`).join(" AND ");
  return prepared(
    `SELECT ${["k.position", ...selected].join(", ")} FROM unnest(${given}) WITH ORDINALITY AS k(${names}) JOIN ${quoted(table.name)} t ON ${joined}${shardsCondition(table, isDistributed, types)}`,
    arrays.map(arrayText),
  );
}

/** undefined if the range is empty */
export function scanStatement<T extends Table>(table: T, range: ScanRange<T>): Statement | undefined {
  const { key, value } = sqlColumns(table);
  return rangeStatement(table, range, sqlList([...key, ...value]));
}

/** The lengths of the rows of a scan, which PostgreSQL knows without reading long values; undefined if the range is empty. */
export function scanLengthsStatement<T extends Table>(table: T, range: ScanRange<T>): Statement | undefined {
  const lengths = sqlColumns(table).value.map(({ sqlName, type }) =>
    /^(bytea|text)/.test(type) ? `coalesce(octet_length(${sqlName}), 0)` : `${FIXED_BYTES}`,
  );
  return rangeStatement(table, range, lengths.join(" + ") || "0");
}

function rangeStatement<T extends Table>(table: T, range: ScanRange<T>, selected: string): Statement | undefined {
  const { prefix = {}, from, after, until, reverse = false, limit } = range;
  if (!(limit >= 0)) throw new RangeError(`a scan of ${table.name} has limit ${limit}; it needs a number from 0 on`);
  const columns = sqlColumns(table);
  const depth = leading(table, columns.key, prefix);
  const values: (string | null)[] = [];
  const parameter = (column: SqlColumn, value: unknown) => `$${values.push(column.text(value))}`;
  const conditions = columns.key
    .slice(0, depth)
    .map((column) => `${column.sqlName} = ${parameter(column, (prefix as Values)[column.name])}`);
  const bounds = [
    { bound: from, operator: reverse ? "<=" : ">=", isEmptyWithoutColumns: false },
    { bound: after, operator: reverse ? "<" : ">", isEmptyWithoutColumns: true },
    { bound: until, operator: reverse ? ">" : "<", isEmptyWithoutColumns: true },
  ];
  for (const { bound, operator, isEmptyWithoutColumns } of bounds) {
    if (bound === undefined) continue;
    // the prefix counts where both name a column
    const all = { ...bound, ...given(prefix) };
    const rest = columns.key.slice(depth, leading(table, columns.key, all));
    if (rest.length === 0 && isEmptyWithoutColumns) return undefined;
    if (rest.length === 0) continue;
    const parameters = rest.map((column) => parameter(column, (all as Values)[column.name]));
    conditions.push(`(${sqlList(rest)}) ${operator} (${parameters.join(", ")})`);
  }
  if (limit === 0) return undefined;
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  const order = columns.key.map(({ sqlName }) => (reverse ? `${sqlName} DESC` : sqlName)).join(", ");
  values.push(`${Number.isFinite(limit) ? Math.floor(limit) : Number.MAX_SAFE_INTEGER}`);
  return prepared(`SELECT ${selected} FROM ${quoted(table.name)}${where} ORDER BY ${order} LIMIT $${values.length}`, values);
}

/** about, of a number or a boolean */
const FIXED_BYTES = 8;

/** A statement with its values as literals in the text. */
export function inlined({ text, values = [] }: Statement): string {
  return text.replace(/\$(\d+)/g, (_, number) => {
    const value = values[Number(number) - 1]!;
    return value === null ? "NULL" : `'${value.replaceAll("'", "''")}'`;
  });
}

/** An array as PostgreSQL reads it, of texts that may hold anything. */
export function arrayText(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? "NULL" : `"${value.replace(/["\\]/g, "\\$&")}"`)).join(",")}}`;
}

export function arrayType(type: string): string {
  return `${type.replace(/ COLLATE .*/, "").replace(/\(.*\)/, "")}[]`;
}

export function sqlList(columns: readonly SqlColumn[]): string {
  return columns.map(({ sqlName }) => sqlName).join(", ") || "1";
}

type Values = Record<string, unknown>;

function given(columns: object): object {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function wholeKey(table: Table, { key: columns }: SqlColumns, key: object): (string | null)[] {
  if (leading(table, columns, key) < columns.length) throw new RangeError(`a row of ${table.name} is found by its whole key`);
  return columns.map((column) => column.text((key as Values)[column.name]));
}

/** How many leading columns are given. Only these define a range; a column after a missing one would be ignored. */
function leading(table: Table, columns: readonly SqlColumn[], key: object): number {
  const isGiven = ({ name }: SqlColumn) => (key as Values)[name] !== undefined;
  const first = columns.findIndex((column) => !isGiven(column));
  const count = first < 0 ? columns.length : first;
  const beyond = columns.slice(count).find(isGiven);
  if (beyond === undefined) return count;
  const sentence = `${table.name} cannot be read by ${beyond.name} without ${columns[count]!.name}, which comes before it in the key`;
  throw new FirnError("key-gap", sentence, { tableName: table.name });
}
