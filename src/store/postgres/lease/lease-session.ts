/** The session that holds, or waits for, the ingester's lease. A statement that is not answered in time means that it is lost. */
import type { Client, QueryResultRow } from "pg";

/** The session ended, or does not answer. Another one may do better. */
export class LostSession extends Error {}

/** An answer is waited for this long … */
const TICK_MS = 200;
/** … so many times: they are counted, not timed. A process that was busy with itself reads the answer before the next one. */
const TICKS = 10;
/** SQLSTATEs with which PostgreSQL ends a session (57P), or of a connection that failed (08) */
const ENDS_SESSION = /^(?:08|57P)/;
const SQL_STATE = /^[0-9A-Z]{5}$/;

export class LeaseSession {
  /** settled when the session ends, whoever ended it */
  readonly lost: Promise<LostSession>;
  readonly #client: Client;
  #reason: LostSession | undefined;

  constructor(client: Client) {
    this.#client = client;
    this.lost = new Promise((resolve) => {
      const lose = (error?: Error) => {
        this.#reason ??= new LostSession(error?.message ?? "the connection was closed", { cause: error });
        resolve(this.#reason);
      };
      client.on("error", lose);
      client.on("end", () => lose());
    });
  }

  async query(text: string, values: readonly unknown[] = []): Promise<QueryResultRow[]> {
    if (this.#reason !== undefined) throw this.#reason;
    try {
      const { rows } = await answered(this.#client.query(text, [...values]));
      return rows;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      // without an SQLSTATE it is the client's: no answer in time, or the connection is gone
      if (code !== undefined && SQL_STATE.test(code) && !ENDS_SESSION.test(code)) throw error;
      throw this.#reason ?? new LostSession(message, { cause: error });
    }
  }

  /** Without waiting for the server, which may not answer. */
  destroy(): void {
    this.#client.connection.stream.destroy();
  }
}

/** Whether it makes sense to connect again: it was not a refusal. 53: too many connections, or no memory. */
export function isUnreachable(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === undefined || !SQL_STATE.test(code) || ENDS_SESSION.test(code) || code.startsWith("53");
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  let ticks = 0;
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      if (++ticks === TICKS) reject(new LostSession(`PostgreSQL did not answer for ${(TICKS * TICK_MS) / 1000} seconds`));
    }, TICK_MS);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearInterval(timer);
  }
}
