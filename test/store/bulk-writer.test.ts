/** A file that the bulk writer made is LMDB's in every respect: it is read, checked, scanned and written like one. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { open } from "lmdb";
import { expect, test } from "vitest";
import { BulkWriter } from "../../src/store/lmdb/bulk-writer.ts";
import { EntryReader } from "../../src/store/lmdb/entry-reader.ts";
import { checkPages, dataFile, entriesOf, newestState } from "../../src/store/lmdb/file-check.ts";
import { DATA_VERSION, MAGIC } from "../../src/store/lmdb/page-file.ts";
import { scratchDirectory } from "./scratch.ts";

type Entry = readonly [key: Buffer, value: Buffer];
const LONGEST_KEY = 1978;

function build(entries: readonly Entry[], fill = 1): string {
  const directory = scratchDirectory();
  const writer = new BulkWriter(dataFile(directory), { fill });
  // from the middle of larger buffers, as they come out of a page
  for (const [key, value] of entries) {
    const keys = Buffer.concat([Buffer.from("xyz"), key, Buffer.from("!")]);
    const values = Buffer.concat([Buffer.from("12345"), value, Buffer.from("?")]);
    writer.add(keys, 3, key.length, values, 5, value.length);
  }
  writer.finish();
  return directory;
}

function openFile(directory: string) {
  return open<Buffer, Buffer>({ path: directory, noSubdir: false, encoding: "binary", keyEncoding: "binary", overlappingSync: false });
}

function walked(directory: string): Entry[] {
  checkPages(directory);
  const problems: string[] = [];
  const entries = entriesOf(directory, newestState(directory), (problem) => problems.push(problem));
  const all = [...entries].map(({ key, value }): Entry => [Buffer.from(key), Buffer.from(value)]);
  expect(problems).toEqual([]);
  return all;
}

function readInOrder(directory: string): Entry[] {
  const reader = new EntryReader(dataFile(directory));
  const all: Entry[] = [];
  while (reader.next()) {
    const { page, keyAt, keyBytes, value, valueAt, valueBytes } = reader;
    all.push([Buffer.from(page.subarray(keyAt, keyAt + keyBytes)), Buffer.from(value.subarray(valueAt, valueAt + valueBytes))]);
  }
  expect(reader.entries).toBe(all.length);
  reader.close();
  return all;
}

function sorted(entries: Iterable<Entry>): Entry[] {
  const byKey = new Map([...entries].map((entry) => [entry[0].toString("hex"), entry]));
  return [...byKey.values()].sort(([a], [b]) => Buffer.compare(a, b));
}

/** What is compared: short, so that a difference can be read. */
function text(entries: Iterable<Entry>): string[] {
  return [...entries].map(([key, value]) => `${short(key)} ${short(value)}`);
}

function short(bytes: Buffer): string {
  return bytes.length < 50 ? bytes.toString("hex") : `${bytes.length} bytes ${createHash("sha256").update(bytes).digest("hex")}`;
}

async function expectEntries(directory: string, entries: readonly Entry[]): Promise<void> {
  expect(text(walked(directory))).toEqual(text(entries));
  expect(text(readInOrder(directory))).toEqual(text(entries));
  const file = openFile(directory);
  try {
    expect(text([...file.getRange({ start: Buffer.from([0]) })].map(({ key, value }): Entry => [key, value]))).toEqual(text(entries));
    const backwards = [...file.getRange({ reverse: true })].map(({ key, value }): Entry => [key, value]);
    expect(text(backwards)).toEqual(text(entries).reverse());
    for (const [key, value] of entries) expect(file.get(key)?.equals(value)).toBe(true);
    expect(file.get(Buffer.from([255, 255, 255]))).toBeUndefined();
  } finally {
    await file.close();
  }
}

const anyKey = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ minLength: 3, maxLength: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom(0, 1, 255).map((byte) => new Uint8Array(LONGEST_KEY).fill(byte)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: 2, max: LONGEST_KEY - 4 }), fc.uint8Array({ minLength: 1, maxLength: 4 }))
      .map(([length, end]) => {
        return Buffer.concat([Buffer.alloc(length, 7), end]);
      }),
  },
);
/** around the sizes at which a value leaves the page, and fills its last page */
const anyLength = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 2100 }) },
  { weight: 2, arbitrary: fc.constantFrom(1985, 1986, 1987, 2025, 2026, 2027, 4071, 4072, 4073, 8167, 8168, 8169, 20_000) },
);
const anyEntries = fc
  .array(fc.tuple(anyKey, anyLength, fc.integer({ min: 0, max: 255 })), { maxLength: 400, size: "max" })
  .map((drawn) => sorted(drawn.map(([key, length, byte]): Entry => [Buffer.from(key), Buffer.alloc(length, byte)])));

test("LMDB and Firn's own walk read exactly the entries that were added, and later commits work", async () => {
  await fc.assert(
    fc.asyncProperty(anyEntries, anyEntries, fc.constantFrom(1, 0.9, 0.5), fc.nat(), async (entries, more, fill, step) => {
      const directory = build(entries, fill);
      await expectEntries(directory, entries);
      const file = openFile(directory);
      const model = new Map(entries.map((entry) => [entry[0].toString("hex"), entry]));
      const gone = entries.filter((_, index) => index % (2 + (step % 3)) === 0);
      for (const batch of [more.slice(0, more.length / 2), more.slice(more.length / 2)]) {
        file.transactionSync(() => {
          for (const [key] of gone.splice(0, Math.ceil(gone.length / 2))) {
            file.removeSync(key);
            model.delete(key.toString("hex"));
          }
          for (const entry of batch) {
            file.putSync(...entry);
            model.set(entry[0].toString("hex"), entry);
          }
        });
      }
      await file.close();
      await expectEntries(directory, sorted(model.values()));
    }),
    { numRuns: 60 },
  );
});

/** A tree of this many levels, and one more than a full page at each border. */
test.each([
  ["no entry", 0, 20, 10],
  ["one entry", 1, 20, 10],
  ["two levels of the longest keys, whose pages have room for two", 12, LONGEST_KEY, 10],
  ["many levels of the longest keys", 300, LONGEST_KEY, 10],
  ["several levels of branches", 20_000, 100, 150],
  ["no values", 3000, 12, 0],
])("%s", async (_, count, keyBytes, valueBytes) => {
  const entries = Array.from({ length: count }, (_, index): Entry => {
    const key = Buffer.alloc(keyBytes, 1);
    // the last bytes differ, so that the keys of branches are as long as they can be
    key.writeUInt32BE(index, keyBytes - 4);
    return [key, Buffer.alloc(valueBytes, index)];
  });
  const directory = build(entries);
  await expectEntries(directory, entries);
  const file = openFile(directory);
  file.transactionSync(() => {
    for (const [key] of entries) file.removeSync(key);
  });
  await file.close();
  expect(walked(directory)).toEqual([]);
});

test("every number of the longest keys gives a tree that LMDB accepts: no branch has a single child", async () => {
  for (let count = 1; count < 60; count++) {
    const entries = Array.from({ length: count }, (_, index): Entry => {
      return [Buffer.concat([Buffer.alloc(LONGEST_KEY - 1), Buffer.from([index])]), Buffer.alloc(30)];
    });
    await expectEntries(build(entries), entries);
  }
});

test("keys that do not ascend, and keys and values that do not fit, are refused", () => {
  const writer = new BulkWriter(join(scratchDirectory(), "data.mdb"));
  const add = (key: Buffer) => writer.add(key, 0, key.length, key, 0, 0);
  add(Buffer.from("ab"));
  for (const key of ["ab", "aa", "a"]) expect(() => add(Buffer.from(key))).toThrow("a key that is not above the one before it");
  expect(() => add(Buffer.alloc(0))).toThrow("a key of 0 bytes; it needs 1 to 1978");
  expect(() => add(Buffer.alloc(1979, 255))).toThrow("a key of 1979 bytes");
  add(Buffer.from("abc"));
  writer.abort();
});

test("LMDB refuses a file that was not finished", () => {
  const directory = scratchDirectory();
  const writer = new BulkWriter(dataFile(directory));
  for (let index = 0; index < 50_000; index++) {
    const key = Buffer.alloc(8);
    key.writeUInt32BE(index);
    writer.add(key, 0, 8, key, 0, 8);
  }
  writer.abort();
  expect(() => checkPages(directory)).toThrow("it is not an LMDB file");
});

test("lmdb is the release whose format Firn's own readers and writers know, and writes that format", async () => {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> };
  expect(dependencies.lmdb, "read lmdb's changes to the file format before you raise this").toBe("3.5.6");
  const directory = scratchDirectory();
  const file = openFile(directory);
  await file.put(Buffer.from("key"), Buffer.from("value"));
  await file.close();
  const head = readFileSync(dataFile(directory)).subarray(24, 32);
  expect([head.readUInt32LE(0), head.readUInt32LE(4)]).toEqual([MAGIC, DATA_VERSION]);
});
