/**
 * The store's contract on PostgreSQL: each table is a table of SQL. A commit is one transaction. Commits of other processes are known
 * by LISTEN/NOTIFY (`commit-feed.ts`).
 */
import { FirnError } from "../../base/errors/errors.ts";
import type { Change, Row, Table, TableKey, TableValue } from "../../base/table/table.ts";
import { type EncodedRows, encodeRows, rowCount } from "../encoded-rows.ts";
import type { Column, DatabaseStore, PartOf, ScanRange, StoreReader } from "../store.ts";
import { channelOf, type PostgresAddress, placeOf, schemaOf } from "./address.ts";
import { beginOnAllNodes, COUNT_COMMIT, DISTRIBUTED_SETTINGS } from "./citus.ts";
import { quoted } from "./columns.ts";
import { type CommitFeed, commitCount } from "./commit-feed.ts";
import { Session } from "./connection.ts";
import { postgresError } from "./errors.ts";
import { leaseHolder } from "./lease/lease.ts";
import { PgReader } from "./pg-reader.ts";
import { groupRows } from "./row-groups.ts";
import { checkTables } from "./schema.ts";
import { SessionPool } from "./session-pool.ts";
import { SharedSnapshots } from "./shared-snapshots.ts";
import { BulkRows, writeFew } from "./write-rows.ts";

/** One session, which is opened when it is first needed, and again when its connection was lost. */
class KeptSession {
  readonly #open: () => Promise<Session>;
  #session: Promise<Session | undefined> = Promise.resolve(undefined);

  constructor(open: () => Promise<Session>) {
    this.#open = open;
  }

  get(): Promise<Session> {
    const session = this.#session
      .catch(() => undefined)
      .then((before) => (before === undefined || before.isBroken ? this.#open() : before));
    this.#session = session;
    return session;
  }

  async close(): Promise<void> {
    const session = await this.#session.catch(() => undefined);
    await session?.close();
  }
}

interface PostgresOptions {
  readonly address: PostgresAddress;
  /** all tables that rows may belong to */
  readonly tables: readonly Table[];
  /** sessions that read at the same time */
  readonly connections?: number;
  /** milliseconds that one statement of a reader may take */
  readonly readTimeoutMs?: number;
  /** lets this process write; none: it only reads */
  readonly lease?: WriterLease | undefined;
  /** tells of the commits of other processes; none: every request looks itself, unless this process writes */
  readonly feed?: CommitFeed | undefined;
  /** whether the tables are on several nodes (`citus.ts`) */
  readonly isDistributed?: boolean;
}

/** See `lease.ts`. */
interface WriterLease {
  /** inside a commit's transaction: rejects if this process may not write any more */
  check(client: Session["client"]): Promise<void>;
  readonly lost: Promise<FirnError>;
  release(): Promise<void>;
}

const DEFAULT_CONNECTIONS = 4;
const READ_TIMEOUT_MS = 30_000;
/** A commit with more rows is copied. */
const FEW_ROWS = 2000;

export class PostgresStore implements DatabaseStore {
  readonly isRemote = true;
  readonly #options: PostgresOptions;
  readonly #tables: ReadonlyMap<number, Table>;
  readonly #sessions: SessionPool;
  readonly #snapshots: SharedSnapshots;
  readonly #newest: PgReader;
  readonly place: string;
  /** of the commits of others; undefined: this process writes, or nobody tells it */
  readonly feed: CommitFeed | undefined;
  /** of all sessions */
  readonly traffic = { roundTrips: 0 };
  /** of reads outside snapshots */
  readonly #loose: KeptSession;
  readonly #few: KeptSession;
  readonly #bulk: KeptSession;
  readonly #bulkRows = new WeakMap<Session, BulkRows>();
  readonly #open = new Set<Session>();
  #commits = 0;
  #doubt: FirnError | undefined;
  #tellDoubt: (doubt: FirnError) => void = () => {};
  /** settled when this process may not write any more: it must open the store again */
  readonly lost: Promise<FirnError>;
  /** the last commit; they are made one after the other */
  #committing: Promise<void> = Promise.resolve();

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.feed = options.feed;
    const doubt = new Promise<FirnError>((resolve) => {
      this.#tellDoubt = resolve;
    });
    this.lost = Promise.race([doubt, ...(options.lease === undefined ? [] : [options.lease.lost])]);
    this.place = placeOf(options.address);
    this.#tables = new Map(options.tables.map((table) => [table.id, table]));
    const { isDistributed = false } = options;
    const settings = isDistributed ? DISTRIBUTED_SETTINGS : [];
    const opener = (role: string, isPipelined: boolean, statementTimeoutMs: number) => async () => {
      const name = `${role} ${schemaOf(options.address)}`;
      const session = await Session.open(options.address, { role: name, isPipelined, statementTimeoutMs, traffic: this.traffic, settings });
      this.#open.add(session);
      session.client.once("end", () => this.#open.delete(session));
      return session;
    };
    const readTimeoutMs = options.readTimeoutMs ?? READ_TIMEOUT_MS;
    this.#loose = new KeptSession(opener("reader", true, readTimeoutMs));
    this.#few = new KeptSession(opener("writer", true, 0));
    this.#bulk = new KeptSession(opener("writer", false, 0));
    this.#sessions = new SessionPool(opener("reader", true, readTimeoutMs), options.connections ?? DEFAULT_CONNECTIONS);
    this.#snapshots = new SharedSnapshots(
      this.#sessions,
      () => this.#version(),
      (session) => this.#begin(session),
    );
    this.#newest = new PgReader(async (statement) => (await this.#loose.get()).query(statement), isDistributed);
  }

  get<T extends Table>(table: T, key: TableKey<T>): Promise<TableValue<T> | undefined> {
    return this.#newest.get(table, key);
  }

  getMany<T extends Table>(table: T, keys: readonly TableKey<T>[]): Promise<(TableValue<T> | undefined)[]> {
    return this.#newest.getMany(table, keys);
  }

  getParts<T extends Table>(table: T, column: Column<T>, parts: readonly PartOf<T>[]): Promise<(Uint8Array | undefined)[]> {
    return this.#newest.getParts(table, column, parts);
  }

  scan<T extends Table>(table: T, range: ScanRange<T>): Promise<Row<T>[]> {
    return this.#newest.scan(table, range);
  }

  snapshot<R>(read: (reader: StoreReader) => Promise<R>, unneeded?: Promise<void>): Promise<R> {
    return this.#snapshots.use(read, unneeded);
  }

  /** One transaction. The outcome is not known if a connection is lost while it ends: the caller reads from the store how far it is. */
  async commit(changes: readonly Change[], encoded: readonly EncodedRows[] = []): Promise<void> {
    const parts = [encodeRows(changes), ...encoded];
    const groups = groupRows(parts, this.#tables);
    const isLarge = parts.reduce((rows, part) => rows + rowCount(part), 0) > FEW_ROWS;
    await this.#inTurn(async () => {
      if (isLarge) {
        const session = await this.#bulk.get();
        await this.#transaction(session, async () => [await this.#bulkRowsOf(session).write(groups)]);
      } else {
        await this.#transaction(await this.#few.get(), async (session) => writeFew(session, groups, this.#options.isDistributed ?? false));
      }
    });
  }

  /** Inside a transaction, so that readers see all rows or none. */
  async clear(table: Table): Promise<void> {
    const text = `DELETE FROM ${quoted(table.name)}`;
    await this.#inTurn(async () => {
      await this.#transaction(await this.#few.get(), async (session) => [session.query({ text })]);
    });
  }

  /** Rows are in their place as soon as they are committed. */
  async finish(): Promise<void> {}

  async check(): Promise<void> {
    const { address, tables } = this.#options;
    await checkTables(await this.#loose.get(), { schema: schemaOf(address), tables, place: this.place });
  }

  async sizeBytes(): Promise<number> {
    const [row] = await (await this.#loose.get()).query({ text: "SELECT pg_database_size(current_database())" });
    return Number(row![0]);
  }

  /** the server's, which its standbys share; undefined: it does not tell this user */
  async serverId(): Promise<string | undefined> {
    const session = await this.#loose.get();
    const asked = session.query({ text: "SELECT system_identifier FROM pg_control_system()" });
    const rows = await asked.catch((error: FirnError) => (error.category === "store-rights" ? [] : Promise.reject(error)));
    return rows[0]?.[0] ?? undefined;
  }

  /** Whether its tables are on several nodes. */
  get isDistributed(): boolean {
    return this.#options.isDistributed ?? false;
  }

  async writer(): Promise<string | undefined> {
    return (await leaseHolder((await this.#loose.get()).client, schemaOf(this.#options.address)))?.holder;
  }

  /** PostgreSQL does not tell. */
  async availableBytes(): Promise<undefined> {
    return undefined;
  }

  async close(): Promise<void> {
    await this.#committing.catch(() => {});
    this.#snapshots.close();
    const { lease, feed } = this.#options;
    await lease?.release();
    await Promise.all([this.#loose, this.#few, this.#bulk, this.#sessions, feed].map((sessions) => sessions?.close()));
  }

  /** Closes it without waiting: what is being read fails at once. */
  abandon(): void {
    for (const session of this.#open) session.destroy();
    void this.close();
  }

  /** Runs one after the other. */
  #inTurn(run: () => Promise<void>): Promise<void> {
    const turn = this.#committing.catch(() => {}).then(run);
    this.#committing = turn;
    return turn;
  }

  /** Begins, checks the fence, writes, tells others, and commits. In a pipelined session all of it is sent at once. */
  async #transaction(session: Session, write: (session: Session) => Promise<unknown[]>): Promise<void> {
    const { lease, address, isDistributed } = this.#options;
    if (lease === undefined) throw new Error("this process opened the store for reading only");
    if (this.#doubt !== undefined) throw this.#doubt;
    let isEnding = false;
    const sent: Promise<unknown>[] = [];
    const send = (statement: Promise<unknown>) => {
      // a failure is reported once, by the statement that failed first
      statement.catch(() => {});
      sent.push(statement);
      return statement;
    };
    try {
      const begun = send(session.query({ text: "BEGIN" }));
      if (!session.isPipelined) await begun;
      await send(lease.check(session.client));
      for (const written of await write(session)) if (written instanceof Promise) send(written);
      const notify = { text: "SELECT pg_notify($1, '')", name: "firn_notify", values: [channelOf(address)] };
      for (const statement of [...(isDistributed ? COUNT_COMMIT : []), commitCount.increase, notify]) {
        const answered = send(session.query(statement));
        if (!session.isPipelined) await answered;
      }
      await Promise.all(sent);
      isEnding = true;
      await session.query({ text: "COMMIT" });
      this.#commits++;
    } catch (error) {
      if (isEnding && session.isBroken) this.#lose(postgresError(error, this.place));
      await session.query({ text: "ROLLBACK" }).catch(() => session.destroy());
      throw postgresError(error, this.place);
    }
  }

  async #begin(session: Session): Promise<PgReader> {
    if (this.#options.isDistributed) await beginOnAllNodes(session, this.place);
    else {
      // the first statement that reads decides which state the transaction sees
      const begun = session.query({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" });
      await Promise.all([begun, session.query({ text: "SELECT 1", name: "firn_pin" })]);
    }
    return new PgReader((statement) => session.query(statement), this.#options.isDistributed ?? false);
  }

  #version(): number | undefined {
    const { feed, lease } = this.#options;
    return lease === undefined ? feed?.version() : this.#commits;
  }

  /** Nobody knows whether the last commit was made: whoever wrote it must begin with what the store has. */
  #lose(cause: unknown): void {
    const sentence = `the connection to ${this.place} was lost while it committed; what it has is read again`;
    this.#doubt = new FirnError("store-deposed", sentence, { store: this.place }, { cause });
    this.#tellDoubt(this.#doubt);
  }

  #bulkRowsOf(session: Session): BulkRows {
    let rows = this.#bulkRows.get(session);
    if (rows === undefined) {
      rows = new BulkRows(session, this.#options.isDistributed ?? false);
      this.#bulkRows.set(session, rows);
    }
    return rows;
  }
}
