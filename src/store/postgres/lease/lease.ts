/**
 * The ingester's lease: of several processes that would write a store, one does. A row names its session, and gets a sign of life every second.
 * The others take the row once that session is gone. If it is there, but no sign of life has come for a while, they end it. No lock says who has
 * the lease: everybody may take one of a kind that lasts.
 *
 * Nobody can tell whether a process that was deposed knows it. So each holder has a fencing number, and each of its transactions locks the
 * number's row and fails if it has changed. Whoever takes the lease increases the number, which waits for, or ends, transactions that
 * have locked the row, before anything is read. So a transaction either was committed before that, or fails.
 */
import { randomBytes } from "node:crypto";
import type { Client, ClientBase } from "pg";
import { FirnError } from "../../../base/errors/errors.ts";
import { pause } from "../../../base/work/pause.ts";
import type { LeaseHolder } from "../place.ts";
import { isUnreachable, LeaseSession, LostSession } from "./lease-session.ts";
import { type LeaseStatements, leaseStatements } from "./lease-tables.ts";

const BEAT_MS = 1000;
const POLL_MS = 300;
/** while the session of the holder ends */
const POLL_ENDED_MS = 30;
/** Polls that saw no new sign of life, after which the holder is deposed. They are counted, not timed: while the server answers nobody, nobody is late. */
const SILENT_POLLS = 10;
const [ROW_IS_LOCKED, NO_RIGHTS, CHANGED_MEANWHILE] = ["55P03", "42501", "40001"];

interface LeaseOptions {
  /** makes a connection that is the lease's alone; no pooler may share it, because the lease is the session's */
  readonly connect: () => Promise<Client>;
  readonly schema: string;
  /** who asks, for others to read */
  readonly holder: string;
  /** ends waiting */
  readonly signal?: AbortSignal;
  /** told of each process that is waited for, once */
  readonly onWaiting?: (holder: LeaseHolder) => void;
}

export class IngesterLease {
  readonly fence: bigint;
  /** settled when another process has the lease, or may have it; never after `release` */
  readonly lost: Promise<FirnError>;
  readonly #session: LeaseSession;
  readonly #sql: LeaseStatements;
  readonly #name: string;
  readonly #end = new AbortController();
  #loss: FirnError | undefined;

  private constructor(session: LeaseSession, sql: LeaseStatements, name: string, fence: bigint) {
    this.fence = fence;
    this.#name = name;
    this.#session = session;
    this.#sql = sql;
    this.lost = new Promise((resolve) => {
      const lose = (error: unknown) => {
        if (this.#end.signal.aborted) return;
        this.#loss = lostError(error);
        this.#end.abort();
        session.destroy();
        resolve(this.#loss);
      };
      session.lost.then(lose);
      this.#beat().catch(lose);
    });
  }

  /** Waits until the lease is this process's. A session that is lost meanwhile is replaced; other errors are thrown. */
  static async acquire(options: LeaseOptions): Promise<IngesterLease> {
    const sql = leaseStatements(options.schema);
    let session = new LeaseSession(await options.connect());
    for (;;) {
      try {
        const name = `firn lease ${randomBytes(8).toString("hex")}`;
        await session.query(sql.limitWaits);
        await session.query(sql.nameSession, [name]);
        await waitForRow(session, sql, name, options);
        return new IngesterLease(session, sql, name, await takeOver(session, sql, name, options));
      } catch (error) {
        session.destroy();
        if (!(error instanceof LostSession)) throw error;
        session = await newSession(options);
      }
    }
  }

  /** A statement of each transaction that writes, before its end: it fails if another process has taken the lease. */
  async check(client: Pick<ClientBase, "query">): Promise<void> {
    if (this.#loss !== undefined) throw this.#loss;
    await checkFence(client, this.#sql, this.fence);
  }

  /** Call it when nothing is being committed. */
  async release(): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    // if it cannot be given back, the end of the session does it
    await this.#session.query(this.#sql.giveBack, [this.#name]).catch(() => {});
    this.#session.destroy();
  }

  async #beat(): Promise<void> {
    for (;;) {
      await pause(BEAT_MS, this.#end.signal);
      if (this.#end.signal.aborted) return;
      const rows = await unlessLocked(this.#session.query(this.#sql.beat, [this.#name]));
      if (rows?.length === 0) throw new Error("another session has taken the lease");
    }
  }
}

/** The same by what the database knows alone. */
export async function checkFence(client: Pick<ClientBase, "query">, { lockFence }: LeaseStatements, fence: bigint): Promise<void> {
  try {
    const { rows } = await client.query(lockFence);
    if (rows.length === 0 || BigInt(rows[0].fence) !== fence) throw deposed();
  } catch (error) {
    throw (error as { code?: string }).code === CHANGED_MEANWHILE ? deposed(error) : error;
  }
}

/** Who has the lease; undefined: nobody. */
export async function leaseHolder(client: Pick<ClientBase, "query">, schema: string): Promise<LeaseHolder | undefined> {
  const { rows } = await client.query(leaseStatements(schema).holder);
  return rows.length === 0 ? undefined : holderOf(rows[0]);
}

async function waitForRow(session: LeaseSession, sql: LeaseStatements, name: string, options: LeaseOptions): Promise<void> {
  let told: string | undefined;
  let [sign, silent] = ["", 0];
  for (;;) {
    options.signal?.throwIfAborted();
    const [last] = await session.query(sql.last);
    const taken = await unlessLocked(session.query(sql.take, [options.holder, name, last?.pid, last?.name]));
    if (taken !== undefined && taken.length > 0) return;
    const [row] = await session.query(sql.holder);
    if (row !== undefined) {
      const holder = holderOf(row);
      const whose = `${holder.holder} ${holder.takenAt.getTime()}`;
      if (whose !== told) options.onWaiting?.(holder);
      told = whose;
      const seen = `${row.pid} ${row.sign}`;
      silent = seen === sign ? silent + 1 : 0;
      sign = seen;
      if (silent >= SILENT_POLLS) await endSessions(session, sql.endHolder, [row.pid, row.sign], holder.holder);
    }
    await pause(silent >= SILENT_POLLS ? POLL_ENDED_MS : POLL_MS, ...(options.signal === undefined ? [] : [options.signal]));
  }
}

/** @returns the fencing number. After this, no transaction of an earlier holder can be committed. */
async function takeOver(session: LeaseSession, sql: LeaseStatements, name: string, { signal }: LeaseOptions): Promise<bigint> {
  for (;;) {
    signal?.throwIfAborted();
    await endSessions(session, sql.endCommits, [], "who had the lease before");
    const increased = await unlessLocked(session.query(sql.increaseFence));
    if (increased?.[0] !== undefined) return BigInt(increased[0].fence);
    // it lives, though it still waits
    await unlessLocked(session.query(sql.beat, [name]));
  }
}

async function endSessions(session: LeaseSession, statement: string, values: readonly unknown[], whose: string): Promise<void> {
  try {
    await session.query(statement, values);
  } catch (error) {
    if ((error as { code?: string }).code !== NO_RIGHTS) throw error;
    throw new FirnError(
      "store-lease-rights",
      `this role may not end the sessions of ${whose}, which hold the store but show no sign of life: let all writers use one role, GRANT pg_signal_backend to this one, or end that process`,
      {},
      { cause: error },
    );
  }
}

/** The wait for a row has a limit: undefined when it was reached. */
async function unlessLocked<T>(query: Promise<T>): Promise<T | undefined> {
  try {
    return await query;
  } catch (error) {
    if ((error as { code?: string }).code === ROW_IS_LOCKED) return undefined;
    throw error;
  }
}

/** Tried until the server can be reached again. */
async function newSession({ connect, signal }: LeaseOptions): Promise<LeaseSession> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return new LeaseSession(await connect());
    } catch (error) {
      // a sentence of ours was made from the client's error; one without is a refusal
      const cause = error instanceof FirnError ? error.cause : error;
      if (cause === undefined || !isUnreachable(cause)) throw error;
      await pause(POLL_MS, ...(signal === undefined ? [] : [signal]));
    }
  }
}

function holderOf(row: Record<string, unknown>): LeaseHolder {
  const { holder, fence, taken_at: takenAt, seen_at: seenAt } = row as { holder: string; fence: string; taken_at: Date; seen_at: Date };
  return { holder, fence: BigInt(fence), takenAt, seenAt };
}

function deposed(cause?: unknown): FirnError {
  return new FirnError(
    "store-deposed",
    "another process has taken over writing this store; what this one was about to commit was not committed",
    {},
    { cause },
  );
}

function lostError(cause: unknown): FirnError {
  const { message } = cause as Error;
  return new FirnError(
    "store-deposed",
    `this process can no longer write the store, because its session with PostgreSQL was lost: ${message}`,
    {},
    { cause },
  );
}
