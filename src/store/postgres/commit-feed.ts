/**
 * Tells a process that only reads of the commits of others. PostgreSQL notifies it (LISTEN/NOTIFY). It also asks regularly, since a
 * notification may be lost, and a standby has none.
 */
import { FirnError } from "../../primitives/errors.ts";
import { channelOf, type PostgresAddress, placeOf } from "./address.ts";
import { Session } from "./connection.ts";

const ASK_MS = 500;
/** A standby is only asked. */
const ASK_STANDBY_MS = 50;
/** A server that does not answer for this long is taken for lost. */
const ANSWER_MS = 2000;
const LEAST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 5000;

/** Changes with every commit: which transactions have ended, or on a standby, how much of the primary's log was applied. */
const MARK = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text ELSE pg_current_snapshot()::text END";

export class CommitFeed {
  /** called when the connection is lost, with the reason, and when it is back */
  onChange: (problem: Error | undefined) => void = () => {};
  /** times that it connected */
  connections = 0;
  readonly #address: PostgresAddress;
  #session: Session | undefined;
  #version = 0;
  #mark: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = LEAST_PAUSE_MS;
  #isClosed = false;

  private constructor(address: PostgresAddress) {
    this.#address = address;
  }

  static async open(address: PostgresAddress): Promise<CommitFeed> {
    const feed = new CommitFeed(address);
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
    let askMs = ASK_MS;
    try {
      session.client.on("notification", () => this.#version++);
      const [row] = await session.query({ text: "SELECT pg_is_in_recovery()" });
      if (row![0] === "t") askMs = ASK_STANDBY_MS;
      else await session.query({ text: `LISTEN "${channelOf(this.#address)}"` });
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
    this.#askLater(session, askMs);
    if (this.connections > 1) this.onChange(undefined);
  }

  #askLater(session: Session, askMs: number): void {
    this.#timer = setTimeout(() => {
      this.#look(session).then(
        () => session === this.#session && this.#askLater(session, askMs),
        (error: Error) => this.#lose(session, error),
      );
    }, askMs).unref();
  }

  async #look(session: Session): Promise<void> {
    const [row] = await session.query({ text: MARK, name: "firn_mark" });
    if (row![0] === this.#mark) return;
    this.#mark = row![0]!;
    this.#version++;
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
