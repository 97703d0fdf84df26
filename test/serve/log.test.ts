import { describe, expect, test } from "vitest";
import { lineForPeople } from "../../src/serve/log.ts";

const time = new Date(2026, 10, 22, 12, 30, 5).getTime();
const base = { time, pid: 7, hostname: "vm", name: "firn" };

describe("a log line on a terminal", () => {
  test("has the time of day, the level, the message and its facts, and nothing of the process", () => {
    const json = JSON.stringify({ ...base, level: 30, chain: "43112", blocks: 12, msg: "Committed batch" });
    expect(lineForPeople(json, { hasColors: false })).toBe("12:30:05 info  Committed batch  chain 43112, blocks 12\n");
  });

  test("has a colored level if it is a warning or an error, and the terminal shows colors", () => {
    const lineOf = (level: number) => lineForPeople(JSON.stringify({ ...base, level, msg: "Something" }), { hasColors: true });
    expect(lineOf(30)).toBe("12:30:05 info  Something\n");
    expect(lineOf(40)).toBe("12:30:05 \u001b[33mwarn \u001b[39m Something\n");
    expect(lineOf(50)).toBe("12:30:05 \u001b[31merror\u001b[39m Something\n");
  });

  test("of a warning has the error's message, of an error where it comes from too", () => {
    const err = { type: "Error", message: "no space", stack: "Error: no space\n    at write" };
    const lineOf = (level: number) => lineForPeople(JSON.stringify({ ...base, level, err, msg: "Could not write" }), { hasColors: false });
    expect(lineOf(40)).toBe("12:30:05 warn  Could not write  error no space\n");
    expect(lineOf(50)).toBe("12:30:05 error Could not write  error no space\nError: no space\n    at write\n");
  });
});
