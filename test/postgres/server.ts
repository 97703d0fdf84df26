/** A PostgreSQL on a free port of 127.0.0.1, with its data in a temporary folder. It ends with the process that started it, even if that is killed. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../bench/free-port.ts";
import { eventually } from "../patience.ts";
import { asUser, runnablePrograms } from "./binaries.ts";

const SUPERUSER = "postgres";

/** A machine that fails would lose data; a server that is killed does not. */
const FAST = {
  fsync: "off",
  full_page_writes: "off",
  shared_buffers: "64MB",
  max_connections: "200",
};

/** Members of this role, which tests make, must give their password; everybody else is trusted. */
export const NEEDS_PASSWORD = "needs_password";
const HBA = `host all +${NEEDS_PASSWORD} 127.0.0.1/32 scram-sha-256\nhost all,replication all 127.0.0.1/32 trust\n`;

/**
 * Runs the server and reads from a pipe that its owner holds. The pipe's end means that the owner is gone: the server is ended, and its
 * files are removed.
 */
const KEEPER = `
folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- >>"$folder/log" 2>&1 &
server=$!
trap "" PIPE
echo "$server"
{ read -r _ <&3; kill -QUIT "$server"; } 2>/dev/null &
reader=$!
wait "$server"
kill "$reader" 2>/dev/null
echo ended
read -r _ <&3 || rm -rf "$folder"/*
`;

export class PostgresServer {
  readonly port: number;
  /** of the data; `postgresql.auto.conf` and `pg_hba.conf` are in it */
  readonly data: string;
  readonly #folder: string;
  readonly #programs: string;
  readonly #settings: Readonly<Record<string, string>>;
  #running: { readonly processId: number; readonly ended: Promise<unknown> } | undefined;

  private constructor(port: number, folder: string, settings: Readonly<Record<string, string>>) {
    this.port = port;
    this.#folder = folder;
    this.data = join(folder, "data");
    this.#programs = runnablePrograms(folder);
    this.#settings = settings;
  }

  /**
   * @param settings besides PostgreSQL's own: for tests those that are fast
   * @param create makes the data; by default they are a new server's
   */
  static async start(settings: Readonly<Record<string, string>> = FAST, create?: (data: string) => Promise<void>): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), "firn-postgres-"));
    try {
      if (asUser.uid !== undefined) chownSync(folder, asUser.uid, asUser.gid);
      const server = new PostgresServer(await freePort(), folder, settings);
      if (create === undefined) server.#create();
      else await create(server.data);
      await server.start();
      return server;
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** of a database, to connect to */
  url(database: string = SUPERUSER, user: string = SUPERUSER): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** of the server's first process, the parent of all others */
  get processId(): number {
    if (this.#running === undefined) throw new Error("the server is not running");
    return this.#running.processId;
  }

  /** Again, after `stop` or `kill`. Processes that outlive a killed server for a moment keep it from starting. */
  async start(): Promise<void> {
    await eventually(() => this.#tryToStart());
  }

  async #tryToStart(): Promise<boolean> {
    const logged = this.log.length;
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const command = [join(this.#programs, "postgres"), "-D", this.data, "-p", `${this.port}`, "-h", "127.0.0.1", "-k", "", ...settings];
    const keeper = spawn("sh", ["-c", KEEPER, "keeper", this.#folder, ...command], {
      ...asUser,
      cwd: this.#folder,
      // signals to the owner's group are not for it
      detached: true,
      // the shell tells of killed children
      stdio: ["pipe", "pipe", "ignore"],
    });
    const exit = once(keeper, "exit");
    const processId = await firstLine(keeper);
    let hasEnded = false;
    const ended = exit.then(() => {
      hasEnded = true;
      if (this.#running?.processId === processId) this.#running = undefined;
    });
    this.#running = { processId, ended };
    await eventually(() => hasEnded || this.#isReady(processId));
    if (!hasEnded) return true;
    const said = this.log.slice(logged);
    if (said.includes("pre-existing shared memory block")) return false;
    throw new Error(`PostgreSQL ended at once: ${said}`);
  }

  /** what it has logged */
  get log(): string {
    const file = join(this.#folder, "log");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** Ends connections and shuts down in good order. */
  async stop(): Promise<void> {
    await this.#signal("SIGINT");
  }

  /** Kills its first process; the others notice and end. `start` recovers. */
  async kill(): Promise<void> {
    const { processId } = this;
    // it starts no more processes while those that it has are killed
    process.kill(processId, "SIGSTOP");
    for (const child of childrenOf(processId)) killQuietly(child);
    await this.#signal("SIGKILL");
  }

  /** Ends it for good and removes its files. */
  async remove(): Promise<void> {
    if (this.#running !== undefined) await this.#signal("SIGQUIT");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    const { processId, ended } = this.#running!;
    process.kill(processId, signal);
    await ended;
  }

  #create(): void {
    // a language's order as the default, so that a column that lacks its own order shows
    const locale = ["--encoding", "UTF8", "--locale", "C", "--locale-provider", "icu", "--icu-locale", "en"];
    const args = ["--pgdata", this.data, "--username", SUPERUSER, "--auth", "trust", "--no-sync", ...locale];
    execFileSync(join(this.#programs, "initdb"), args, { ...asUser, cwd: this.#folder, stdio: ["ignore", "ignore", "pipe"] });
    writeFileSync(join(this.data, "pg_hba.conf"), HBA);
    appendFileSync(join(this.data, "postgresql.conf"), "log_min_messages = warning\n");
  }

  /** The eighth line of its file tells its state. */
  #isReady(processId: number): boolean {
    try {
      const lines = readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n");
      return Number(lines[0]) === processId && lines[7]?.trim() === "ready";
    } catch {
      return false;
    }
  }
}

/** The server's process ID; the end, which the second line tells, is acknowledged. */
async function firstLine(keeper: ChildProcess): Promise<number> {
  const [line] = (await once(keeper.stdout!, "data")) as [Buffer];
  const acknowledge = () => keeper.stdin!.write("\n");
  // the owner need not wait for it
  keeper.stdin!.on("error", () => {});
  if (line.includes("ended")) acknowledge();
  else keeper.stdout!.once("data", acknowledge);
  return Number.parseInt(line.toString(), 10);
}

function childrenOf(processId: number): number[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, parent]) => (parent === processId ? [pid!] : []));
}

function killQuietly(processId: number): void {
  try {
    process.kill(processId, "SIGKILL");
  } catch {
    // it has ended by itself
  }
}
