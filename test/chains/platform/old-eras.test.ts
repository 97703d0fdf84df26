import { beforeAll, describe, expect, test } from "vitest";
import { replayOldEras } from "../../conformance/platform/old-eras.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { isWhole } from "../../share.ts";

type Part = Parameters<Parameters<typeof replayOldEras>[1]>[0];
interface Comparison {
  name: string;
  actual: unknown;
  expected: unknown;
}

const RUNS = [
  { level: "full", restarts: false, name: "at level full" },
  { level: "replay", restarts: true, name: "at level replay, restarted at every checkpoint" },
] as const;

describe.each(isWhole ? RUNS : RUNS.slice(0, 1))("the P-chain before Durango, $name", ({ level, restarts }) => {
  const comparisons = new Map<Part, Comparison[]>();

  beforeAll(() => {
    replayOldEras(
      recordingFolder("p-eras-old"),
      (part, name, actual, expected) => {
        const list = comparisons.get(part) ?? [];
        comparisons.set(part, list);
        list.push({ name, actual, expected });
      },
      { level, restarts },
    );
  });

  function all(part: Part): [actual: object, expected: object] {
    const list = comparisons.get(part) ?? [];
    return [
      Object.fromEntries(list.map(({ name, actual }, i) => [`${i} ${name}`, actual])),
      Object.fromEntries(list.map(({ name, expected }, i) => [`${i} ${name}`, expected])),
    ];
  }

  function expectSame(part: Part, count: number): void {
    const [actual, expected] = all(part);
    expect(Object.keys(expected)).toHaveLength(count);
    expect(actual).toEqual(expected);
  }

  test("executes every block", () => expectSame("block", 2384));
  test("has the recorded state at every checkpoint", () => expectSame("state", 199 * 14));
  test("knows every validator set at its height and from every later one", () => expectSame("validators", 43_537));
  if (level === "replay") return;
  test("refuses what the node refuses, with its text", () => expectSame("refused", 1856));
  test("verifies every sibling that the node verifies", () => expectSame("sibling", 403));
});
