import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("garbage-main.ts", import.meta.url));

/** In bytes. */
function largestHeap(how: "early" | "late"): number {
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", main, how], { encoding: "utf8" });
  expect(stderr).toBe("");
  return Number(stdout);
}

test("A serving process holds less garbage of long requests than V8 by itself would let it", () => {
  expect(largestHeap("early") / largestHeap("late")).toBeLessThan(0.75);
});
