/** The PostgreSQL that is measured: one of the bench's own, or one that is given, such as a Citus cluster. */
import { Client } from "pg";
import { PostgresServer } from "../../test/postgres/server.ts";
import { cpuSecondsWithChildren } from "../evm/process-cpu.ts";

/** What an operator would set on a machine of 16 GB or more. All that a crash of the machine could lose is kept: PostgreSQL's defaults. */
export const SETTINGS = {
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  shared_buffers: "2GB",
  effective_cache_size: "8GB",
  max_wal_size: "8GB",
  checkpoint_timeout: "15min",
  wal_buffers: "64MB",
};

export class BenchedPostgres {
  readonly url: string;
  /** of its first process; undefined: it may be on another machine */
  readonly processId: number | undefined;
  readonly #own: PostgresServer | undefined;

  private constructor(url: string, own: PostgresServer | undefined) {
    this.url = url;
    this.#own = own;
    this.processId = own?.processId;
  }

  /** @param url of a database without a schema `firn`, which the bench makes and removes; undefined: it starts a server */
  static async start(url: string | undefined): Promise<BenchedPostgres> {
    const own = url === undefined ? await PostgresServer.start(SETTINGS) : undefined;
    const postgres = new BenchedPostgres(url ?? own!.url(), own);
    if (await postgres.ask("SELECT 1 FROM pg_namespace WHERE nspname = 'firn'")) throw new Error("the database has a schema firn already");
    return postgres;
  }

  /** The first column of the first row, if there is one. */
  async ask(text: string): Promise<string | undefined> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      const { rows } = await client.query({ text, rowMode: "array" });
      return rows[0]?.[0];
    } finally {
      await client.end();
    }
  }

  /** its own word for itself, and that of Citus if it has it */
  async describe(): Promise<string> {
    const version = await this.ask("SHOW server_version");
    const workers = await this.ask("SELECT to_regclass('pg_dist_node')::text");
    const nodes = workers == null ? undefined : await this.ask("SELECT count(*)::text FROM pg_dist_node WHERE shouldhaveshards");
    const settings = Object.keys(SETTINGS).map(async (name) => `${name} ${await this.ask(`SHOW ${name}`)}`);
    return `PostgreSQL ${version}${nodes === undefined ? "" : ` with Citus, rows on ${nodes} nodes`}: ${(await Promise.all(settings)).join(", ")}`;
  }

  /** CPU time of all of its processes, those that have ended too; NaN if they are not known */
  get cpuSeconds(): number {
    return this.processId === undefined ? Number.NaN : cpuSecondsWithChildren(this.processId);
  }

  /** Firn's connections now */
  async connections(): Promise<number> {
    return Number(await this.ask("SELECT count(*)::text FROM pg_stat_activity WHERE application_name LIKE 'firn %'"));
  }

  async empty(): Promise<void> {
    await this.ask("DROP SCHEMA IF EXISTS firn CASCADE");
  }

  async stop(): Promise<void> {
    if (this.#own === undefined) await this.empty();
    else await this.#own.remove();
  }
}
