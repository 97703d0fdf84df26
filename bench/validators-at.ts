/**
 * `npm run bench:validators -- [--data-dir DIR]`: measures the cost of past validator sets, over HTTP on the recording `scale-1`, and on
 * generated histories, one of which is 100 times as long as the other. The rows read there must stay within the bound that
 * `platform.getValidatorsAt` documents; otherwise the exit code is 1. If DIR has no store, the recording is imported, and the import's
 * memory is printed.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { validatorSetAt } from "../src/api/rpc/platform/validator-sets.ts";
import { RequestWork } from "../src/base/work/work.ts";
import { openStore } from "../src/store/open.ts";
import { recordingFolder } from "../test/conformance/recordings.ts";
import { listeningUrl } from "../test/serve/listening-url.ts";
import { run } from "./load.ts";
import { peakMemory } from "./resident.ts";
import { CHANGES_PER_BLOCK, CountingReader, MEMBERS, range, subnetId, writeHistory } from "./validator-history.ts";

const CHANGES = 5000;
const TIMES_AS_LONG = 100;
/** Number of fresh servers, each of which gets one request. */
const STARTS = 5;
/** The documented bound: one snapshot, and at most as many changes as the set has members, but at least 256. */
const rowBound = (members: number) => 1 + Math.max(256, members);
const PLACES = ["oldest", "middle", "newest"] as const;
type Place = (typeof PLACES)[number];

const firn = fileURLToPath(new URL("../bin/firn", import.meta.url));
const { values } = parseArgs({ options: { "data-dir": { type: "string" } } });

/** The height of a place, and `count` other heights as near to it as possible. */
function heightsAt(place: Place, newest: number, count: number): { height: number; near: number[] } {
  const height = { oldest: 0, middle: newest >> 1, newest }[place];
  const first = Math.max(0, Math.min(height - (count >> 1), newest - count));
  return { height, near: range(first, count + 1).filter((other) => other !== height) };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}

async function timed<R>(action: () => Promise<R>): Promise<{ result: R; ms: number }> {
  const startedAt = performance.now();
  const result = await action();
  return { result, ms: performance.now() - startedAt };
}

async function ask(url: string, method: string, params: object): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(`${url}/ext/bc/P`, { method: "POST", headers: { "content-type": "application/json" }, body });
  const answer = await response.text();
  if (!answer.includes('"result"')) throw new Error(`${body}: ${answer.slice(0, 200)}`);
  return answer;
}

async function withServer<R>(dataDir: string, action: (url: string) => Promise<R>): Promise<R> {
  const args = [firn, "serve", "--data-dir", dataDir, "--http-port", "0", "--workers", "1"];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    return await action(await listeningUrl(server));
  } finally {
    server.kill("SIGTERM");
    await once(server, "exit");
  }
}

/** Requests every height once, so that no cached response is measured. */
async function measureRequests(dataDir: string): Promise<void> {
  const { height } = await withServer(dataDir, async (url) => JSON.parse(await ask(url, "platform.getHeight", {})).result);
  const newest = Number(height);
  const nearCount = Math.floor(newest / PLACES.length);
  console.log("| | height | bytes | first request of the process, ms | requests after it, each at another height | median, ms | p95, ms |");
  console.log("|---|---:|---:|---:|---:|---:|---:|");
  for (const place of PLACES) {
    const { height, near } = heightsAt(place, newest, nearCount);
    const firstMs: number[] = [];
    let nearMs: number[] = [];
    let bytes = 0;
    for (let start = 1; start <= STARTS; start++) {
      await withServer(dataDir, async (url) => {
        // open the connection and run the client's code before anything is measured
        await (await fetch(`${url}/ext/health/liveness`)).text();
        const setAt = (asked: number) => timed(() => ask(url, "platform.getValidatorsAt", { height: asked }));
        const first = await setAt(height);
        firstMs.push(first.ms);
        bytes = Buffer.byteLength(first.result);
        if (start < STARTS) return;
        for (const other of near) nearMs.push((await setAt(other)).ms);
      });
    }
    nearMs = nearMs.sort((a, b) => a - b);
    const p95 = nearMs[Math.floor(nearMs.length * 0.95)]!.toFixed(2);
    console.log(
      `| ${place} | ${height} | ${bytes} | ${median(firstMs).toFixed(2)} | ${near.length} | ${median(nearMs).toFixed(2)} | ${p95} |`,
    );
  }
}

/** Returns whether all reads stayed within the bound. */
async function measureGrowth(changes: number): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "firn-bench-validators-"));
  const store = await openStore({ directory, mode: "write" });
  let isBounded = true;
  try {
    const history = await writeHistory(store, changes);
    const newestSet = await validatorSetAt({ reader: store, work: new RequestWork() }, subnetId, BigInt(history.newest));
    if (!isDeepStrictEqual(newestSet, history.set)) throw new Error("the set that was read is not the one that was written");
    for (const place of PLACES) {
      // covers every distance from a snapshot
      const { height, near } = heightsAt(place, history.newest, MEMBERS / CHANGES_PER_BLOCK);
      const rows: number[] = [];
      const ms: number[] = [];
      for (const asked of [height, ...near]) {
        const reader = new CountingReader(store);
        const { result: set, ms: took } = await timed(() => validatorSetAt({ reader, work: new RequestWork() }, subnetId, BigInt(asked)));
        if (set.size !== MEMBERS) throw new Error(`the set at ${asked} has ${set.size} members instead of ${MEMBERS}`);
        rows.push(reader.rowsRead);
        ms.push(took);
      }
      const most = Math.max(...rows);
      isBounded &&= most <= rowBound(MEMBERS);
      console.log(`| ${changes} | ${place} | ${height} | ${median(rows)} | ${most} | ${rowBound(MEMBERS)} | ${median(ms).toFixed(2)} |`);
    }
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return isBounded;
}

const dataDir = values["data-dir"] ?? mkdtempSync(join(tmpdir(), "firn-bench-store-"));
try {
  // build Firn before anything is measured
  await run(firn, ["--version"]);
  if (!existsSync(join(dataDir, "store"))) {
    const args = [firn, "import", recordingFolder("scale-1"), "--data-dir", dataDir, "--level", "replay"];
    const { residentMb, anonymousMb } = await peakMemory(spawn(process.execPath, args, { stdio: "ignore" }));
    console.log(`peak resident memory of the import: ${residentMb} MB; without pages of mapped files: ${anonymousMb} MB\n`);
  }
  await measureRequests(dataDir);
} finally {
  if (values["data-dir"] === undefined) rmSync(dataDir, { recursive: true, force: true });
}
console.log("\n| changes | | height | rows read, median | most rows read | bound | median, ms |");
console.log("|---:|---|---:|---:|---:|---:|---:|");
const areBounded = [await measureGrowth(CHANGES), await measureGrowth(CHANGES * TIMES_AS_LONG)];
if (areBounded.includes(false)) {
  console.error("a validator set took more rows than platform.getValidatorsAt documents");
  process.exitCode = 1;
}
