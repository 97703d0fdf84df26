/**
 * Tells a process that only reads of the commits of others. PostgreSQL notifies it (LISTEN/NOTIFY). It also asks regularly, since a
 * notification may be lost, and a standby has none.
 */
import { FirnError } from "../../base/errors/errors.ts";
import { channelOf, type PostgresAddress, placeOf } from "./address.ts";
import { Session } from "./connection.ts";

const ASK_MS = 500;
/** A standby is only asked. */
const ASK_STANDBY_MS = 50;
/** A server that does not answer for this long is taken for lost. */
const ANSWER_MS = 2000;
const LEAST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 5000;

const COMMITS = "store_commits";
/** Made with the tables: changes with every commit to the store, and with nothing else that the server does. */
export const commitCount = {
  name: COMMITS,
  make: [
    `CREATE TABLE IF NOT EXISTS ${COMMITS} ("slot" smallint PRIMARY KEY CHECK ("slot" = 0), "commits" bigint NOT NULL)`,
    `COMMENT ON TABLE ${COMMITS} IS 'How many commits were made. Processes that read learn from it that there are newer ones.'`,
    `INSERT INTO ${COMMITS} VALUES (0, 0) ON CONFLICT DO NOTHING`,
  ],
  /** part of every commit */
  increase: { text: `UPDATE ${COMMITS} SET "commits" = "commits" + 1 WHERE "slot" = 0`, name: "firn_count" },
} as const;
/** A rebuilt store has another table. */
const COUNTED = `(SELECT tableoid || '/' || "commits" FROM ${COMMITS})`;
const MARK = `SELECT r, ${COUNTED} FROM pg_is_in_recovery() r`;
/**
 * How far the log is written, on a standby: applied. Not where the next record begins, which at a page's beginning is further on than a
 * standby that has everything.
 */
const POSITION = `SELECT r, ${COUNTED}, l - '0/0',
    CASE WHEN r THEN 0 ELSE ('x' || left(pg_walfile_name(l), 8))::bit(32)::integer END,
    extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000
  FROM pg_is_in_recovery() r, LATERAL (SELECT CASE WHEN r THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END AS l) p`;

/** Where a server is in the log of commits. */
export interface LogPosition {
  readonly isStandby: boolean;
  /** in bytes: written, on a standby applied */
  readonly bytes: bigint;
  /** increases with each fail-over; a standby does not tell, and has 0 */
  readonly timeline: number;
  /** of a standby: the age of the last commit that it applied; undefined: it has applied none since it was started */
  readonly ageMs: number | undefined;
  /** `performance.now()` after it was asked */
  readonly askedAt: number;
}

export interface CommitFeedOptions {
  /** called with each answer of the server; none: its position is not asked for, which some services do not tell */
  readonly onPosition?: ((position: LogPosition) => void) | undefined;
}

export class CommitFeed {
  /** called when the connection is lost, with the reason, and when it is back */
  onChange: (problem: Error | undefined) => void = () => {};
  /** times that it connected */
  connections = 0;
  readonly #address: PostgresAddress;
  readonly #onPosition: CommitFeedOptions["onPosition"];
  #session: Session | undefined;
  /** the one that is notified */
  #listening: Session | undefined;
  #askMs = ASK_MS;
  #version = 0;
  #mark: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = LEAST_PAUSE_MS;
  #isClosed = false;

  private constructor(address: PostgresAddress, { onPosition }: CommitFeedOptions) {
    this.#address = address;
    this.#onPosition = onPosition;
  }

  static async open(address: PostgresAddress, options: CommitFeedOptions = {}): Promise<CommitFeed> {
    const feed = new CommitFeed(address, options);
    await feed.#connect();
    return feed;
  }

  /** Changes with every commit; undefined while nobody would tell. */
  version(): number | undefined {
    return this.#session === undefined || this.#session.isBroken ? undefined : this.#version;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  async #connect(): Promise<void> {
    const session = await Session.open(this.#address, { role: "feed", isPipelined: false, statementTimeoutMs: ANSWER_MS });
    try {
      session.client.on("notification", () => this.#version++);
      await this.#look(session);
    } catch (error) {
      session.destroy();
      throw error;
    }
    if (this.#isClosed) return session.close();
    // what was committed before is not told
    this.#version++;
    this.connections++;
    this.#pauseMs = LEAST_PAUSE_MS;
    this.#session = session;
    session.client.on("end", () => this.#lose(session, this.#lost()));
    this.#askLater(session);
    if (this.connections > 1) this.onChange(undefined);
  }

  #askLater(session: Session): void {
    this.#timer = setTimeout(() => {
      this.#look(session).then(
        () => session === this.#session && this.#askLater(session),
        (error: Error) => this.#lose(session, error),
      );
    }, this.#askMs).unref();
  }

  async #look(session: Session): Promise<void> {
    const text = this.#onPosition === undefined ? MARK : POSITION;
    const [row] = await session.query({ text, name: "firn_mark" });
    const [recovers, mark, bytes, timeline, ageMs] = row!;
    const isStandby = recovers === "t";
    if (!isStandby && this.#listening !== session) {
      // also when a standby became a primary
      await session.query({ text: `LISTEN "${channelOf(this.#address)}"` });
      this.#listening = session;
      return this.#look(session);
    }
    this.#askMs = isStandby ? ASK_STANDBY_MS : ASK_MS;
    if (mark !== this.#mark) this.#version++;
    this.#mark = mark!;
    this.#onPosition?.({
      isStandby,
      bytes: BigInt(bytes!),
      timeline: Number(timeline),
      ageMs: ageMs === null ? undefined : Number(ageMs),
      askedAt: performance.now(),
    });
  }

  #lose(session: Session, problem: Error): void {
    if (session !== this.#session || this.#isClosed) return;
    this.#session = undefined;
    session.destroy();
    this.onChange(problem);
    this.#connectLater();
  }

  /** After pauses that grow. */
  #connectLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect().catch(() => this.#connectLater()), this.#pauseMs).unref();
    this.#pauseMs = Math.min(2 * this.#pauseMs, MOST_PAUSE_MS);
    if (this.#isClosed) clearTimeout(this.#timer);
  }

  #lost(): FirnError {
    const place = placeOf(this.#address);
    return new FirnError("store-unreachable", `the connection to ${place} was lost; it is made again as soon as that is possible`, {
      store: place,
    });
  }
}
