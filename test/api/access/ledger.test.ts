import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LeasedMeter, lend } from "../../../src/api/access/leased-meter.ts";
import { DAY_MS, Ledger, MINUTE_MS } from "../../../src/api/access/ledger.ts";
import { ledgerMeter, type Meter } from "../../../src/api/access/meter.ts";
import type { RateLimits } from "../../../src/api/access/tiers.ts";

const LIMITS: RateLimits = { unauthenticated: { perMinute: 100, perDay: 250 }, free: { perMinute: 1_000_000 } };
const START = 20_000 * DAY_MS;

/** A ledger, workers that borrow from it, and a clock that a test moves. */
function network(workers: number, limits = LIMITS, options = {}) {
  let time = START;
  let messages = 0;
  const now = () => time;
  const ledger = new Ledger(limits, now, options);
  const meters: Meter[] = Array.from(
    { length: workers },
    () =>
      new LeasedMeter({
        limits,
        now,
        async borrow(request) {
          messages++;
          await new Promise((resolve) => setImmediate(resolve));
          return lend(ledger, structuredClone(request));
        },
      }),
  );
  return {
    ledger,
    meters: workers === 0 ? [ledgerMeter(ledger)] : meters,
    messages: () => messages,
    wait(ms: number) {
      time += ms;
    },
  };
}

describe.each([0, 1, 2, 4])("with %i workers (0: the process that counts answers itself)", (workers) => {
  test("a client spends exactly what a minute has, and again in the next, until the day is spent", async () => {
    const { meters, wait } = network(workers);
    const spend = async (times: number) => {
      const answers = await Promise.all(
        Array.from({ length: times }, async (_, index) => meters[index % meters.length]!.spend("192.0.2.1", "unauthenticated", 20)),
      );
      return answers.filter(({ isAdmitted }) => isAdmitted).length;
    };
    expect(await spend(20)).toBe(5);
    wait(MINUTE_MS);
    expect(await spend(3)).toBe(3);
    expect(await spend(20)).toBe(2);
    wait(MINUTE_MS);
    // 250 − 200: two more, and what is left pays for none
    expect(await spend(20)).toBe(2);
    wait(MINUTE_MS);
    expect(await spend(20)).toBe(0);
    wait(DAY_MS);
    expect(await spend(20)).toBe(5);
  });

  test("a refused request costs nothing: a cheaper one may still be served", async () => {
    const { meters } = network(workers);
    const [meter] = meters;
    expect((await meter!.spend("192.0.2.1", "unauthenticated", 60)).isAdmitted).toBe(true);
    expect(await meter!.spend("192.0.2.1", "unauthenticated", 60)).toEqual({ isAdmitted: false, minuteLeft: 40, dayLeft: 190 });
    expect(await meter!.spend("192.0.2.1", "unauthenticated", 40)).toEqual({ isAdmitted: true, minuteLeft: 0, dayLeft: 150 });
  });

  test("clients do not spend each other's units", async () => {
    const { meters } = network(workers);
    const admitted = await Promise.all(
      ["192.0.2.1", "192.0.2.2", "key:a"].map(async (client, index) =>
        meters[index % meters.length]!.spend(client, "unauthenticated", 100),
      ),
    );
    expect(admitted.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, true]);
  });
});

describe("workers", () => {
  test("never admit more than a limit together, and refuse a thousandth of it too early at most", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ worker: fc.nat(3), units: fc.constantFrom(1, 10, 20, 100), isAtOnce: fc.boolean() }), {
          minLength: 50,
          maxLength: 150,
        }),
        async (workers, requests) => {
          const perMinute = 3000;
          const { meters } = network(workers, { free: { perMinute } });
          let spent = 0;
          let running: Promise<void>[] = [];
          for (const { worker, units, isAtOnce } of requests) {
            const meter = meters[worker % workers]!;
            const spend = async () => {
              const { isAdmitted } = await meter.spend("key:a", "free", units);
              if (isAdmitted) spent += units;
              return isAdmitted;
            };
            if (isAtOnce) running.push(spend().then(() => {}));
            else {
              await Promise.all(running);
              running = [];
              const before = spent;
              if (!(await spend())) expect(before + units).toBeGreaterThan(perMinute - (perMinute / 1000) * (workers - 1));
            }
          }
          await Promise.all(running);
          expect(spent).toBeLessThanOrEqual(perMinute);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("ask once for a thousandth of a large limit, and once for all requests of a turn", async () => {
    const large = network(1);
    for (let index = 0; index < 100; index++) await large.meters[0]!.spend("key:a", "free", 20);
    // 20 + 1000 ahead pays for 51 requests
    expect(large.messages()).toBe(2);
    const many = network(1);
    await Promise.all(Array.from({ length: 100 }, (_, index) => many.meters[0]!.spend(`192.0.2.${index}`, "unauthenticated", 20)));
    expect(many.messages()).toBe(1);
  });

  test("answer a client that has spent all without asking", async () => {
    const { meters, messages } = network(1);
    for (let index = 0; index < 100; index++) await meters[0]!.spend("192.0.2.1", "unauthenticated", 20);
    expect(messages()).toBe(5);
  });

  test("know a client anew when the clock is set back, rather than refuse it until the old minute comes again", async () => {
    const { meters, wait } = network(1, { free: { perMinute: 100 } });
    await meters[0]!.spend("key:a", "free", 100);
    expect((await meters[0]!.spend("key:a", "free", 10)).isAdmitted).toBe(false);
    wait(-60 * MINUTE_MS);
    expect((await meters[0]!.spend("key:a", "free", 10)).isAdmitted).toBe(true);
  });

  test("give back at the end of a minute what they did not spend", async () => {
    const { meters, ledger, wait } = network(2);
    await meters[0]!.spend("key:a", "free", 20);
    await meters[1]!.spend("key:a", "free", 20);
    expect([...ledger.entries()].map(([, { inDay }]) => inDay)).toEqual([2040]);
    wait(MINUTE_MS);
    await meters[0]!.spend("key:b", "free", 1);
    await meters[1]!.spend("key:b", "free", 1);
    expect(Object.fromEntries([...ledger.entries()].map(([client, { inDay }]) => [client, inDay]))).toEqual({ "key:a": 40, "key:b": 2002 });
  });
});

describe("memory", () => {
  test("holds the addresses seen last, and every key", () => {
    const { ledger } = network(0, LIMITS, { mostAddresses: 3 });
    const spend = (client: string) => ledger.grant({ client, tier: "unauthenticated", units: 100, ahead: 0 }).granted > 0;
    expect(["key:a", "1.1.1.1", "2.2.2.2", "3.3.3.3"].map(spend)).toEqual([true, true, true, true]);
    // seen again: the second is now the one seen least lately
    expect(spend("1.1.1.1")).toBe(false);
    expect(spend("4.4.4.4")).toBe(true);
    expect([...ledger.entries()].map(([client]) => client)).toEqual(["key:a", "3.3.3.3", "1.1.1.1", "4.4.4.4"]);
  });
});

test("the keys that spent most today are told by their IDs, and no addresses", () => {
  const { ledger, wait } = network(0, { free: { perMinute: 1000 }, unauthenticated: { perMinute: 1000 } });
  const spend = (client: string, units: number) => ledger.grant({ client, tier: "free", units, ahead: 0 });
  for (const [client, units] of [
    ["key:aa", 10],
    ["key:bb", 500],
    ["1.1.1.1", 900],
    ["key:cc", 20],
    ["key:none", 0],
  ] as const)
    spend(client, units);
  expect(ledger.keysOfToday(2)).toEqual([
    { keyId: "bb", units: 500 },
    { keyId: "cc", units: 20 },
  ]);
  expect(ledger.keysOfToday(256).map(({ keyId }) => keyId)).toEqual(["bb", "cc", "aa"]);
  wait(DAY_MS);
  spend("key:aa", 1);
  expect(ledger.keysOfToday(256)).toEqual([{ keyId: "aa", units: 1 }]);
});
