/** A store is exported and imported again: the rows are the same. What anybody changes in an archive is found without a store. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { exportArchive } from "../../../src/ingest/archive/export.ts";
import { verifyArchive } from "../../../src/ingest/archive/verify.ts";
import { checksumOf, readChecksums, writeChecksums } from "../../../src/sources/archives/checksums.ts";
import { openStore } from "../../../src/store/open.ts";
import { importUntil } from "../../conformance/checkpoints.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { firstDifference, storeRows } from "../../faults/store-rows.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const SEGMENT_BLOCKS = 50;

async function imported(path: string, until: Record<string, number> = {}): Promise<string> {
  const directory = scratchDirectory();
  await importUntil(path, directory, until, "replay");
  return directory;
}

async function exported(directory: string, folder: string, until?: ReadonlyMap<string, bigint>): Promise<string[]> {
  const reader = await openStore({ directory, mode: "read" });
  const segments: string[] = [];
  try {
    const onSegment = (file: string) => segments.push(file);
    await exportArchive({ reader, directory, folder, segmentBlocks: SEGMENT_BLOCKS, onSegment, ...(until && { until }) });
    return segments;
  } finally {
    await reader.close();
  }
}

test.each(["live-1", "x-dag"] as const)("what %s made is exported in parts, verified, and makes the same rows again", async (name) => {
  const directory = await imported(recordingFolder(name), name === "live-1" ? { P: 120, X: 90, C: 70 } : {});
  const folder = scratchDirectory();
  const first = await exported(directory, folder, new Map([["X", 1n]]));
  const second = await exported(directory, folder);
  expect(first.length).toBeGreaterThan(0);
  expect(second.length).toBeGreaterThan(0);
  expect(second.every((file) => file.startsWith("blocks/X."))).toBe(true);
  expect(await exported(directory, folder)).toEqual([]);
  const { files, chains, vertices } = await verifyArchive(folder);
  expect(files).toBe(readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length - 1);
  expect(vertices > 0).toBe(name === "x-dag");
  expect(chains.every(({ first }) => first === 1n)).toBe(true);
  expect(firstDifference(await storeRows(await imported(folder)), await storeRows(directory))).toBeUndefined();
});

test("an export that was interrupted is finished by the next one", async () => {
  const directory = await imported(recordingFolder("live-1"), { P: 120, X: 20, C: 20 });
  const [folder, whole] = [scratchDirectory(), scratchDirectory()];
  await exported(directory, folder, new Map([["P", 50n]]));
  // Files that SHA256SUMS does not name yet: one is complete, one was being written
  const sums = readChecksums(folder);
  const [last] = [...sums.keys()].filter((file) => file.startsWith("blocks/P.")).slice(-1);
  sums.delete(last!);
  await writeChecksums(folder, sums);
  writeFileSync(join(folder, `${last}.part`), "half");
  await exported(directory, folder);
  await exported(directory, whole);
  rmSync(join(folder, `${last}.part`), { force: true });
  expect([...readChecksums(folder)].filter(([file]) => file.startsWith("blocks/X"))).toEqual(
    [...readChecksums(whole)].filter(([file]) => file.startsWith("blocks/X")),
  );
  await verifyArchive(folder);
  expect(existsSync(join(folder, `${last}`))).toBe(true);
});

test("an archive of one network takes no blocks of another", async () => {
  const folder = scratchDirectory();
  await exported(await imported(recordingFolder("live-1"), { P: 1, X: 0, C: 0 }), folder);
  const other = await imported(recordingFolder("p-eras-old"), { P: 1, X: 0, C: 0 });
  await expect(exported(other, folder)).rejects.toThrow("is of another network than the store; export into another folder");
});

test("any changed byte of a block is found, whether the file's hash is made to fit or not", async () => {
  const directory = await imported(recordingFolder("live-1"), { P: 60, X: 10, C: 10 });
  const folder = scratchDirectory();
  await exported(directory, folder);
  const files = [...readChecksums(folder).keys()].filter((file) => file.startsWith("blocks/"));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.boolean(),
      async (file, place, fits) => {
        const path = join(folder, file);
        const before = readFileSync(path);
        const lines = gunzipSync(before).toString().trimEnd().split("\n");
        const at = Math.floor(place * lines.length);
        const line = JSON.parse(lines[at]!) as Record<string, string>;
        const hex = line.container!;
        // Not of the signature, which no hash covers, and not of the wrapper's version
        const digit = 20 + Math.floor(place * (hex.length / 3));
        line.container = hex.slice(0, digit) + (hex[digit] === "0" ? "1" : "0") + hex.slice(digit + 1);
        lines[at] = JSON.stringify(line);
        const sums = readChecksums(folder);
        try {
          writeFileSync(path, gzipSync(`${lines.join("\n")}\n`));
          if (fits) await writeChecksums(folder, new Map([...sums, [file, await checksumOf(path)]]));
          await expect(verifyArchive(folder)).rejects.toMatchObject({ code: expect.stringMatching(/^archive-/) });
        } finally {
          writeFileSync(path, before);
          await writeChecksums(folder, sums);
        }
      },
    ),
    { numRuns: 25 },
  );
  await verifyArchive(folder);
});

test("a segment that is missing is named", async () => {
  const directory = await imported(recordingFolder("live-1"), { P: 160, X: 0, C: 0 });
  const folder = scratchDirectory();
  const segments = await exported(directory, folder);
  const sums = readChecksums(folder);
  sums.delete(segments[1]!);
  rmSync(join(folder, segments[1]!));
  await writeChecksums(folder, sums);
  await expect(verifyArchive(folder)).rejects.toThrow(/does not continue blocks\/P\.000000000001-000000000050\.jsonl/);
});
