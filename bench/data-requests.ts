/**
 * Requests per second of the Data API on a store of the synthetic network, with one and with two workers, beside a bare node:http server with
 * as many processes that answers a constant of the same size right after each measurement.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { listCases, pointCases } from "./data-cases.ts";
import { ask, pagesOf } from "./data-pages.ts";
import { listeningUrl } from "./listening-url.ts";
import { type LoadRequest, type LoadResult, loadInTurn } from "./load.ts";
import { residentMb } from "./resident.ts";

export interface MeasureOptions {
  readonly dataDir: string;
  readonly seconds: number;
  /** part of the names of the cases that are wanted */
  readonly only: string;
}

const PAGE_SIZE = 10;
const WARM_UP_SECONDS = 1;

export async function measureRequests({ dataDir, seconds, only }: MeasureOptions): Promise<void> {
  const lists = await withServers(dataDir, 1, async ({ origin }) => {
    const chosen = listCases().filter(({ name }) => name.includes(only));
    const walk = async (list: (typeof chosen)[number]) => ({ name: list.name, pages: await pagesOf(origin, list, PAGE_SIZE) });
    const walked = await Promise.all(chosen.map(walk));
    const points = (await pointCases(origin)).filter(({ name }) => name.includes(only));
    return { walked, points };
  });
  for (const workers of [1, 2]) {
    await withServers(dataDir, workers, async (servers) => {
      const measure = (requests: readonly LoadRequest[]) => compare(servers, requests, seconds);
      console.log(`\n${workers} worker${workers > 1 ? "s" : ""}, lists, pages of ${PAGE_SIZE}\n`);
      console.log("| list | walk, pages of 100 | page | bytes | requests/s | p50 ms | p99 ms | bare server | ratio | p99 × first |");
      console.log("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|");
      for (const { name, pages } of lists.walked) {
        let firstP99: number | undefined;
        for (const place of ["first", "middle", "last"] as const) {
          const measured = await measure(pages[place]);
          firstP99 ??= measured.ours.p99Ms;
          const walkedPages = place === "first" ? pages.walked : "";
          console.log(
            `| ${place === "first" ? name : ""} | ${walkedPages} | ${place} | ${cells(measured)} | ${(measured.ours.p99Ms / firstP99).toFixed(1)} |`,
          );
        }
      }
      console.log(`\n${workers} worker${workers > 1 ? "s" : ""}, others\n`);
      console.log("| requests | distinct | bytes | requests/s | p50 ms | p99 ms | bare server | ratio | ms of a server's time |");
      console.log("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
      for (const { name, requests } of lists.points) {
        const measured = await measure(requests);
        const time = ((1000 * workers) / measured.ours.requestsPerSecond).toFixed(3);
        console.log(`| ${name} | ${requests.length} | ${cells(measured)} | ${time} |`);
      }
      console.log(`\nresident memory of all server processes after the run: ${await residentMb(servers.firn.pid!)} MB`);
    });
  }
}

interface Servers {
  readonly firn: ChildProcess;
  readonly origin: string;
  readonly bareOrigin: string;
}

interface Comparison {
  /** of an answer, on average */
  readonly bytes: number;
  readonly ours: LoadResult;
  readonly bare: LoadResult;
}

async function compare({ origin, bareOrigin }: Servers, requests: readonly LoadRequest[], seconds: number): Promise<Comparison> {
  let bytes = 0;
  for (const request of requests) bytes += Buffer.byteLength((await ask(origin, request)).text);
  const size = Math.round(bytes / requests.length);
  await loadInTurn(origin, requests, WARM_UP_SECONDS);
  const ours = await loadInTurn(origin, requests, seconds);
  const bare = await loadInTurn(bareOrigin, [{ path: `/${size}`, body: requests[0]!.body }], seconds);
  return { bytes: size, ours, bare };
}

function cells({ bytes, ours, bare }: Comparison): string {
  const ratio = ours.requestsPerSecond / bare.requestsPerSecond;
  const rates = [bytes, Math.round(ours.requestsPerSecond), ours.p50Ms.toFixed(2), ours.p99Ms.toFixed(2)];
  return [...rates, Math.round(bare.requestsPerSecond), ratio.toFixed(2)].join(" | ");
}

async function withServers<R>(dataDir: string, workers: number, use: (servers: Servers) => Promise<R>): Promise<R> {
  const barePort = await freePort();
  const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const firn = spawn(
    process.execPath,
    [script("../bin/firn"), "serve", "--data-dir", dataDir, "--http-port", "0", "--workers", `${workers}`],
    {
      stdio: [...stdio],
    },
  );
  const bare = spawn(process.execPath, ["--import", "tsx", script("bare-server.ts"), `${barePort}`, `${workers}`], { stdio: [...stdio] });
  try {
    const [origin] = await Promise.all([listeningUrl(firn), once(bare.stdout!, "data")]);
    return await use({ firn, origin, bareOrigin: `http://127.0.0.1:${barePort}` });
  } finally {
    firn.kill("SIGTERM");
    bare.kill("SIGTERM");
    await once(firn, "exit");
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
