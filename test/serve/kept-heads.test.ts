import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("kept-heads-main.ts", import.meta.url));
const MIB = 2 ** 20;

test.each([
  ["one long header on each of 200 connections", 200, 1],
  ["20 long headers, each behind one short one less, on each of 10", 10, 20],
])("no head of an answered request is kept: %s", (_, connections, rounds) => {
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", main, `${connections}`, `${rounds}`], { encoding: "utf8" });
  expect(stderr).toBe("");
  // 180 MB in all
  expect(Number(stdout)).toBeLessThan(80 * MIB);
});
