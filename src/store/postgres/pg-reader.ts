/** Reads rows in one session: of the newest committed state, or of the one that its transaction sees. */
import type { Row, Table, TableKey, TableValue } from "../../base/table/table.ts";
import type { Column, PartOf, ScanRange, StoreReader } from "../store.ts";
import { type SqlColumn, sqlColumns } from "./columns.ts";
import type { Statement, TextRows } from "./connection.ts";
import { getManyStatement, getPartsStatement, getStatement, scanLengthsStatement, scanStatement } from "./statements.ts";

/** Keys per statement; the arrays of more would make messages of megabytes. */
const KEYS_PER_STATEMENT = 2000;

export type Ask = (statement: Statement) => Promise<TextRows>;

export class PgReader implements StoreReader {
  readonly isRemote = true;
  readonly #ask: Ask;
  readonly #isDistributed: boolean;

  /** @param isDistributed whether the tables are on several nodes (`citus.ts`) */
  constructor(ask: Ask, isDistributed: boolean) {
    this.#ask = ask;
    this.#isDistributed = isDistributed;
  }

  async get<T extends Table>(table: T, key: TableKey<T>): Promise<TableValue<T> | undefined> {
    const [row] = await this.#ask(getStatement(table, key));
    return row && (objectOf(sqlColumns(table).value, row, 0) as TableValue<T>);
  }

  async getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]> {
    if (keys.length === 0) return [];
    if (keys.length === 1) return [await this.get(table, keys[0]!)];
    const columns = sqlColumns(table).value;
    return this.#atPositions(
      keys,
      (some) => getManyStatement(table, some, this.#isDistributed),
      (row) => objectOf(columns, row, 1) as TableValue<T>,
    );
  }

  async getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Promise<(Uint8Array | undefined)[]> {
    const { read } = sqlColumns(table).value.find(({ name }) => name === column)!;
    return this.#atPositions(
      parts,
      (some) => getPartsStatement(table, column, some, this.#isDistributed),
      (row) => read(row[1]!) as Uint8Array,
    );
  }

  /** Asks for many things; each row begins with the position of its thing in the statement. */
  async #atPositions<A, R>(
    asked: readonly A[],
    statement: (some: readonly A[]) => Statement,
    read: (row: TextRows[number]) => R,
  ): Promise<(R | undefined)[]> {
    const values = new Array<R | undefined>(asked.length).fill(undefined);
    const pieces: Promise<void>[] = [];
    for (let start = 0; start < asked.length; start += KEYS_PER_STATEMENT) {
      pieces.push(
        this.#ask(statement(asked.slice(start, start + KEYS_PER_STATEMENT))).then((rows) => {
          for (const row of rows) values[start + Number(row[0]) - 1] = read(row);
        }),
      );
    }
    await Promise.all(pieces);
    return values;
  }

  async scan<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]> {
    const statement = scanStatement(
      table,
      range.maxBytes === undefined ? range : { ...range, limit: await this.#rowsWithin(table, range) },
    );
    if (statement === undefined) return [];
    const { key, value } = sqlColumns(table);
    const rows = await this.#ask(statement);
    return rows.map((row) => ({ key: objectOf(key, row, 0) as TableKey<T>, value: objectOf(value, row, key.length) as TableValue<T> }));
  }

  /** How many rows of a range have `maxBytes`, with the one that reaches them. */
  async #rowsWithin<T extends Table>(table: T, range: ScanRange<T>): Promise<number> {
    const statement = scanLengthsStatement(table, range);
    const lengths = statement === undefined ? [] : await this.#ask(statement);
    let [rows, bytes] = [0, 0];
    while (rows < lengths.length && bytes < range.maxBytes!) bytes += Number(lengths[rows++]![0]);
    return Math.min(range.limit, Math.max(rows, 1));
  }
}

function objectOf(columns: readonly SqlColumn[], row: readonly (string | null)[], at: number): object {
  const object: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) object[columns[i]!.name] = columns[i]!.read(row[at + i]!);
  return object;
}
