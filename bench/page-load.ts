/**
 * Measures requests per second of a served store, with one worker and with more. After each measurement a bare node:http server with as
 * many processes is measured with a constant answer of the same size.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { listeningUrl } from "../test/serve/listening-url.ts";
import type { ListPages } from "./data-pages.ts";
import { ask } from "./data-pages.ts";
import { freePort } from "./free-port.ts";
import { type LoadRequest, type LoadResult, loadInTurn } from "./load.ts";
import { cpuMs, residentMb } from "./resident.ts";

export interface MeasuredCases {
  readonly lists: readonly { readonly name: string; readonly pages: ListPages }[];
  readonly points: readonly { readonly name: string; readonly requests: readonly LoadRequest[] }[];
}

export interface ServedStore {
  readonly dataDir: string;
  /** options of `firn serve` other than the data directory, the port and the workers */
  readonly options?: readonly string[];
}

/** Prints a table for each number of workers. @param pageSize of the lists, for the caption */
export async function measureCases(
  store: ServedStore,
  { lists, points }: MeasuredCases,
  { pageSize, seconds, workerCounts }: { readonly pageSize: number; readonly seconds: number; readonly workerCounts: readonly number[] },
): Promise<void> {
  for (const workers of workerCounts) {
    await withServers(store, workers, async (servers) => {
      const measure = (requests: readonly LoadRequest[]) => compare(servers, requests, seconds);
      console.log(`\n${workers} worker${workers > 1 ? "s" : ""}, lists, pages of ${pageSize}\n`);
      console.log(`| list | pages of 100 | page | ${COLUMNS} | p99 × first | CPU × first |`);
      console.log(`|---|---:|---|${ALIGNED}---:|---:|`);
      for (const { name, pages } of lists) {
        let first: Measured | undefined;
        for (const place of ["first", "middle", "last"] as const) {
          const measured = await measure(pages[place]);
          first ??= measured.anew;
          const growth = [measured.anew.p99Ms / first.p99Ms, measured.anew.cpuMs / first.cpuMs].map((ratio) => ratio.toFixed(1));
          const list = place === "first" ? `${name} | ${pages.walked}` : " | ";
          console.log(`| ${list} | ${place} | ${cells(measured)} | ${growth.join(" | ")} |`);
        }
      }
      console.log(`\n${workers} worker${workers > 1 ? "s" : ""}, others\n`);
      console.log(`| requests | distinct | ${COLUMNS} |`);
      console.log(`|---|---:|${ALIGNED}`);
      for (const { name, requests } of points) console.log(`| ${name} | ${requests.length} | ${cells(await measure(requests))} |`);
      console.log(`\nresident memory of all server processes after the run: ${await residentMb(servers.firn.pid!)} MB`);
    });
  }
}

export interface Servers {
  readonly firn: ChildProcess;
  readonly bare: ChildProcess;
  readonly origin: string;
  readonly bareOrigin: string;
}

export interface Measured extends LoadResult {
  /** CPU time per request of all server processes, which is little affected by other load on the machine */
  readonly cpuMs: number;
}

interface Comparison {
  /** average size of an answer */
  readonly bytes: number;
  /** the same requests repeatedly, whose answers are cached where they depend only on the state */
  readonly ours: Measured;
  /** unique requests, whose answers are not cached */
  readonly anew: Measured;
  readonly bare: Measured;
}

async function compare(servers: Servers, requests: readonly LoadRequest[], seconds: number): Promise<Comparison> {
  const { firn, bare, origin, bareOrigin } = servers;
  let bytes = 0;
  for (const request of requests) bytes += Buffer.byteLength((await ask(origin, request)).text);
  const size = Math.round(bytes / requests.length);
  const anew = await measuredLoad(firn, origin, requests, seconds, { isEachNew: true });
  const ours = await measuredLoad(firn, origin, requests, seconds);
  const constant = [{ path: `/${size}`, body: requests[0]!.body }];
  return { bytes: size, ours, anew, bare: await measuredLoad(bare, bareOrigin, constant, seconds) };
}

/** Load with the CPU time of the server, for a request. */
export async function measuredLoad(
  server: ChildProcess,
  origin: string,
  requests: readonly LoadRequest[],
  seconds: number,
  options: { isEachNew?: boolean } = {},
): Promise<Measured> {
  const before = await cpuMs(server.pid!);
  const result = await loadInTurn(origin, requests, seconds, options);
  return { ...result, cpuMs: ((await cpuMs(server.pid!)) - before) / result.requests };
}

const COLUMNS = "bytes | requests/s | p50 ms | p99 ms | bare server | ratio | anew/s | p50 ms | p99 ms | CPU ms | ratio";
const ALIGNED = "---:|".repeat(11);

function cells({ bytes, ours, anew, bare }: Comparison): string {
  const figures = ({ requestsPerSecond, p50Ms, p99Ms }: Measured) => [Math.round(requestsPerSecond), p50Ms.toFixed(2), p99Ms.toFixed(2)];
  const ratio = ({ requestsPerSecond }: Measured) => (requestsPerSecond / bare.requestsPerSecond).toFixed(2);
  const rates = [...figures(ours), Math.round(bare.requestsPerSecond), ratio(ours), ...figures(anew), anew.cpuMs.toFixed(3), ratio(anew)];
  return [bytes, ...rates].join(" | ");
}

export async function withServers<R>(
  { dataDir, options = [] }: ServedStore,
  workers: number,
  use: (servers: Servers) => Promise<R>,
): Promise<R> {
  const barePort = await freePort();
  const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const serve = [script("../bin/firn"), "serve", "--data-dir", dataDir, "--http-port", "0", "--workers", `${workers}`, ...options];
  const firn = spawn(process.execPath, serve, { stdio: [...stdio] });
  const bare = spawn(process.execPath, ["--import", "tsx", script("bare-server.ts"), `${barePort}`, `${workers}`], { stdio: [...stdio] });
  try {
    const [origin] = await Promise.all([listeningUrl(firn), once(bare.stdout!, "data")]);
    return await use({ firn, bare, origin, bareOrigin: `http://127.0.0.1:${barePort}` });
  } finally {
    firn.kill("SIGTERM");
    bare.kill("SIGTERM");
    await once(firn, "exit");
  }
}
