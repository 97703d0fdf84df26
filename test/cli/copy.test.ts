/** `firn copy`: between a data directory and PostgreSQL, and what becomes of a copy that was interrupted. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allTables } from "../../src/cli/store/all-tables.ts";
import { copyRows } from "../../src/store/copy.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { firstDifference, storeRows } from "../faults/store-rows.ts";
import { delay, eventually } from "../patience.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase } from "../postgres/scratch-database.ts";
import { drawn, sized } from "../share.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { FirnProcess, run } from "./firn.ts";

async function imported(name: RecordingName, heights: Parameters<typeof importUntil>[2] = {}): Promise<string> {
  const directory = scratchDirectory();
  await importUntil(recordingFolder(name), directory, heights, "replay");
  return directory;
}

const copy = (from: string, to: string) => run(["copy", "--from", from, "--to", to]);

async function expectSameRows(directory: string, as: string): Promise<void> {
  const rows = await storeRows(as);
  expect(rows.size).toBeGreaterThan(100);
  expect(firstDifference(await storeRows(directory), rows)).toBeUndefined();
}

/** The store, which fails after this many commits. */
function failingAfter(store: Store, commits: number): Store {
  let left = commits;
  const commit: Store["commit"] = async (...rows) => {
    if (left-- <= 0) throw new Error("killed");
    await store.commit(...rows);
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === "commit") return commit;
      const member = Reflect.get(target, name) as unknown;
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Copies in this process, and fails after some commits. Returns whether it was done before. */
async function copyPart(from: string, to: string, commits: number): Promise<boolean> {
  const source = await openStore({ directory: from, mode: "write" });
  const target = await openStore({ directory: to, mode: "write", isUnfinishedCopy: true });
  try {
    const options = { from: source, tables: allTables, onStep: () => {}, signal: new AbortController().signal };
    return await copyRows({ ...options, to: failingAfter(target, commits) }).catch((error) => {
      if (error.message === "killed") return false;
      throw error;
    });
  } finally {
    await target.close();
    await source.close();
  }
}

describe.skipIf(!hasPostgres)(`firn copy to PostgreSQL and back${skipReason}`, () => {
  test.each(drawn("recordings that are copied", ["x-dag", "latest-1", "eras-1"] as const, 1))("%s has the same rows", async (name) => {
    const [from, back, { url }] = [await imported(name), scratchDirectory(), await scratchDatabase()];
    expect(copy(from, url)).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^(\d+) rows copied, \1 compared in .*both stores have the same rows/),
    });
    expect(copy(url, back)).toMatchObject({ exitCode: 0, output: expect.stringContaining("both stores have the same rows") });
    await expectSameRows(back, from);
  });

  test("a copy that was killed goes on, and has the same rows in the end", async () => {
    const [from, back, { url }] = [await imported("latest-1"), scratchDirectory(), await scratchDatabase()];
    for (const to of [url, back]) {
      for (const milliseconds of fc.sample(fc.integer({ min: 300, max: 2500 }), sized({ whole: 3, share: 1 }))) {
        const child = new FirnProcess(["copy", "--from", to === url ? from : url, "--to", to]);
        await delay(milliseconds);
        child.child.kill("SIGKILL");
        await child.end().catch(() => {});
      }
      await eventually(() => /^$|holds a whole store already/.test(copy(to === url ? from : url, to).error));
    }
    await expectSameRows(back, from);
  });
});

describe("firn copy", () => {
  test("goes on after any commit, even if the source went on meanwhile", async () => {
    const rowsOf = await imported("x-dag");
    for (const commits of drawn("commits before a copy fails", [0, 1, 2, 5, 9, 20], 2)) {
      const [from, to] = [await imported("x-dag", { P: 0, X: 2, C: 0 }), scratchDirectory()];
      expect(await copyPart(from, to, commits)).toBe(false);
      await importUntil(recordingFolder("x-dag"), from, {}, "replay");
      await expectSameRows(from, rowsOf);
      expect(await copyPart(from, to, Number.POSITIVE_INFINITY)).toBe(true);
      await expectSameRows(to, from);
    }
  });

  test("an unfinished copy is refused by other commands, and by copies of other networks", async () => {
    const [from, other, to] = [await imported("x-dag"), await imported("latest-1"), scratchDirectory()];
    expect(await copyPart(from, to, 9)).toBe(false);
    const unfinished = `firn: ${to} is an unfinished copy; run the same firn copy again, or use another --data-dir\n`;
    expect(run(["status", "--data-dir", to])).toMatchObject({ exitCode: 1, error: unfinished });
    expect(run(["import", recordingFolder("x-dag"), "--data-dir", to])).toMatchObject({ exitCode: 1, error: unfinished });
    expect(copy(other, to)).toMatchObject({
      exitCode: 1,
      error: expect.stringContaining("is an unfinished copy of network 424242, not of network 9001"),
    });
    expect(copy(from, to).exitCode).toBe(0);
    await expectSameRows(to, from);
  });

  test("refuses a target that has a store, itself, a missing source and a missing option", async () => {
    const [from, other] = [await imported("x-dag"), await imported("latest-1")];
    expect(copy(from, other)).toMatchObject({ exitCode: 1, error: `firn: ${other} holds a whole store already; copy into an empty one\n` });
    expect(copy(from, from)).toMatchObject({ exitCode: 1, error: expect.stringContaining("cannot be copied into itself") });
    expect(copy(`${from}-none`, scratchDirectory())).toMatchObject({ exitCode: 1, error: expect.stringContaining("there is no store in") });
    expect(run(["copy", "--from", from])).toMatchObject({ exitCode: 2, error: expect.stringContaining("--to is missing") });
    expect(copy(from, "postgres://nowhere")).toMatchObject({ exitCode: 2, error: expect.stringContaining("the URL of a database") });
  });

  test("tells of rows that somebody else wrote into the target", async () => {
    const [from, to] = [await imported("x-dag"), scratchDirectory()];
    const source = await openStore({ directory: from, mode: "write" });
    const target = await openStore({ directory: to, mode: "write" });
    const [table] = allTables.filter(({ name }) => name === "evm_lying_tokens");
    let isWritten: Promise<void> | undefined;
    const onStep = () => {
      isWritten ??= target.commit([{ table: table!, key: { chain: 1, token: "00".repeat(20) }, value: {} } as never]);
    };
    const copied = copyRows({ from: source, to: target, tables: allTables, onStep, signal: new AbortController().signal });
    await expect(copied).rejects.toThrow("the rows of evm_lying_tokens differ after they were copied");
    await isWritten;
    await target.close();
    await source.close();
  });
});
