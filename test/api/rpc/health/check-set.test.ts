import { describe, expect, test } from "vitest";
import { healthMethods } from "../../../../src/api/rpc/health-methods.ts";
import type { RpcContext } from "../../../../src/api/rpc/method.ts";
import { type Check, CheckSet } from "../../../../src/api/state/health-checks.ts";
import { healthReport, type StoredCheck } from "../../../../src/api/state/health-report.ts";

const SECOND = 1_000_000_000n;
let now = 1_700_000_000n * SECOND;
const clock = { now: () => (now += 1n) };
const failing = (name: string): Check => ({ name, tags: [], run: async () => ({ message: { a: 1 }, error: "broken" }) });
const passing = (name: string): Check => ({ name, tags: [], run: async () => ({ message: [] }) });
const resultOf = (set: CheckSet, name: string) => JSON.parse(set.results().find((result) => result.name === name)!.json);

describe("a check's result", () => {
  test("has its members in the node's order", async () => {
    const set = new CheckSet(clock);
    await set.run([failing("a")]);
    expect(Object.keys(resultOf(set, "a"))).toEqual([
      "message",
      "error",
      "timestamp",
      "duration",
      "contiguousFailures",
      "timeOfFirstFailure",
    ]);
    await set.run([{ name: "a", tags: [], run: async () => ({}) }]);
    expect(Object.keys(resultOf(set, "a"))).toEqual(["timestamp", "duration"]);
  });

  test("counts a streak from its first failure, and starts anew after a success", async () => {
    const set = new CheckSet(clock);
    await set.run([failing("a")]);
    const first = resultOf(set, "a");
    await set.run([failing("a")]);
    expect(resultOf(set, "a")).toMatchObject({ contiguousFailures: 2, timeOfFirstFailure: first.timestamp });
    await set.run([passing("a")]);
    await set.run([failing("a")]);
    const again = resultOf(set, "a");
    expect([again.contiguousFailures, again.timeOfFirstFailure]).toEqual([1, again.timestamp]);
  });

  test("of a check that throws is its message as the error", async () => {
    const set = new CheckSet(clock);
    await set.run([{ name: "a", tags: [], run: () => Promise.reject(new Error("gone")) }]);
    expect(resultOf(set, "a")).toMatchObject({ error: "gone", contiguousFailures: 1 });
  });

  test("is a failure while a new check has not run yet", async () => {
    const set = new CheckSet(clock);
    let finish: () => void = () => {};
    const waiting = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const run = set.run([{ name: "a", tags: [], run: async () => waiting.then(() => ({})) }]);
    expect(set.results()[0]).toMatchObject({
      isPassing: false,
      json: '{"error":"not yet run","timestamp":"0001-01-01T00:00:00Z","duration":0}',
    });
    finish();
    await run;
    expect(set.results()[0]!.isPassing).toBe(true);
  });

  test("stays at the first success of a check that is done then, but its time moves on", async () => {
    const set = new CheckSet(clock);
    await set.run([{ ...passing("a"), isDoneOnceItPasses: true }]);
    const first = resultOf(set, "a");
    now += SECOND;
    await set.run([{ ...failing("a"), isDoneOnceItPasses: true }]);
    expect(resultOf(set, "a")).toMatchObject({ message: [] });
    expect(resultOf(set, "a").timestamp).not.toBe(first.timestamp);
  });
});

describe("a report", () => {
  const stored = (name: string, tags: string[], isPassing: boolean): StoredCheck => ({ name, tags, isPassing, json: "{}" });
  const checks = [stored("P", ["subnet"], false), stored("disk", ["application"], true), stored("other", ["l1"], true)];
  const selected = (...tags: string[]) => Object.keys(healthReport(checks, tags).json.checks as object);

  test("holds checks with any of the tags, and the global ones", () => {
    expect(selected()).toEqual(["P", "disk", "other"]);
    expect(selected("subnet")).toEqual(["P", "disk"]);
    expect(selected("l1", "subnet")).toEqual(["P", "disk", "other"]);
    expect(selected("all")).toEqual(["P", "disk", "other"]);
    expect(selected("unknown")).toEqual(["disk"]);
    expect(selected("")).toEqual(["disk"]);
  });

  test("is healthy if what it holds is", () => {
    expect([healthReport(checks, []).isHealthy, healthReport(checks, ["l1"]).isHealthy, healthReport([], []).isHealthy]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("of readiness is not that of health, and liveness always passes", async () => {
    const health = { health: checks, readiness: [checks[1]] };
    const context = { beyondState: () => ({ health }) } as unknown as RpcContext;
    const answers = healthMethods.map((method) => method.handler({ tags: [] }, context)) as { checks: object; healthy: boolean }[];
    expect(answers.map(({ healthy }) => healthy)).toEqual([false, true, true]);
    expect(answers.map((answer) => Object.keys(answer.checks).length)).toEqual([3, 1, 0]);
  });
});
