/**
 * `npm run soak -- [--minutes 60] [--rate 200] [--clients 64] [--readers 8]`: a devnet takes transactions, a follower of it answers readers of
 * both interfaces without pause. Prints the follower's lag, memory, descriptors and errors; fails if the lag or the descriptors, or in runs of
 * half an hour and more the memory, exceed their bounds. Linux only.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { freePort } from "../../bench/free-port.ts";
import { anonymousMb, residentMb } from "../../bench/resident.ts";
import { sha256 } from "../../src/base/bytes/hash.ts";
import { call } from "../devnet/json-rpc.ts";
import { type Journal, LoadClient } from "../devnet/load/load-client.ts";
import { PlainWallet } from "../devnet/load/plain-wallet.ts";
import { networkOf } from "../devnet/load/wallet-network.ts";
import { DevnetProcess } from "../faults/devnet-process.ts";
import { Random } from "../fuzz/mutate.ts";
import { Lags, percentile, quarters } from "./samples.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    rate: { type: "string", default: "200" },
    clients: { type: "string", default: "64" },
    readers: { type: "string", default: "8" },
  },
});
const [minutes, rate, clients, readers] = [values.minutes, values.rate, values.clients, values.readers].map(Number) as [
  number,
  number,
  number,
  number,
];

const LOOK_MS = 50;
const SAMPLE_MS = 2_000;
const TURN_MS = 5;
const MOST_LAG_MS = 1_000;
const MOST_MORE_DESCRIPTORS = 16;
/** of the median of the first quarter, and in addition */
const MOST_MORE_MEMORY = 0.1;
const MOST_MORE_MB = 20;
/** caches fill up at first */
const MEMORY_COUNTS_FROM_MINUTES = 30;
const FUNDS = 1000_000_000_000n;
const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));

const scratch = mkdtempSync(join(tmpdir(), "firn-soak-"));
const devnet = new DevnetProcess({ dataDirectory: join(scratch, "devnet"), port: await freePort() });
let follower: ChildProcess | undefined;
try {
  await devnet.answers();
  await devnet.evmAnswers();
  const url = `http://127.0.0.1:${await freePort()}`;
  follower = startFollower(url);
  while ((await heightsOf(url).catch(() => undefined)) === undefined) await sleep(100);
  process.exitCode = (await soak(url, follower.pid!)) ? 0 : 1;
} finally {
  follower?.kill("SIGTERM");
  if (follower !== undefined && follower.exitCode === null) await once(follower, "exit");
  await devnet.kill("SIGTERM");
  rmSync(scratch, { recursive: true, force: true });
}

function startFollower(url: string): ChildProcess {
  const flags = { network: "local", upstream: devnet.url, "data-dir": join(scratch, "follower"), "http-port": new URL(url).port };
  const args = Object.entries({ ...flags, "log-level": "warn" }).flatMap(([name, value]) => [`--${name}`, value]);
  return spawn(process.execPath, [firn, "follow", ...args], { stdio: ["ignore", "ignore", "inherit"] });
}

async function heightsOf(url: string): Promise<Record<"P" | "X", bigint>> {
  const ask = async (chain: "P" | "X", service: string) => {
    const { result } = await call(url, { path: `/ext/bc/${chain}`, method: `${service}.getHeight`, params: {} });
    return BigInt((result as { height: string }).height);
  };
  const [P, X] = await Promise.all([ask("P", "platform"), ask("X", "avm")]);
  return { P, X };
}

/** Returns whether all bounds were kept. */
async function soak(url: string, pid: number): Promise<boolean> {
  const journal: Journal = [];
  const load = await loadClients(journal);
  const ended = Date.now() + minutes * 60_000;
  const isRunning = () => Date.now() < ended && follower!.exitCode === null;
  const lags = new Lags();
  /** without the mapped pages of the store, which grows */
  const memory: number[] = [];
  const resident: number[] = [];
  const descriptors: number[] = [];
  const reading = { answers: 0, errors: 0 };
  const begun = Date.now();
  const tasks = [
    ...load.map((client) => client.run(isRunning)),
    ...Array.from({ length: readers }, (_, reader) => read(url, reader, reading, isRunning)),
    every(LOOK_MS, isRunning, async () => {
      const [upstream, own] = await Promise.all([heightsOf(devnet.url), heightsOf(url)]);
      for (const chain of ["P", "X"] as const) lags.note(chain, upstream[chain], own[chain], performance.now());
    }),
    every(SAMPLE_MS, isRunning, async () => {
      memory.push(await anonymousMb(pid));
      resident.push(await residentMb(pid));
      descriptors.push(readdirSync(`/proc/${pid}/fd`).length);
    }),
  ];
  await Promise.all(tasks);
  const seconds = (Date.now() - begun) / 1000;
  const p99 = percentile(lags.values, 0.99);
  const [memoryFirst, memoryLast] = quarters(memory);
  const [descriptorsFirst, descriptorsLast] = quarters(descriptors);
  console.log(
    `${(journal.length / seconds).toFixed(0)} transactions/s accepted (${rate} wanted), ${Math.round(reading.answers / seconds)} answers/s`,
  );
  console.log(
    `lag of ${lags.values.length} heights: p50 ${percentile(lags.values, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, max ${percentile(lags.values, 1).toFixed(0)} ms`,
  );
  const [residentFirst, residentLast] = quarters(resident);
  console.log(
    `memory without mapped files: ${memoryFirst} MB in the first quarter, ${memoryLast} MB in the last; resident ${residentFirst} and ${residentLast} MB`,
  );
  console.log(`descriptors: ${descriptorsFirst} in the first quarter, ${descriptorsLast} in the last`);
  console.log(`errors of readers: ${reading.errors}`);
  const isFlat = minutes < MEMORY_COUNTS_FROM_MINUTES || memoryLast <= memoryFirst * (1 + MOST_MORE_MEMORY) + MOST_MORE_MB;
  const bounds: Record<string, boolean> = {
    [`p99 of the lag below ${MOST_LAG_MS} ms`]: p99 < MOST_LAG_MS && lags.values.length > 0,
    "memory flat": isFlat,
    "no descriptor leaked": descriptorsLast <= descriptorsFirst + MOST_MORE_DESCRIPTORS,
    "no reader got an error": reading.errors === 0,
    "the follower ran to the end": follower!.exitCode === null,
  };
  for (const [bound, isKept] of Object.entries(bounds)) if (!isKept) console.log(`BROKEN: ${bound}`);
  return Object.values(bounds).every(Boolean);
}

async function loadClients(journal: Journal): Promise<LoadClient[]> {
  const network = await networkOf(devnet.url);
  const begun = Date.now();
  /** What was refused does not count: the P-chain's gas is used up at times. */
  const turn = async () => {
    while (journal.length >= (rate * (Date.now() - begun)) / 1000) await sleep(TURN_MS);
  };
  const made = Array.from({ length: clients }, async (_, client) => {
    const wallet = new PlainWallet(network, sha256(Buffer.from(`client ${client}`)));
    for (const address of [wallet.addressOn("P"), wallet.addressOn("X"), `0x${wallet.evmAddress}`]) {
      await call(devnet.url, { path: "/ext/firn", method: "firn.fund", params: { address, amount: String(FUNDS) } });
    }
    return new LoadClient({ url: () => devnet.url, wallet, random: new Random(client), journal, turn });
  });
  return Promise.all(made);
}

/** Asks one of both interfaces again and again. */
async function read(url: string, reader: number, counts: { answers: number; errors: number }, isRunning: () => boolean): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "platform.getBlockByHeight", params: { height: "1", encoding: "json" } });
  const headers = { "content-type": "application/json" };
  while (isRunning()) {
    try {
      const answer =
        reader % 2 === 0
          ? await fetch(`${url}/ext/bc/P`, { method: "POST", headers, body })
          : await fetch(`${url}/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=25`);
      await answer.arrayBuffer();
      if (answer.status !== 200) counts.errors++;
      counts.answers++;
    } catch {
      counts.errors++;
    }
  }
}

async function every(ms: number, isRunning: () => boolean, look: () => Promise<void>): Promise<void> {
  for (; isRunning(); await sleep(ms)) await look();
}
