/** A standby of a server: a copy of its files that goes on to apply what it commits, and can be read. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { eventually } from "../patience.ts";
import { baseBackup } from "./base-backup.ts";
import { PostgresServer } from "./server.ts";

export class Standby {
  readonly server: PostgresServer;

  private constructor(server: PostgresServer) {
    this.server = server;
  }

  /** @param primary must run; what it has now, the standby has when this resolves */
  static async start(primary: PostgresServer, settings?: Readonly<Record<string, string>>): Promise<Standby> {
    // it can be stopped for a while
    await run(primary, "ALTER SYSTEM SET wal_keep_size = '1GB'");
    await run(primary, "SELECT pg_reload_conf()");
    const server = await PostgresServer.start(settings, async (data) => {
      await baseBackup(primary, data);
      writeFileSync(join(data, "standby.signal"), "");
      const lines = [`primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'`, "wal_retrieve_retry_interval = '100ms'"];
      appendFileSync(join(data, "postgresql.auto.conf"), `${lines.join("\n")}\n`);
    });
    const standby = new Standby(server);
    await standby.reach(primary);
    return standby;
  }

  /** of a database, to connect to */
  url(database?: string): string {
    return this.server.url(database);
  }

  /** Waits until it has all that the primary has now. */
  async reach(primary: PostgresServer): Promise<void> {
    // where the next record will begin (insert_lsn) is further on at the beginning of a page
    const position = await run(primary, "SELECT pg_current_wal_flush_lsn()");
    await eventually(async () => (await run(this.server, `SELECT pg_last_wal_replay_lsn() >= '${position}'::pg_lsn`)) === true);
  }

  /** It receives what is committed, but does not apply it. */
  async pause(): Promise<void> {
    await run(this.server, "SELECT pg_wal_replay_pause()");
    while ((await run(this.server, "SELECT pg_get_wal_replay_pause_state()")) !== "paused") {}
  }

  async resume(): Promise<void> {
    await run(this.server, "SELECT pg_wal_replay_resume()");
  }

  /** Makes it a primary of its own. */
  async promote(): Promise<void> {
    await run(this.server, "SELECT pg_promote()");
  }

  start(): Promise<void> {
    return this.server.start();
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  remove(): Promise<void> {
    return this.server.remove();
  }
}

/** @returns the first column of the first row */
async function run(server: PostgresServer, statement: string): Promise<unknown> {
  const client = new pg.Client(server.url());
  await client.connect();
  try {
    const { rows } = await client.query({ text: statement, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}
