/** Damage to a recording or to the disk leads to a clear error, and leaves the store at the last good height. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { platformChain } from "../../src/chains/platform/tables.ts";
import { openStore } from "../../src/store/open.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { drawn, isWhole } from "../share.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { firstDifference, storeRows } from "./store-rows.ts";

const firn = fileURLToPath(new URL("../../bin/firn", import.meta.url));

interface Run {
  exitCode: number | null;
  error: string;
}

function run(...args: string[]): Run {
  const { status, stderr } = spawnSync(process.execPath, [firn, ...args], { encoding: "utf8" });
  return { exitCode: status, error: stderr };
}

let undamaged: Awaited<ReturnType<typeof storeRows>>;
beforeAll(async () => {
  const reference = scratchDirectory();
  await importUntil(recordingFolder("latest-1"), reference, {}, "replay");
  undamaged = await storeRows(reference);
});

function importInto(directory: string, recording: string, ...flags: string[]): Run {
  return run("import", recording, "--data-dir", directory, "--level", "replay", ...flags);
}

/** What is imported of a recording, its P blocks changed. */
function damagedRecording(change: (lines: string[]) => string[], write: (path: string, text: string) => void = writeFileSync): string {
  const copy = scratchDirectory();
  const folder = recordingFolder("latest-1");
  mkdirSync(join(copy, "blocks"));
  for (const name of ["network.json", "genesis-P.hex"]) cpSync(join(folder, name), join(copy, name));
  for (const chain of ["X", "C"]) writeFileSync(join(copy, `blocks/${chain}.jsonl`), readBlocks(folder, chain).join("\n"));
  write(join(copy, "blocks/P.jsonl"), change(readBlocks(folder, "P")).join("\n"));
  return copy;
}

function readBlocks(folder: string, chain: string): string[] {
  const path = join(folder, "blocks", `${chain}.jsonl`);
  const text = existsSync(path) ? readFileSync(path, "utf8") : gunzipSync(readFileSync(`${path}.gz`)).toString();
  return text.trimEnd().split("\n");
}

/** Replaces a line; numbers as people count them. */
function withLine(number: number, change: (line: string) => string): (lines: string[]) => string[] {
  return (lines) => lines.map((line, index) => (index + 1 === number ? change(line) : line));
}

/** The store must have stopped with P at `height`, and become whole with the undamaged recording. */
async function expectIntact(directory: string, height: bigint): Promise<void> {
  expect(await heightIn(directory)).toBe(height);
  await importUntil(recordingFolder("latest-1"), directory, {}, "replay");
  expect(firstDifference(await storeRows(directory), undamaged)).toBeUndefined();
}

/** Height of the P-chain. */
async function heightIn(directory: string): Promise<bigint> {
  const store = await openStore({ directory, mode: "read" });
  try {
    return (await store.snapshot(async (reader) => reader.get(platformChain, { slot: 0 })))!.height;
  } finally {
    await store.close();
  }
}

describe("a damaged recording", () => {
  const cutOff = (line: string) => line.slice(0, line.length / 2);
  const flipDigit = (line: string) =>
    line.replace(/"container":"0x(.{600})(.)/, (_, before, digit) => `"container":"0x${before}${digit === "0" ? "1" : "0"}`);

  const damages = [
    ["a line that breaks off", withLine(101, cutOff)],
    ["a digit that was changed", withLine(101, flipDigit)],
    ["a line whose height is another's", withLine(101, (line) => line.replace('"height":100', '"height":999'))],
  ] as const;
  test.each(drawn("damages of a recording", damages, 1))("with %s stops before it and names file and line", async (_, change) => {
    const directory = scratchDirectory();
    const { exitCode, error } = importInto(directory, damagedRecording(change));
    expect(exitCode).toBe(1);
    expect(error).toContain("blocks/P.jsonl:101");
    expect(error).not.toContain("    at ");
    await expectIntact(directory, 99n);
  });

  test.runIf(isWhole)("with a missing block names chain, block and rule", async () => {
    const directory = scratchDirectory();
    const { exitCode, error } = importInto(
      directory,
      damagedRecording((lines) => lines.toSpliced(100, 1)),
    );
    expect(exitCode).toBe(1);
    expect(error).toMatch(/chain P, block 101, \w+, .*\(rule [a-z-]+\)/);
    await expectIntact(directory, 99n);
  });

  test("with a compressed file that ends too early says after which line", async () => {
    const directory = scratchDirectory();
    const recording = damagedRecording(
      (lines) => lines,
      (path, text) => {
        const whole = gzipSync(text);
        writeFileSync(`${path}.gz`, whole.subarray(0, whole.length / 2));
      },
    );
    const { exitCode, error } = importInto(directory, recording);
    expect(exitCode).toBe(1);
    expect(error).toMatch(/blocks\/P\.jsonl: cannot be read after line \d+/);
  });
});

describe("a store that cannot grow", () => {
  test.runIf(isWhole)("because of its limit says so, and goes on once the limit is raised", async () => {
    const directory = scratchDirectory();
    const { exitCode, error } = importInto(directory, recordingFolder("latest-1"), "--batch-blocks", "20", "--max-store-bytes", "1000000");
    expect(exitCode).toBe(1);
    expect(error).toContain("--max-store-bytes");
    const height = await heightIn(directory);
    expect(height).toBeGreaterThan(0n);
    expect(importInto(directory, recordingFolder("latest-1")).exitCode).toBe(0);
    expect(firstDifference(await storeRows(directory), undamaged)).toBeUndefined();
  });

  test("because the system cuts its writes short says so, and goes on once there is room", async () => {
    const directory = scratchDirectory();
    const limited = `ulimit -f 1000; exec "${process.execPath}" "${firn}" import "${recordingFolder("latest-1")}" --data-dir "${directory}" --level replay --batch-blocks 20`;
    const { status, stderr } = spawnSync("bash", ["-c", limited], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/firn: .* the store is intact/);
    const height = await heightIn(directory);
    expect(height).toBeGreaterThan(0n);
    await expectIntact(directory, height);
  });

  test.runIf(isWhole)("because the disk is full says so, and goes on once there is room", async (context) => {
    const directory = scratchDirectory();
    const mount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", directory], { encoding: "utf8" });
    if (mount.status !== 0) context.skip(`a small disk cannot be mounted here: ${mount.stderr || mount.error}`);
    try {
      const { exitCode, error } = importInto(directory, recordingFolder("latest-1"), "--batch-blocks", "20");
      expect(exitCode).toBe(1);
      expect(error).toMatch(/cannot grow .*free space/);
      const height = await heightIn(directory);
      expect(height).toBeGreaterThan(0n);
      spawnSync("mount", ["-o", "remount,size=100m", directory]);
      await expectIntact(directory, height);
    } finally {
      spawnSync("umount", [directory]);
    }
  });
});
