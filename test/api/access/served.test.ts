/** API keys and rate limits as clients see them: with two workers started from the command line, or in this process where one is enough. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type AccessSettings, OPEN_TO_ALL } from "../../../src/api/access/access.ts";
import { ledgerFilePath } from "../../../src/api/access/ledger-file.ts";
import { addKey, revokeKey } from "../../../src/api/access/manage-keys.ts";
import { importUntil } from "../../conformance/checkpoints.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { listeningUrl } from "../../serve/listening-url.ts";
import { serveHere } from "../../serve/serve-here.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
// Not one of those that are removed after each test
const directory = mkdtempSync(join(tmpdir(), "firn-access-"));
const running: ChildProcess[] = [];

beforeAll(async () => {
  // Builds if sources changed; the tests then start the build itself, so that no start waits for the compiler
  const { status, stderr } = spawnSync(process.execPath, [join(root, "bin/firn"), "--version"], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  await importUntil(recordingFolder("x-dag"), directory, {}, "replay");
});
function forget(): void {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  for (const name of ["api-keys.json", "rate-limits.json"]) rmSync(join(directory, name), { force: true });
}
afterEach(forget);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Either worker may take them all: it takes a connection when it has time. */
const MANY = 24;

function firnServe(workers: number, ...more: string[]): ChildProcess {
  const args = ["--data-dir", directory, "--http-port", "0", "--workers", `${workers}`, "--log-level", "error", ...more];
  const child = spawn(process.execPath, [join(root, "dist/lib/main.js"), "serve", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  return child;
}

/** Costs 20 compute units. */
const PATH = "/v1/health-check";

/** On a connection of its own. */
function ask(url: string, headers: Record<string, string> = {}, path = PATH): Promise<Response> {
  return fetch(url + path, { headers: { connection: "close", ...headers } });
}

/** How many of so many requests at once are served. */
async function served(url: string, times: number, headers?: Record<string, string>): Promise<number> {
  const responses = await Promise.all(Array.from({ length: times }, () => ask(url, headers)));
  return responses.filter(({ status }) => status === 200).length;
}

/** Two workers; stopped by a signal. */
async function start(...more: string[]): Promise<{ url: string; stop(): Promise<void> }> {
  const child = firnServe(2, ...more);
  return {
    url: await listeningUrl(child),
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

function serveLimited(access: Partial<AccessSettings>) {
  return serveHere(directory, { allowedHosts: ["*"], access: { ...OPEN_TO_ALL, ...access } });
}

// biome-ignore lint/plugin: the day that budgets are for, by the clock of the processes that are tested
const utcDay = () => Math.floor(Date.now() / 86_400_000);

/** A day that ends during a test gives clients a new budget: then it is tried again. Limits per minute would end often. */
function withinDay(body: () => Promise<void>): () => Promise<void> {
  return async () => {
    for (;;) {
      const day = utcDay();
      try {
        return await body();
      } catch (error) {
        if (day === utcDay()) throw error;
        forget();
      }
    }
  };
}

const makeKey = async (tier: string) => (await addKey(directory, { tier, privileges: ["read"] })).key;

test(
  "two workers count together and exactly, and a restart forgets nothing",
  withinDay(async () => {
    const limits = ["--rate-limits", "unauthenticated=/200"];
    const first = await start(...limits);
    const one = await ask(first.url);
    expect(one.status).toBe(200);
    expect(one.headers.get("ratelimit-policy")).toBe("200;w=86400");
    expect(one.headers.get("ratelimit-remaining")).toBe("180");
    expect(await served(first.url, 5)).toBe(5);
    await first.stop();
    expect(JSON.parse(readFileSync(ledgerFilePath(directory), "utf8")).clients).toEqual([
      ["127.0.0.1", expect.any(Number), expect.any(Number), expect.any(Number), 120],
    ]);

    const second = await start(...limits);
    expect(await served(second.url, 20)).toBe(4);
    const refused = await ask(second.url);
    expect(refused.status).toBe(429);
    const seconds = refused.headers.get("retry-after");
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(refused.headers.get("ratelimit-reset")).toBe(seconds);
    expect(await refused.json()).toEqual({
      message: `this costs 20 compute units, but only 0 of the 200 for this day are left; try again in ${seconds} s`,
      statusCode: 429,
      error: "Too Many Requests",
    });
    // Probes cost nothing
    expect((await ask(second.url, {}, "/v1/live-check")).status).toBe(200);
    await second.stop();
  }),
);

test(
  "a proxy that is trusted names the client, others cannot",
  withinDay(async () => {
    const rateLimits = { unauthenticated: { perDay: 20 } };
    const from = (address: string) => ({ "x-forwarded-for": address });
    const { url, stop } = await serveLimited({ rateLimits, trustedProxies: ["127.0.0.1"] });
    expect(await served(url, 3, from("198.51.100.1"))).toBe(1);
    expect(await served(url, 3, from("203.0.113.9, 198.51.100.2"))).toBe(1);
    expect(await served(url, 3, from("2001:db8::1"))).toBe(1);
    expect(await served(url, 3, from("2001:db8::2"))).toBe(0);
    await stop();
    const careful = await serveLimited({ rateLimits });
    expect(await served(careful.url, 3, from("198.51.100.3"))).toBe(1);
    expect(await served(careful.url, 3, from("198.51.100.4"))).toBe(0);
    await careful.stop();
  }),
);

test(
  "a locked server takes keys under both names, new ones at once, notices revoked ones, and limits by tier",
  withinDay(async () => {
    const { url, stop } = await start("--require-api-key", "--rate-limits", "free=/60");
    const status = async (headers?: Record<string, string>) => (await ask(url, headers)).status;
    expect([await status(), await status({ "x-data-api-key": "any" })]).toEqual([401, 401]);
    // They work at once, whichever worker is asked
    const [free, pro] = [await makeKey("free"), await makeKey("pro")];
    expect(await status({ "x-data-api-key": "any" })).toBe(401);
    expect(await status({ "X-Glacier-Api-Key": pro })).toBe(200);
    expect(await status({ "x-data-api-key": free, "x-glacier-api-key": free })).toBe(200);
    expect(await status({ "x-data-api-key": free, "x-glacier-api-key": pro })).toBe(400);
    expect(await served(url, 10, { "x-data-api-key": free })).toBe(2);
    expect(await served(url, 10, { "x-data-api-key": pro })).toBe(10);
    const { added, key: leaving } = await addKey(directory, { name: "leaving", tier: "pro", privileges: ["read"] });
    expect(await served(url, MANY, { "x-data-api-key": leaving })).toBe(MANY);
    await revokeKey(directory, added.name);
    const answers = () => Promise.all(Array.from({ length: MANY }, async () => (await ask(url, { "x-data-api-key": leaving })).json()));
    const refusal = { message: `the API key ${added.id} is revoked; use another`, statusCode: 403, error: "Forbidden" };
    await expect.poll(answers).toEqual(Array.from({ length: MANY }, () => refusal));
    await stop();
  }),
);

test(
  "two workers count both interfaces together, and ask for a key in both, if they are told to",
  withinDay(async () => {
    const free = await makeKey("free");
    const { url, stop } = await start("--require-api-key", "all", "--rate-limits", "free=/100", "--rate-limit-scope", "all");
    const call = (key?: string) =>
      fetch(`${url}/ext/bc/X`, {
        method: "POST",
        headers: { connection: "close", "content-type": "application/json", ...(key !== undefined && { "x-data-api-key": key }) },
        body: '{"jsonrpc":"2.0","id":1,"method":"avm.getHeight"}',
      });
    expect([(await call()).status, (await ask(url)).status]).toEqual([401, 401]);
    const spent = await ask(url, { "x-data-api-key": free });
    expect(spent.headers.get("ratelimit-remaining")).toBe("80");
    const responses = await Promise.all(Array.from({ length: 12 }, () => call(free)));
    expect(responses.filter(({ status }) => status === 200).length).toBe(8);
    const refused = await call(free);
    expect([refused.status, refused.headers.get("content-type")]).toEqual([429, "text/plain; charset=utf-8"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await ask(url, { "x-data-api-key": free })).status).toBe(429);
    // Probes cost nothing
    expect((await ask(url, {}, "/ext/health/liveness")).status).toBe(200);
    await stop();
  }),
);

test("a server does not start with a damaged file of keys", async () => {
  writeFileSync(join(directory, "api-keys.json"), "{");
  await expect(serveLimited({})).rejects.toMatchObject({ code: "api-keys-damaged" });
  let error = "";
  for await (const chunk of firnServe(2).stderr!) error += chunk;
  expect(error).toMatch(/^firn: [^\n]*api-keys\.json is damaged; restore it[^\n]*\n$/);
});
