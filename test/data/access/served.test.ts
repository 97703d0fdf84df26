/** Keys and limits as clients meet them: two workers, started as people start them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ledgerFilePath } from "../../../src/data/access/ledger-file.ts";
import { addKey, revokeKey } from "../../../src/data/access/manage-keys.ts";
import { importUntil } from "../../conformance/checkpoints.ts";
import { recordingFolder } from "../../conformance/recordings.ts";

const firn = fileURLToPath(new URL("../../../bin/firn", import.meta.url));
// Not one of those that are removed after each test
const directory = mkdtempSync(join(tmpdir(), "firn-access-"));
const running: ChildProcess[] = [];

beforeAll(() => importUntil(recordingFolder("x-dag"), directory, {}, "replay"));
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Costs 20 compute units. */
const PATH = "/v1/health-check";

class Server {
  readonly #child: ChildProcess;
  readonly #url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  static async start(...more: string[]): Promise<Server> {
    const args = [firn, "serve", "--data-dir", directory, "--http-port", "0", "--workers", "2", "--log-level", "error", ...more];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    running.push(child);
    let printed = "";
    for await (const chunk of child.stdout!) {
      printed += chunk;
      if (printed.includes("\n")) break;
    }
    return new Server(child, /serving (\S+)/.exec(printed)![1]!);
  }

  /** On a connection of its own: the workers take them in turn. */
  ask(headers: Record<string, string> = {}, path = PATH): Promise<Response> {
    return fetch(this.#url + path, { headers: { connection: "close", ...headers } });
  }

  /** How many of so many requests at once are served. */
  async served(times: number, headers?: Record<string, string>): Promise<number> {
    const responses = await Promise.all(Array.from({ length: times }, () => this.ask(headers)));
    return responses.filter(({ status }) => status === 200).length;
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    if (this.#child.exitCode === null) await once(this.#child, "exit");
  }
}

/** A minute that ends during a test would give the client a new budget. */
async function untilMinuteHas(seconds: number): Promise<void> {
  const left = 60 - ((Date.now() / 1000) % 60);
  if (left < seconds) await new Promise((resolve) => setTimeout(resolve, left * 1000 + 50));
}

const key = async (tier: string) => (await addKey(directory, { tier, privileges: ["read"] })).key;

test("two workers count together and exactly, and a restart forgets nothing", { timeout: 120_000 }, async () => {
  await untilMinuteHas(30);
  const limits = ["--rate-limits", "unauthenticated=/200"];
  const first = await Server.start(...limits);
  const one = await first.ask();
  expect(one.status).toBe(200);
  expect(one.headers.get("ratelimit-policy")).toBe("200;w=86400");
  expect(one.headers.get("ratelimit-remaining")).toBe("180");
  expect(await first.served(5)).toBe(5);
  await first.stop();
  expect(JSON.parse(readFileSync(ledgerFilePath(directory), "utf8")).clients).toEqual([
    ["127.0.0.1", expect.any(Number), 120, expect.any(Number), 120],
  ]);

  const second = await Server.start(...limits);
  expect(await second.served(20)).toBe(4);
  const refused = await second.ask();
  expect(refused.status).toBe(429);
  const seconds = refused.headers.get("retry-after");
  expect(Number(seconds)).toBeGreaterThan(0);
  expect(refused.headers.get("ratelimit-reset")).toBe(seconds);
  expect(await refused.json()).toEqual({
    message: `this costs 20 compute units and 0 of the 200 of this day are left; ask again in ${seconds} s`,
    statusCode: 429,
    error: "Too Many Requests",
  });
  // Probes cost nothing
  expect((await second.ask({}, "/v1/live-check")).status).toBe(200);
  await second.stop();
});

test("a proxy that is trusted names the client, others cannot", { timeout: 60_000 }, async () => {
  rmSync(ledgerFilePath(directory), { force: true });
  await untilMinuteHas(20);
  const trusting = await Server.start("--rate-limits", "unauthenticated=20", "--trusted-proxies", "127.0.0.1");
  const from = (address: string) => ({ "x-forwarded-for": address });
  expect(await trusting.served(3, from("198.51.100.1"))).toBe(1);
  expect(await trusting.served(3, from("203.0.113.9, 198.51.100.2"))).toBe(1);
  expect(await trusting.served(3, from("2001:db8::1"))).toBe(1);
  expect(await trusting.served(3, from("2001:db8::2"))).toBe(0);
  await trusting.stop();
  const careful = await Server.start("--rate-limits", "unauthenticated=20");
  expect(await careful.served(3, from("198.51.100.3"))).toBe(1);
  expect(await careful.served(3, from("198.51.100.4"))).toBe(0);
  await careful.stop();
});

test("a locked server takes keys under both names, notices new and revoked ones, and limits by tier", { timeout: 60_000 }, async () => {
  await untilMinuteHas(20);
  const server = await Server.start("--require-api-key", "--rate-limits", "free=60");
  const status = async (headers?: Record<string, string>) => (await server.ask(headers)).status;
  expect([await status(), await status({ "x-data-api-key": "any" })]).toEqual([401, 401]);
  const [free, pro] = [await key("free"), await key("pro")];
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await status({ "x-data-api-key": "any" })).toBe(401);
  expect(await status({ "X-Glacier-Api-Key": pro })).toBe(200);
  expect(await status({ "x-data-api-key": free, "x-glacier-api-key": free })).toBe(200);
  expect(await status({ "x-data-api-key": free, "x-glacier-api-key": pro })).toBe(400);
  expect(await server.served(10, { "x-data-api-key": free })).toBe(2);
  expect(await server.served(10, { "x-data-api-key": pro })).toBe(10);
  const { added, key: leaving } = await addKey(directory, { name: "leaving", tier: "pro", privileges: ["read"] });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await status({ "x-data-api-key": leaving })).toBe(200);
  await revokeKey(directory, added.name);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const refused = await server.ask({ "x-data-api-key": leaving });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toEqual({ message: `the API key ${added.id} is revoked; use another`, statusCode: 403, error: "Forbidden" });
  await server.stop();
});

test("a server does not start with a damaged file of keys", { timeout: 60_000 }, async () => {
  writeFileSync(join(directory, "api-keys.json"), "{");
  for (const workers of ["1", "2"]) {
    const args = [firn, "serve", "--data-dir", directory, "--http-port", "0", "--workers", workers, "--log-level", "error"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
    running.push(child);
    let error = "";
    for await (const chunk of child.stderr!) error += chunk;
    expect(error).toMatch(/^firn: [^\n]*api-keys\.json is damaged; restore it[^\n]*\n$/);
  }
});
