/** Missing or damaged parts of a store's files are reported when it is opened; LMDB would end this process with a signal. */
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "lmdb";
import { beforeEach, describe, expect, test } from "vitest";
import type { Change } from "../../src/base/table/table.ts";
import { formatChange } from "../../src/store/format.ts";
import { inspectStore } from "../../src/store/inspect.ts";
import { requireRoots } from "../../src/store/lmdb/file-check.ts";
import { openStore } from "../../src/store/open.ts";
import { scanAll } from "../../src/store/store.ts";
import { storeWriter } from "../../src/store/tables.ts";
import { Random } from "../fuzz/mutate.ts";
import { scratchDirectory } from "./scratch.ts";

const PAGE_BYTES = 4096;
const NETWORK = { networkId: 9001, genesisId: "ab".repeat(32) };

/** Of three levels of pages, long values among them, and free pages. */
async function makeStore(directory: string): Promise<void> {
  const store = await openStore({ directory, mode: "write" });
  const row = (slot: number, bytes: number) =>
    ({ table: storeWriter, key: { slot }, value: { processId: slot, startedAt: "x".repeat(bytes) } }) as Change;
  await store.commit([formatChange(NETWORK)]);
  for (let round = 0; round < 3; round++) {
    await store.commit(
      Array.from({ length: 250 }, (_, slot) => row(slot + 1, slot % 50 === 0 ? 9000 : 100 + ((slot * 7 + round * 911) % 1500))),
    );
  }
  await store.close();
}

let directory = "";
let file = "";

beforeEach(async () => {
  directory = scratchDirectory();
  file = join(directory, "store", "data.mdb");
  await makeStore(directory);
});

function change(edit: (bytes: Buffer) => Buffer | undefined): void {
  const bytes = readFileSync(file);
  writeFileSync(file, edit(bytes) ?? bytes);
}

async function readAll(): Promise<number> {
  const store = await openStore({ directory, mode: "read" });
  try {
    let rows = 0;
    for await (const _ of scanAll(store, storeWriter)) rows++;
    return rows;
  } finally {
    await store.close();
  }
}

describe("a store whose file", () => {
  test.each<[string, (bytes: Buffer) => Buffer | undefined, string]>([
    ["is empty", () => Buffer.alloc(0), "it is empty"],
    ["ends after one page", (bytes) => bytes.subarray(0, PAGE_BYTES), "it ends within its meta pages"],
    ["has lost its second half", (bytes) => bytes.subarray(0, bytes.length / 2), "it is cut off"],
    ["is noise", (bytes) => Buffer.from(bytes.map((_, at) => (at * 31) & 0xff)), "it is not an LMDB file"],
    ["has a first page of zeros", (bytes) => bytes.fill(0, 0, PAGE_BYTES), "it is not an LMDB file"],
    ["has a second page of zeros", (bytes) => bytes.fill(0, PAGE_BYTES, 2 * PAGE_BYTES), "its second meta page is overwritten"],
    ["is zeros behind its meta pages", (bytes) => bytes.fill(0, 2 * PAGE_BYTES), "is not the"],
    ["names a root that it does not have", (bytes) => withRoots(bytes, 1_000_000), "its meta page 0 is damaged"],
    ["is of a later format of LMDB", (bytes) => withVersion(bytes, 3), "it has LMDB's format 3"],
  ])("%s is refused for reading and writing, and stays as it is", async (_, edit, sentence) => {
    change(edit);
    const before = readFileSync(file);
    for (const mode of ["read", "write"] as const) {
      await expect(openStore({ directory, mode })).rejects.toMatchObject({
        code: "store-damaged",
        message: expect.stringContaining(sentence),
      });
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test.each(["data.mdb", "lock.mdb"])("%s is a directory is refused", async (name) => {
    rmSync(join(directory, "store", name));
    mkdirSync(join(directory, "store", name));
    await expect(openStore({ directory, mode: "write" })).rejects.toMatchObject({ code: "store-folder" });
  });

  test("may not be written by this user is refused for writing, and read", async () => {
    const locks = join(directory, "store", "lock.mdb");
    for (const path of [directory, join(directory, "store")]) chmodSync(path, 0o755);
    for (const path of [file, locks]) chmodSync(path, 0o444);
    await asOrdinaryUser(async () => {
      await expect(openStore({ directory, mode: "write" })).rejects.toMatchObject({
        code: "store-folder",
        message: expect.stringContaining("cannot be written"),
      });
      await expect(readAll()).resolves.toBe(250);
    });
  });

  test("cannot be made in a folder that this user may not write says so", async () => {
    const folder = scratchDirectory();
    chmodSync(folder, 0o555);
    await asOrdinaryUser(() => expect(openStore({ directory: folder, mode: "write" })).rejects.toMatchObject({ code: "store-folder" }));
  });

  test("for locks was cut off or overwritten works again: nobody holds a lock", async () => {
    const locks = join(directory, "store", "lock.mdb");
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(100, 7), Buffer.alloc(statSync(locks).size, 0xff)]) {
      writeFileSync(locks, bytes);
      await expect(readAll()).resolves.toBe(250);
    }
  });

  test("ends before pages that count as free is whole, and before others it is not", async () => {
    // the rows of the last commit lie on pages that an earlier one gave back
    truncateSync(file, statSync(file).size - PAGE_BYTES);
    await expect(readAll()).resolves.toBe(250);
    change((bytes) => {
      const newest = bytes.readBigUInt64LE(152) > bytes.readBigUInt64LE(PAGE_BYTES + 152) ? 0 : PAGE_BYTES;
      bytes.writeBigUInt64LE(bytes.readBigUInt64LE(newest + 144) + 1n, newest + 144);
      return bytes;
    });
    await expect(readAll()).rejects.toMatchObject({ code: "store-damaged", message: expect.stringContaining("it is cut off") });
  });

  test("grows because another process commits, while it is being looked at, is whole", () => {
    const sizes = [2 * PAGE_BYTES, statSync(file).size];
    const opened = openSync(file, "r");
    try {
      expect(() => requireRoots(opened, () => sizes.shift() ?? Number.NaN)).not.toThrow();
      expect(() => requireRoots(opened, () => 2 * PAGE_BYTES)).toThrow(`it is cut off after ${2 * PAGE_BYTES} bytes`);
    } finally {
      closeSync(opened);
    }
  });

  test("is another program's is refused, and gets no row", async () => {
    rmSync(join(directory, "store"), { recursive: true });
    const other = open({ path: join(directory, "store"), overlappingSync: false });
    await other.put("greeting", { hello: "world" });
    await other.close();
    const before = readFileSync(file);
    await expect(openStore({ directory, mode: "write" })).rejects.toMatchObject({ code: "store-foreign" });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("is empty because the process that made it was killed is made anew", async () => {
    const fresh = scratchDirectory();
    mkdirSync(join(fresh, "store"));
    writeFileSync(join(fresh, "store", "data.mdb"), "");
    writeFileSync(join(fresh, "store.started"), "");
    await expect(openStore({ directory: fresh, mode: "read" })).rejects.toMatchObject({ code: "store-damaged" });
    await (await openStore({ directory: fresh, mode: "write" })).close();
    await (await openStore({ directory: fresh, mode: "write" })).close();
    truncateSync(join(fresh, "store", "data.mdb"), 0);
    await expect(openStore({ directory: fresh, mode: "write" })).rejects.toMatchObject({ code: "store-damaged" });
  });
});

describe("a store of which bits were flipped", () => {
  test("is read or refused with a sentence, wherever they are", async () => {
    const whole = readFileSync(file);
    const random = new Random(20_261_122);
    const codes = new Set<string>();
    for (let round = 0; round < 150; round++) {
      const bytes = Buffer.from(whole);
      // where LMDB follows numbers: headers of pages, and places, sizes and flags of entries
      const page = random.below(bytes.length / PAGE_BYTES) * PAGE_BYTES;
      for (let flips = 0; flips < 3; flips++) bytes[page + random.below(PAGE_BYTES)]! ^= 1 << random.below(8);
      bytes[page + random.below(64)]! ^= 1 << random.below(8);
      writeFileSync(file, bytes);
      const found = await readAll().then(
        () => "read",
        (error: { code?: string }) => error.code ?? String(error),
      );
      codes.add(found);
    }
    expect([...codes].filter((code) => !["read", "store-damaged", "store-newer", "store-older", "store-foreign"].includes(code))).toEqual(
      [],
    );
    expect(codes).toContain("store-damaged");
  });
});

test("entries of a store can be read while another process commits, all of one state", async () => {
  const store = await openStore({ directory, mode: "write" });
  const rows = await inspectStore(directory, async ({ entries }) => {
    const problems: string[] = [];
    let count = 0;
    for (const _ of entries((problem) => problems.push(problem))) {
      if (count++ % 20 === 0) {
        const value = { processId: count, startedAt: "y".repeat(1 + ((count * 13) % 2000)) };
        await store.commit([{ table: storeWriter, key: { slot: 1 + (count % 250) }, value } as Change]);
      }
    }
    expect(problems).toEqual([]);
    return count;
  });
  expect(rows).toBe(252);
  await store.close();
});

function withRoots(bytes: Buffer, root: number): Buffer {
  for (const meta of [0, PAGE_BYTES]) bytes.writeBigUInt64LE(BigInt(root), meta + 136);
  return bytes;
}

function withVersion(bytes: Buffer, version: number): Buffer {
  for (const meta of [0, PAGE_BYTES]) bytes.writeUInt32LE(version, meta + 28);
  return bytes;
}

/** Nothing is forbidden to the system's own user, who runs tests in containers. */
async function asOrdinaryUser(check: () => Promise<void>): Promise<void> {
  const user = process.geteuid?.();
  if (user === 0) process.seteuid!(65_534);
  try {
    await check();
  } finally {
    if (user === 0) process.seteuid!(0);
  }
}
