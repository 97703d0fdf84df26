/** Starts several `firn serve` on one store, and puts load on all of them at once. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { listeningUrl } from "../../test/serve/listening-url.ts";
import { cpuSecondsOf } from "../evm/process-cpu.ts";
import { CONNECTIONS, type LoadRequest, loadInTurn } from "../load.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));

export interface Readers {
  readonly origins: readonly string[];
  /** of all of them */
  cpuSeconds(): number;
}

export interface ReadersLoad {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** the mean of the readers' medians */
  readonly p50Ms: number;
  /** the worst reader's */
  readonly p99Ms: number;
}

/** @param options of `firn serve` that say which store */
export async function withReaders<R>(count: number, options: readonly string[], use: (readers: Readers) => Promise<R>): Promise<R> {
  const args = [firn, "serve", "--http-port", "0", "--workers", "1", ...options];
  const servers: ChildProcess[] = [];
  try {
    // one after the other: the first one makes the secret of page tokens
    const origins: string[] = [];
    for (let i = 0; i < count; i++) {
      const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      servers.push(server);
      origins.push(await listeningUrl(server));
    }
    return await use({ origins, cpuSeconds: () => servers.reduce((sum, { pid }) => sum + cpuSecondsOf(pid!), 0) });
  } finally {
    const ended = servers.map((server) => server.exitCode ?? once(server, "exit"));
    for (const server of servers) server.kill("SIGTERM");
    await Promise.all(ended);
  }
}

/** The same number of connections, whatever the number of readers. Every request is new, so that no kept answer is used. */
export async function loadReaders({ origins }: Readers, requests: readonly LoadRequest[], seconds: number): Promise<ReadersLoad> {
  const connections = CONNECTIONS / origins.length;
  const loads = await Promise.all(origins.map((origin) => loadInTurn(origin, requests, seconds, { isEachNew: true, connections })));
  const sum = (of: (load: (typeof loads)[number]) => number) => loads.reduce((total, load) => total + of(load), 0);
  return {
    requests: sum((load) => load.requests),
    requestsPerSecond: sum((load) => load.requestsPerSecond),
    p50Ms: sum((load) => load.p50Ms) / loads.length,
    p99Ms: Math.max(...loads.map((load) => load.p99Ms)),
  };
}
