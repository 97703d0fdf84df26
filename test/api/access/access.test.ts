import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type AccessRequest, type Admission, accessControl } from "../../../src/api/access/access.ts";
import { keyFilePath } from "../../../src/api/access/key-file.ts";
import { KeyRing } from "../../../src/api/access/key-ring.ts";
import { DAY_MS, Ledger } from "../../../src/api/access/ledger.ts";
import { addKey, listKeys, revokeKey } from "../../../src/api/access/manage-keys.ts";
import { ledgerMeter } from "../../../src/api/access/meter.ts";
import { HOSTED_LIMITS, NO_LIMITS, parseRateLimits, type RateLimits } from "../../../src/api/access/tiers.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const START = 20_000 * DAY_MS;

interface Settings {
  readonly requiresKey?: boolean;
  readonly rateLimits?: RateLimits;
}

/** A server's access over a data directory, with a clock that a test moves. */
function server(dataDirectory: string, { requiresKey = false, rateLimits: limits = NO_LIMITS }: Settings = {}) {
  let time = START;
  const now = () => time;
  const problems: unknown[] = [];
  const meter = ledgerMeter(new Ledger(limits, now));
  const keys = new KeyRing({ dataDirectory, now, onProblem: (error) => problems.push(error) });
  const access = accessControl({ keys, requiresKey, limits, meter, now });
  return {
    problems,
    wait(ms: number) {
      time += ms;
    },
    async admit({ computeUnits = 20, ...request }: Partial<AccessRequest> & { computeUnits?: number } = {}): Promise<Admission> {
      return access.admit({ keys: [], ip: "192.0.2.1", ...request }, computeUnits);
    },
    /** 200 if the request may be served */
    async status(...keysSent: string[]): Promise<number> {
      return (await this.admit({ keys: keysSent })).refusal?.status ?? 200;
    },
  };
}

const newKey = { tier: "free", privileges: ["read"] };
const headersOf = ({ headers }: Admission) =>
  Object.fromEntries(headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : [])));

describe("keys", () => {
  test("are ignored where none is made, and asked for where one is needed", async () => {
    const directory = scratchDirectory();
    expect(await server(directory).status("whatever")).toBe(200);
    expect(await server(directory).status()).toBe(200);
    expect(await server(directory, { requiresKey: true }).status("whatever")).toBe(401);
  });

  test("decide as soon as there is one: unknown 401, revoked 403, none only where none is needed", async () => {
    const directory = scratchDirectory();
    const { key } = await addKey(directory, newKey);
    const { key: revoked, added } = await addKey(directory, newKey);
    await revokeKey(directory, added.id);
    for (const requiresKey of [true, false]) {
      const running = server(directory, { requiresKey });
      const ask = (...keys: string[]) => running.status(...keys);
      expect(await ask(key)).toBe(200);
      expect(await ask(key.slice(0, -1))).toBe(401);
      expect(await ask(added.hash)).toBe(401);
      expect(await ask(revoked)).toBe(403);
      expect(await ask()).toBe(requiresKey ? 401 : 200);
      expect(await ask("")).toBe(requiresKey ? 401 : 200);
    }
  });

  test("may be sent under both names, but not two different ones", async () => {
    const directory = scratchDirectory();
    const { key } = await addKey(directory, newKey);
    const { key: other } = await addKey(directory, newKey);
    expect(await server(directory).status(key, key)).toBe(200);
    expect(await server(directory).status(key, other)).toBe(400);
    expect(await server(scratchDirectory()).status("one", "another")).toBe(400);
  });

  test("without the privilege of a route get 403", async () => {
    const directory = scratchDirectory();
    const { key: reader } = await addKey(directory, newKey);
    const { key: writer } = await addKey(directory, { ...newKey, privileges: ["write"] });
    const { admit } = server(directory);
    expect((await admit({ keys: [reader] })).refusal).toBeUndefined();
    expect((await admit({ keys: [writer] })).refusal?.status).toBe(403);
    expect((await admit({ keys: [writer], privilege: "write" })).refusal).toBeUndefined();
  });

  test("are not needed for what costs nothing, so that probes work", async () => {
    const { admit } = server(scratchDirectory(), { requiresKey: true, rateLimits: { unauthenticated: { perMinute: 0 } } });
    expect(await admit({ computeUnits: 0 })).toEqual({ headers: [] });
  });

  test("count as soon as they are made, and no longer a second after they are revoked, without a restart", async () => {
    const directory = scratchDirectory();
    const running = server(directory, { requiresKey: true });
    const { key, added } = await addKey(directory, newKey);
    expect(await running.status(key)).toBe(200);
    await revokeKey(directory, added.name);
    running.wait(1000);
    expect(await running.status(key)).toBe(403);
  });

  test("stay as they were when their file is damaged, which is told once", async () => {
    const directory = scratchDirectory();
    const { key } = await addKey(directory, newKey);
    const running = server(directory);
    const good = readFileSync(keyFilePath(directory), "utf8");
    writeFileSync(keyFilePath(directory), good.slice(0, -10));
    for (let times = 0; times < 3; times++) {
      running.wait(1000);
      expect(await running.status(key)).toBe(200);
    }
    expect(running.problems).toEqual([expect.objectContaining({ code: "api-keys-damaged" })]);
    const damaged = [
      "",
      "null",
      "[]",
      '{"version":2}',
      good.replace('"free"', '"gold"'),
      good.replace('"read"', "1"),
      good.replace('"id"', '"ID"'),
    ];
    for (const content of damaged) {
      writeFileSync(keyFilePath(directory), content);
      expect(() => server(directory)).toThrow(/api-keys\.json is damaged; restore it/);
    }
  });

  test("of a file that is gone are gone", async () => {
    const directory = scratchDirectory();
    const { key } = await addKey(directory, newKey);
    const running = server(directory, { requiresKey: true });
    rmSync(keyFilePath(directory));
    running.wait(1000);
    expect(await running.status(key)).toBe(401);
    expect(running.problems).toEqual([]);
  });
});

describe("the file of keys", () => {
  test("holds no key, and only its owner may read it", async () => {
    const directory = scratchDirectory();
    const { key, added } = await addKey(directory, { ...newKey, name: "wallet" });
    const text = readFileSync(keyFilePath(directory), "utf8");
    expect(key).toMatch(/^firn_[A-Za-z0-9_-]{43}$/);
    expect(text).not.toContain(key.slice(5));
    expect(text).toContain(added.hash);
    expect(statSync(keyFilePath(directory)).mode & 0o777).toBe(0o600);
  });

  test("gives equal keys of two directories no equal hashes", async () => {
    const [one, other] = await Promise.all([scratchDirectory(), scratchDirectory()].map((directory) => addKey(directory, newKey)));
    expect(one!.added.hash).not.toBe(other!.added.hash);
  });

  test("takes many changes at once and loses none", async () => {
    const directory = scratchDirectory();
    const made = await Promise.all(Array.from({ length: 20 }, (_, index) => addKey(directory, { ...newKey, name: `key ${index}` })));
    await Promise.all(made.slice(0, 10).map(({ added }) => revokeKey(directory, added.id)));
    const keys = listKeys(directory);
    expect(keys.map(({ name }) => name).sort()).toEqual(made.map(({ added }) => added.name).sort());
    expect(keys.filter(({ revokedAt }) => revokedAt !== undefined).length).toBe(10);
  });

  test("never has two valid keys of one name", async () => {
    const directory = scratchDirectory();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => addKey(directory, { ...newKey, name: "wallet" })));
    expect(results.filter(({ status }) => status === "fulfilled").length).toBe(1);
    await revokeKey(directory, "wallet");
    await addKey(directory, { ...newKey, name: "wallet" });
    await expect(revokeKey(directory, "purse")).rejects.toMatchObject({ code: "key-unknown" });
  });
});

describe("rate limits", () => {
  test("are off: no headers, nothing counted", async () => {
    const { admit } = server(scratchDirectory());
    for (let index = 0; index < 1000; index++) expect(await admit({ computeUnits: 100 })).toEqual({ headers: [] });
  });

  test("tell the window with less left, and when refused how long it lasts", async () => {
    const { admit, wait } = server(scratchDirectory(), { rateLimits: HOSTED_LIMITS });
    wait(20_500);
    expect(headersOf(await admit({ computeUnits: 100 }))).toEqual({
      "ratelimit-policy": "6000;w=60, 1200000;w=86400",
      "ratelimit-limit": "6000",
      "ratelimit-remaining": "5900",
    });
    for (let index = 0; index < 58; index++) expect((await admit({ computeUnits: 100 })).refusal).toBeUndefined();
    expect((await admit({ computeUnits: 20 })).refusal).toBeUndefined();
    const refused = await admit({ computeUnits: 100 });
    expect(refused.refusal?.status).toBe(429);
    expect(refused.refusal?.message).toBe(
      "this costs 100 compute units, but only 80 of the 6000 for this minute are left; try again in 40 s",
    );
    expect(headersOf(refused)).toEqual({
      "ratelimit-policy": "6000;w=60, 1200000;w=86400",
      "ratelimit-limit": "6000",
      "ratelimit-remaining": "80",
      "ratelimit-reset": "40",
      "retry-after": "40",
    });
    expect((await admit({ computeUnits: 100, ip: "192.0.2.2" })).refusal).toBeUndefined();
    wait(40_000);
    expect((await admit({ computeUnits: 100 })).refusal).toBeUndefined();
  });

  test("of the day hold when the minute has more", async () => {
    const { admit, wait } = server(scratchDirectory(), { rateLimits: { unauthenticated: { perMinute: 100, perDay: 150 } } });
    await admit({ computeUnits: 100 });
    wait(60_000);
    const refused = await admit({ computeUnits: 100 });
    expect(headersOf(refused)).toMatchObject({ "ratelimit-limit": "150", "ratelimit-remaining": "50", "retry-after": "86340" });
  });

  test("follow the key's tier wherever it is used from, and may be lifted", async () => {
    const directory = scratchDirectory();
    const { key: free } = await addKey(directory, newKey);
    const { key: pro } = await addKey(directory, { ...newKey, tier: "pro" });
    const { key: unlimited } = await addKey(directory, { ...newKey, tier: "unlimited" });
    const { admit } = server(directory, { rateLimits: parseRateLimits("unauthenticated=20,free=40")! });
    const spend = async (ip: string, ...keys: string[]) => (await admit({ keys, ip })).refusal?.status ?? 200;
    expect([await spend("1.1.1.1", free), await spend("2.2.2.2", free), await spend("3.3.3.3", free)]).toEqual([200, 200, 429]);
    expect([await spend("1.1.1.1"), await spend("1.1.1.1")]).toEqual([200, 429]);
    for (const key of [pro, unlimited]) for (let index = 0; index < 9; index++) expect(await spend("1.1.1.1", key)).toBe(200);
  });

  test("say so when a request costs more than any window has", async () => {
    const { admit } = server(scratchDirectory(), { rateLimits: { unauthenticated: { perMinute: 50 } } });
    expect((await admit({ computeUnits: 100 })).refusal?.message).toBe(
      "this costs 100 compute units, but the limit per minute is 50; use a key of a higher tier",
    );
  });

  test("are not spent by requests with a wrong key", async () => {
    const directory = scratchDirectory();
    await addKey(directory, newKey);
    const { admit } = server(directory, { rateLimits: { unauthenticated: { perMinute: 20 } } });
    expect((await admit({ keys: ["wrong"] })).refusal?.status).toBe(401);
    expect((await admit()).refusal).toBeUndefined();
  });
});
