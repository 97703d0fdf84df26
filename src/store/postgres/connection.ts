/** Connects to PostgreSQL, with a session whose text forms and plans are those that Firn relies on. */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import pg from "pg";
import { FirnError } from "../../base/errors/errors.ts";
import { type PostgresAddress, placeOf, schemaOf } from "./address.ts";
import { quoted } from "./columns.ts";
import { postgresError } from "./errors.ts";

/** What pg's connection and query have that their types do not tell. */
interface Wire {
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { text: string; name: string }): void;
  bind(values: { statement: string; values: readonly (string | null)[]; valueMapper: (value: unknown) => unknown }): void;
  execute(portal: object): void;
  sync(): void;
}

const Query = pg.Query as unknown as new (
  config: object,
) => { callback: (error: Error | null) => void; hasBeenParsed(wire: Wire): boolean };

/**
 * A query of pg whose rows are arrays of texts, as the server sends them. It does not ask what the columns are, since whoever made the statement
 * knows: that would be a message each way, and an object for each column, which cost more than most rows.
 */
class TextQuery extends Query {
  readonly received: TextRows = [];
  readonly #statement: Statement;

  private constructor(statement: Statement) {
    super(statement);
    this.#statement = statement;
  }

  static ask(client: pg.Client, statement: Statement): Promise<TextRows> {
    return new Promise((resolve, reject) => {
      const query = new TextQuery(statement);
      query.callback = (error) => (error ? reject(error) : resolve(query.received));
      client.query(query as unknown as pg.Submittable);
    });
  }

  /** A statement with a name or with values. */
  prepare(wire: Wire): void {
    const { text, name = "", values = [] } = this.#statement;
    if (!this.hasBeenParsed(wire)) {
      wire.parse({ text, name });
      if (name !== "") wire.submittedNamedStatements[name] = text;
    }
    wire.bind({ statement: name, values, valueMapper: asIs });
    wire.execute({});
    wire.sync();
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    this.received.push(fields);
  }

  handleCommandComplete(): void {}
}

function asIs(value: unknown): unknown {
  return value;
}

const OLDEST_SERVER = 14;
const CONNECT_MS = 5000;
/** A server that is gone without a word is noticed. */
const KEEP_ALIVE_MS = 2000;
/** A server that ends a slow statement itself is given this time to say so. */
const SILENCE_MS = 2000;

/** The rows of one result, as arrays of texts. */
export type TextRows = (string | null)[][];

export interface Statement {
  readonly text: string;
  /** statements with names are prepared once per session */
  readonly name?: string;
  readonly values?: readonly (string | null)[];
}

interface SessionOptions {
  /** seen in pg_stat_activity */
  readonly role: string;
  /** queries are sent without waiting for the results of those before; COPY is then impossible */
  readonly isPipelined: boolean;
  /** milliseconds that one statement may take; 0: any. A connection that is silent for longer is given up */
  readonly statementTimeoutMs: number;
  /** counts what its users wait for the network */
  readonly traffic?: Traffic | undefined;
  /** after Firn's own */
  readonly settings?: readonly string[];
}

/** Bytes of several sessions. */
export interface Traffic {
  roundTrips: number;
}

/**
 * Rows are read in the order of an index, whatever the planner thinks of the table: a plan depends on the statement alone, and no table is
 * ever read whole.
 */
const SETTINGS = [
  "bytea_output = 'hex'",
  "standard_conforming_strings = on",
  "enable_seqscan = off",
  "enable_bitmapscan = off",
  "enable_hashjoin = off",
  "enable_mergejoin = off",
  "enable_material = off",
  "plan_cache_mode = 'force_generic_plan'",
  "jit = off",
  "idle_in_transaction_session_timeout = '60s'",
];
/** PostgreSQL cancels the statement of a session whose connection is closed: it looks so often. Systems that cannot look say so. */
const LOOK_FOR_CLIENT = `DO $$ BEGIN SET client_connection_check_interval = '500ms'; EXCEPTION WHEN OTHERS THEN NULL; END $$`;

export class Session {
  readonly #client: pg.Client;
  readonly #place: string;
  readonly isPipelined: boolean;
  /** 0: it may be silent for any time */
  readonly #silenceMs: number;
  readonly #traffic: Traffic | undefined;
  #waves = 0;
  #failures = 0;
  #pending = 0;
  #isGathering = false;
  #silence: NodeJS.Timeout | undefined;
  #failure: Error | undefined;

  private constructor(client: pg.Client, place: string, { isPipelined, statementTimeoutMs, traffic }: SessionOptions) {
    this.#traffic = traffic;
    this.#client = client;
    this.#place = place;
    this.isPipelined = isPipelined;
    this.#silenceMs = statementTimeoutMs === 0 ? 0 : statementTimeoutMs + SILENCE_MS;
    client.on("error", (error) => {
      // the first one tells the cause
      this.#failure ??= error;
    });
  }

  static async open(address: PostgresAddress, options: SessionOptions): Promise<Session> {
    const { role, isPipelined, statementTimeoutMs, settings: more = [] } = options;
    const place = placeOf(address);
    const client = new pg.Client({
      ...clientOptions(address),
      application_name: `firn ${role}`,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      pipeline: isPipelined,
    } as pg.ClientConfig);
    const session = new Session(client, place, options);
    try {
      await client.connect();
      const settings = [...SETTINGS, `statement_timeout = ${statementTimeoutMs}`, `search_path = ${quoted(schemaOf(address))}`, ...more];
      await client.query([...settings.map((setting) => `SET ${setting}`), LOOK_FOR_CLIENT].join("; "));
      await session.#requireServer();
      return session;
    } catch (error) {
      client.end().catch(() => {});
      throw postgresError(error, place);
    }
  }

  async #requireServer(): Promise<void> {
    const [[version, encoding]] = (await this.query({
      text: "SELECT current_setting('server_version_num'), current_setting('server_encoding')",
    })) as [[string, string]];
    const major = Math.floor(Number(version) / 10_000);
    if (major < OLDEST_SERVER) {
      throw new FirnError("store-server", `${this.#place} is PostgreSQL ${major}; Firn needs ${OLDEST_SERVER} or newer`, { major });
    }
    if (encoding !== "UTF8") {
      throw new FirnError(
        "store-server",
        `the database ${this.#place} has encoding ${encoding}; create one with: createdb --encoding=UTF8 <name>`,
      );
    }
  }

  /** Results are texts. Without a transaction each statement is one of its own. */
  async query(statement: Statement): Promise<TextRows> {
    if (this.#pending++ === 0) {
      this.#waves++;
      if (this.#traffic !== undefined) this.#traffic.roundTrips++;
      this.#expectAnswer();
    }
    if (this.isPipelined) this.#gather();
    try {
      return await TextQuery.ask(this.#client, statement);
    } catch (error) {
      this.#failures++;
      throw postgresError(this.#failure ?? error, this.#place);
    } finally {
      if (--this.#pending === 0) clearTimeout(this.#silence);
      else this.#silence?.refresh();
    }
  }

  /** Sends what is asked in one turn of the event loop at once: a system call for each statement costs more than the statement. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const stream = this.#stream;
    stream.cork();
    setImmediate(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  get #stream(): Socket {
    return (this.#client as unknown as { connection: { stream: Socket } }).connection.stream;
  }

  /** A network that fails says nothing. */
  #expectAnswer(): void {
    if (this.#silenceMs === 0) return;
    this.#silence = setTimeout(() => this.destroy(new Error("timeout expired: no answer")), this.#silenceMs).unref();
  }

  /** The client, for COPY and notifications. */
  get client(): pg.Client {
    return this.#client;
  }

  /** Times that something was sent while nothing was under way: what a caller waits for the network, in round trips. */
  get roundTrips(): number {
    return this.#waves;
  }

  /** whether something was asked that is not answered yet */
  get isBusy(): boolean {
    return this.#pending > 0;
  }

  /** Statements that failed: a transaction that was under way cannot be used any more. */
  get failures(): number {
    return this.#failures;
  }

  get isBroken(): boolean {
    return this.#failure !== undefined;
  }

  /** Ends the session at once; the server rolls back what is not committed. */
  destroy(reason = new Error("Connection terminated")): void {
    this.#failure ??= reason;
    this.#stream.destroy();
  }

  async close(): Promise<void> {
    if (!this.isBroken) await this.#client.end().catch(() => {});
  }
}

function clientOptions({ url, passwordFile }: PostgresAddress): pg.ClientConfig {
  if (passwordFile === undefined) return { connectionString: url };
  const withPassword = new URL(url);
  withPassword.password = encodeURIComponent(readFileSync(passwordFile, "utf8").split(/\r?\n/, 1)[0]!);
  return { connectionString: withPassword.href };
}
