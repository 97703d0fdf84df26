/**
 * What a request costs in PostgreSQL: how often it waits for the network, by method and route. The answers are those of the same rows in a
 * file.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import pino from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { allTables } from "../../src/cli/all-tables.ts";
import { labelOf } from "../../src/data/network-labels.ts";
import { openServingStore } from "../../src/server/serving-store.ts";
import { copyRows } from "../../src/store/copy.ts";
import type { PostgresStore } from "../../src/store/postgres/pg-store.ts";
import { checkpointsOf, importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchPostgresStore } from "../postgres/scratch-store.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { serveStoreHere } from "./serve-here.ts";

/** A snapshot is begun anew when it is old, and freshness is read every second: whether that falls into a request is up to the clock. */
const OF_A_SNAPSHOT = 5;

/**
 * Reads that are sent while others are under way cost no round trip, so the number varies a little: bounds are half as much again as what
 * was seen. These read one thing after the other.
 */
const BOUNDS: Readonly<Record<string, number>> = {
  // an address after the other
  "avax.getUTXOs": 80,
  "avm.getUTXOs": 30,
  "platform.getBalance": 50,
  // execution reads what the transaction names
  "avm.issueTx": 40,
  "platform.issueTx": 40,
  // a page of 100 with all that is shown of each
  "/blockchains/x-chain/transactions": 40,
  "/blockchains/p-chain/transactions": 24,
  "platform.getAllValidatorsAt": 20,
};
/** of all others */
const BOUND = 12;

interface Recorded {
  readonly path: string;
  readonly method: string;
  readonly params: unknown;
}

const MOST_PER_METHOD = 25;

describe.skipIf(!hasPostgres)(`round trips${skipReason}`, () => {
  test("are few for every method and route, and the answers are those of a file", { timeout: 600_000 }, async () => {
    const folder = recordingFolder("latest-1");
    const { heights, file, recordedAt } = checkpointsOf(folder).at(-1)!;
    const dataDirectory = scratchDirectory();
    await importUntil(folder, dataDirectory, heights, "full");
    const ofFile = await openServingStore({ dataDirectory, log: pino({ level: "silent" }) });
    onTestFinished(() => ofFile.store.close());
    const { store: writer, address } = await scratchPostgresStore();
    await copyRows({ from: ofFile.store, to: writer, tables: allTables, onStep: () => {}, signal: new AbortController().signal });
    const ofDatabase = await openServingStore({ dataDirectory, store: address, log: pino({ level: "silent" }) });
    onTestFinished(() => ofDatabase.store.close());
    const { traffic } = ofDatabase.store as PostgresStore;

    // no checks while requests are counted
    const options = { time: recordedAt, healthCheckFrequencyMs: 2 ** 31 - 1, cacheBytes: 0 };
    const [database, expected] = [
      await serveStoreHere(ofDatabase, dataDirectory, options),
      await serveStoreHere(ofFile, dataDirectory, options),
    ];
    onTestFinished(() => database.stop());
    onTestFinished(() => expected.stop());

    const label = labelOf(ofFile.network);
    const raw = readFileSync(file);
    const recorded = JSON.parse((file.endsWith(".gz") ? gunzipSync(raw) : raw).toString()).requests as Recorded[];
    const most = new Map<string, number>();
    const differences: string[] = [];
    const ask = async (name: string, path: string, init?: RequestInit) => {
      const before = traffic.roundTrips;
      const answer = await (await fetch(database.url + path, init)).text();
      most.set(name, Math.max(most.get(name) ?? 0, traffic.roundTrips - before));
      if (answer !== (await (await fetch(expected.url + path, init)).text())) differences.push(`${name} ${path} ${init?.body ?? ""}`);
    };
    const asked = new Map<string, number>();
    for (const { path, method, params } of recorded) {
      const count = asked.get(method) ?? 0;
      asked.set(method, count + 1);
      // it is random
      if (method === "platform.sampleValidators") continue;
      if (count >= MOST_PER_METHOD || !/^(platform|avm|avax|index|info|proposervm)\./.test(method)) continue;
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      await ask(method, path, { method: "POST", headers: { "content-type": "application/json" }, body });
    }
    const base = `/v1/networks/${label}`;
    const pages = ["blocks/latest", "transactions", "vertices"].flatMap((page) => [
      `${base}/blockchains/p-chain/${page}`,
      `${base}/blockchains/x-chain/${page}`,
    ]);
    const lists = ["blockchains", "subnets", "validators", "delegators", "l1Validators"].map((list) => `${base}/${list}`);
    for (const path of [...pages, ...lists, "/v1/overview"]) await ask(path.replace(base, ""), `${path}?pageSize=100`);

    expect(differences).toEqual([]);
    const tooMany = [...most].filter(([name, roundTrips]) => roundTrips > (BOUNDS[name] ?? BOUND) + OF_A_SNAPSHOT);
    expect(tooMany).toEqual([]);
    expect(most.size).toBeGreaterThan(40);
  });
});
