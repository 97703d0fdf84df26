/** A rebuild that is killed leaves either the old store or the rebuilt one: both are readable and have the same rows. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { delay, stopwatch } from "../patience.ts";
import { drawn } from "../share.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { firstDifference, storeRows } from "./store-rows.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));

function run(...args: string[]): { output: string; error: string } {
  const { stdout, stderr } = spawnSync(process.execPath, [firn, ...args], { encoding: "utf8" });
  return { output: stdout, error: stderr };
}

test("a rebuild that is killed at any instant costs nothing, and can be done again", async () => {
  const directory = scratchDirectory();
  // progress is said of what takes long, as on a busy machine
  const reindex = ["reindex", "--data-dir", directory, "--level", "replay", "--log-level", "warn"];
  await importUntil(recordingFolder("latest-1"), directory, {}, "replay");
  // builds what is to be built, so that no rebuild says so
  run("status", "--data-dir", directory);
  const rows = await storeRows(directory);
  const elapsed = stopwatch();
  expect(run(...reindex).error).toBe("");
  const durationMs = elapsed();
  for (const instant of drawn("instants of a rebuild", [1, 2, 3, 4], 1)) {
    const child = spawn(process.execPath, [firn, ...reindex], { stdio: "ignore" });
    const exited = once(child, "exit");
    await delay((durationMs * instant) / 4);
    child.kill("SIGKILL");
    await exited;
    expect(run("status", "--data-dir", directory).output).toContain("P 225, X 233, C 25");
    expect(firstDifference(await storeRows(directory), rows)).toBeUndefined();
  }
  expect(run(...reindex).error).toBe("");
  expect(firstDifference(await storeRows(directory), rows)).toBeUndefined();
});
