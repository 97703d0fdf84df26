/**
 * Snapshots that requests share: a `REPEATABLE READ, READ ONLY` transaction of one session. As long as no newer commit is known, later
 * requests read in the same one. It is closed when it was not used for a second, so that an idle process does not keep PostgreSQL from
 * cleaning up, and is not taken any more when it is old. When all its users have left, what they asked for is cancelled.
 */
import type { StoreReader } from "../store.ts";
import type { Session } from "./connection.ts";
import type { PgReader } from "./pg-reader.ts";
import type { SessionPool } from "./session-pool.ts";

/** Begins a transaction in which every read is of one committed state. */
type Begin = (session: Session) => Promise<PgReader>;

const IDLE_MS = 1000;
const OLDEST_MS = 5000;
/** Statements that nobody waits for may take this long to end; then the connection is closed, which cancels them. */
const ABANDONED_MS = 200;

export class SharedSnapshots {
  readonly #pool: SessionPool;
  /** changes with every commit that is known of; undefined: commits are not known of, so that every request looks itself */
  readonly #version: () => number | undefined;
  readonly #begin: Begin;
  #current: Snapshot | undefined;

  constructor(pool: SessionPool, version: () => number | undefined, begin: Begin) {
    this.#pool = pool;
    this.#begin = begin;
    this.#version = version;
  }

  /** @param unneeded resolves when nobody waits for what is read any more */
  async use<R>(read: (reader: StoreReader) => Promise<R>, unneeded?: Promise<void>): Promise<R> {
    const snapshot = this.#newest();
    const leave = snapshot.enter();
    void unneeded?.then(leave);
    try {
      return await read(await snapshot.reader);
    } finally {
      leave();
    }
  }

  #newest(): Snapshot {
    const version = this.#version();
    if (this.#current?.isUsable(version)) return this.#current;
    this.#current?.retire();
    this.#current = new Snapshot(this.#pool, version, this.#begin);
    return this.#current;
  }

  close(): void {
    this.#current?.retire();
    this.#current = undefined;
  }
}

class Snapshot {
  readonly reader: Promise<PgReader>;
  readonly #pool: SessionPool;
  readonly #version: number | undefined;
  readonly #openedAt = performance.now();
  #session: Session | undefined;
  #failuresBefore = 0;
  #users = 0;
  #isRetired = false;
  #isEnded = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(pool: SessionPool, version: number | undefined, begin: Begin) {
    this.#pool = pool;
    this.#version = version;
    this.reader = this.#open(begin);
    // its users get the failure
    this.reader.catch(() => {
      this.#isEnded = true;
    });
  }

  isUsable(version: number | undefined): boolean {
    const isNewest = version !== undefined && version === this.#version;
    return isNewest && !this.#isEnded && !this.#hasFailed() && performance.now() - this.#openedAt < OLDEST_MS;
  }

  /** A statement that failed or was cancelled ended the transaction, for all that read in it. */
  #hasFailed(): boolean {
    return this.#session !== undefined && (this.#session.isBroken || this.#session.failures > this.#failuresBefore);
  }

  /** @returns what the user calls when it leaves; again does nothing */
  enter(): () => void {
    this.#users++;
    clearTimeout(this.#idle);
    let isIn = true;
    return () => {
      if (isIn) this.#leave();
      isIn = false;
    };
  }

  #leave(): void {
    if (--this.#users > 0) return;
    // what is still asked for was for users who did not wait for it
    if (this.#isRetired || this.#version === undefined || this.#session === undefined || this.#session.isBusy) this.#end();
    else this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  /** It is ended when its last user leaves. */
  retire(): void {
    this.#isRetired = true;
    if (this.#users === 0) this.#end();
  }

  async #open(begin: Begin): Promise<PgReader> {
    const session = await this.#pool.acquire();
    this.#failuresBefore = session.failures;
    try {
      const reader = await begin(session);
      this.#session = session;
      // all users may have left meanwhile
      if (this.#isEnded) this.#giveBack(session);
      return reader;
    } catch (error) {
      session.destroy();
      this.#pool.release(session);
      throw error;
    }
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#idle);
    if (this.#session !== undefined) this.#giveBack(this.#session);
  }

  #giveBack(session: Session): void {
    const giveUp = session.isBusy ? setTimeout(() => session.destroy(), ABANDONED_MS).unref() : undefined;
    session
      .query({ text: "COMMIT", name: "firn_end" })
      .catch(() => session.destroy())
      .finally(() => {
        clearTimeout(giveUp);
        this.#pool.release(session);
      });
  }
}
