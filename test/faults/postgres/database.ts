/** PostgreSQL as an operator runs it who may not lose a commit: a standby that has each commit before it returns, and takes over when the primary dies. */
import { Client } from "pg";
import { PostgresServer } from "../../postgres/server.ts";
import { Standby } from "../../postgres/standby.ts";
import { TcpProxy } from "../../postgres/tcp-proxy.ts";

const SETTINGS = { shared_buffers: "64MB" };

export class Database {
  readonly #proxies: TcpProxy[] = [];
  #primary: PostgresServer;
  #standby: Standby | undefined;

  private constructor(primary: PostgresServer) {
    this.#primary = primary;
  }

  static async start(): Promise<Database> {
    return new Database(await PostgresServer.start(SETTINGS));
  }

  get url(): string {
    return this.#primary.url();
  }

  /** A way to whichever server is the primary. */
  async proxied(): Promise<{ proxy: TcpProxy; url: string }> {
    const proxy = await TcpProxy.start(this.#primary.port);
    this.#proxies.push(proxy);
    return { proxy, url: this.url.replace(`:${this.#primary.port}`, `:${proxy.port}`) };
  }

  /** @param how in good order, or killed */
  async restart(how: "restart" | "crash"): Promise<void> {
    await (how === "restart" ? this.#primary.stop() : this.#primary.kill());
    await this.#primary.start();
  }

  /** From now on a commit returns when the standby has it, too. */
  async prepareFailover(): Promise<void> {
    this.#standby = await Standby.start(this.#primary, SETTINGS);
    const client = new Client(this.url);
    await client.connect();
    await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await client.query("SELECT pg_reload_conf()");
    const isSynchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
    while ((await client.query(isSynchronous)).rows.length === 0) {}
    await client.end();
  }

  /** The primary is killed for good, and all ways lead to its standby. */
  async failOver(): Promise<void> {
    const [old, standby] = [this.#primary, this.#standby!];
    await old.kill();
    await standby.promote();
    this.#primary = standby.server;
    this.#standby = undefined;
    for (const proxy of this.#proxies) proxy.leadTo(this.#primary.port);
    await old.remove();
  }

  async remove(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    await this.#standby?.remove();
    await this.#primary.remove();
  }
}
