/** The errors of `npm run conformance` for folders that cannot be compared. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { scratchDirectory } from "../store/scratch.ts";
import { checkRefusedTxs } from "./asset/checks.ts";
import { checkRefusedPlatformTxs } from "./platform/refused.ts";
import { recordingFolder } from "./recordings.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

function conformance(...args: string[]) {
  const command = ["--import", "tsx", join(root, "test/conformance/cli.ts"), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
  return { exitCode: status, output: stdout, error: stderr };
}

describe("conformance", () => {
  test("of a folder that is no recording is refused with the reason", () => {
    const folder = scratchDirectory();
    const { exitCode, error } = conformance(folder);
    expect(exitCode).toBe(1);
    expect(error).toMatch(/ is not a recording: it has no network\.json; [^\n]+\n$/);
  });

  test("of a recording with nothing to compare says so instead of 0 passed, 0 failed", () => {
    const folder = scratchDirectory();
    const recording = recordingFolder("x-dag");
    for (const file of ["network.json", "genesis.json", "upgrades.json"]) cpSync(join(recording, file), join(folder, file));
    mkdirSync(join(folder, "checkpoints"));
    expect(conformance(folder)).toEqual({ exitCode: 1, output: `${folder}\n`, error: `${folder} has nothing to compare\n` });
  });

  test("of a recording without refused transactions goes on without them", async () => {
    const folder = recordingFolder("live-1");
    const checks: unknown[] = [];
    for await (const check of checkRefusedPlatformTxs(folder)) checks.push(check);
    for await (const check of checkRefusedTxs(folder)) checks.push(check);
    expect(checks).toEqual([]);
  });
});
