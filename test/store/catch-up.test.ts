/** A store that catches up has the rows that a map would have, whatever is frozen, merged, copied, reopened or killed in between. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytes, fixedHex, u8, u32 } from "../../src/base/codec/codec.ts";
import { type Change, table } from "../../src/base/table/table.ts";
import type { CatchUpStore } from "../../src/store/catch-up/catch-up-store.ts";
import { KeyFilter } from "../../src/store/catch-up/key-filter.ts";
import { layersPath, readManifest, writeManifest } from "../../src/store/catch-up/manifest.ts";
import { MOST_RUNS } from "../../src/store/catch-up/merging.ts";
import { inspectStore } from "../../src/store/inspect.ts";
import { LmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import { isCatchingUp, openStore, storePath } from "../../src/store/open.ts";
import { type StoreReader, scanAll } from "../../src/store/store.ts";
import { storeWriter } from "../../src/store/tables.ts";
import { giveBackLease } from "../../src/store/writer-lease.ts";
import { inProcess, openTiny } from "./catch-up-store.ts";
import { scratchDirectory } from "./scratch.ts";

/** The ID is below those of other programs' keys, which are refused when a store is opened. */
const items = table({ id: 1000, name: "items", key: { group: u8, hash: fixedHex(4) }, value: { round: u32, text: bytes } });
const other = table({ id: 1001, name: "others", key: { number: u32 }, value: {} });

const put = (group: number, hash: number, round: number, length: number): Change =>
  ({ table: items, key: keyOf(group, hash), value: { round, text: Buffer.alloc(length, round) } }) as Change;
const remove = (group: number, hash: number): Change => ({ table: items, key: keyOf(group, hash), value: undefined }) as Change;

function keyOf(group: number, hash: number) {
  return {
    group,
    hash: Math.imul(hash + 1, 0x9e37_79b1)
      .toString(16)
      .replace("-", "f")
      .padStart(8, "0")
      .slice(0, 8),
  };
}

type Model = Map<string, Change>;
const nameOf = ({ key }: Pick<Change, "key">) => JSON.stringify(key);

function apply(model: Model, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.value === undefined) model.delete(nameOf(change));
    else model.set(nameOf(change), change);
  }
}

const text = ({ key, value }: { key: unknown; value: unknown }) => {
  const { round, text: content } = value as { round: number; text: Uint8Array };
  return `${JSON.stringify(key)} ${round} ${content.length}`;
};

async function expectRows(store: StoreReader, model: Model): Promise<void> {
  const expected = [...model.values()].map((change) => text({ key: change.key, value: change.value })).sort();
  const rows: string[] = [];
  for await (const row of scanAll(store, items)) rows.push(text(row));
  expect(rows).toEqual(expected);
  const backwards = await store.scan(items, { reverse: true, limit: 10_000 });
  expect(backwards.map(text)).toEqual(expected.toReversed());
  const keys = Array.from({ length: 60 }, (_, hash) => keyOf(hash % 3, hash));
  const values = await store.getMany(items, keys);
  for (const [index, key] of keys.entries()) {
    const value = values[index];
    expect(value && text({ key, value })).toEqual(model.has(nameOf({ key })) ? text(model.get(nameOf({ key }))!) : undefined);
  }
}

/** The copy of a store's files is what a kill at this moment would leave. */
function copyOf(directory: string): string {
  const copy = scratchDirectory();
  cpSync(directory, copy, { recursive: true });
  // this process lives, and would keep itself out
  const home = new LmdbStore({ directory: storePath(copy), isReadOnly: false });
  home.transact(giveBackLease);
  void home.close();
  return copy;
}

async function expectAfterKill(directory: string, models: readonly Model[]): Promise<void> {
  const store = await openTiny(directory);
  try {
    const rows = (await store.scan(items, { limit: 10_000 })).map(text).sort();
    const states = models.map((model) => [...model.values()].map((change) => text({ key: change.key, value: change.value })).sort());
    expect(states).toContainEqual(rows);
    await store.finish();
    expect((await store.scan(items, { limit: 10_000 })).map(text).sort()).toEqual(rows);
  } finally {
    await store.close();
  }
  await expectOneFile(directory);
}

/** Nothing is left beside the data file, whose pages and rows are sound. */
async function expectOneFile(directory: string): Promise<void> {
  expect(isCatchingUp(directory)).toBe(false);
  expect(readdirSync(storePath(directory)).sort()).toEqual(["data.mdb", "lock.mdb"]);
  expect(readdirSync(directory)).toEqual(["store"]);
  const problems: string[] = [];
  await inspectStore(directory, async ({ entries }) => {
    for (const _ of entries((problem) => problems.push(problem)));
  });
  expect(problems).toEqual([]);
}

const anyChange = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.nat(59), fc.constantFrom(0, 20, 300, 3000)).map(([hash, length]) => ({ hash, length })) },
  { weight: 1, arbitrary: fc.nat(59).map((hash) => ({ hash, length: -1 })) },
);
const anyStep = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("commit" as const), changes: fc.array(anyChange, { maxLength: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("reopen" as const, "kill" as const, "finish" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("snapshot" as const), changes: fc.array(anyChange, { maxLength: 40 }) }) },
);

test("random commits, snapshots, reopenings, ends and kills leave what a map would hold", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), fc.constantFrom(0, 24 * 1024, 64 * 1024), async (steps, layerBytes) => {
      const directory = scratchDirectory();
      const model: Model = new Map();
      /** before and after the commit that is under way */
      let models: Model[] = [model];
      const killed: { directory: string; models: Model[] }[] = [];
      let kills = 0;
      const merger = inProcess(() => {
        if (kills-- > 0) killed.push({ directory: copyOf(directory), models: models.map((one) => new Map(one)) });
      });
      let store = await openTiny(directory, { layerBytes }, merger);
      const commit = async (round: number, drawn: readonly { hash: number; length: number }[]) => {
        const changes = drawn.map(({ hash, length }) => (length < 0 ? remove(hash % 3, hash) : put(hash % 3, hash, round, length)));
        const after = new Map(model);
        apply(after, changes);
        models = [model, after];
        await store.commit(changes);
        apply(model, changes);
        models = [model];
      };
      try {
        for (const [round, step] of steps.entries()) {
          if (step.do === "commit") await commit(round, step.changes);
          else if (step.do === "finish") await store.finish();
          else if (step.do === "kill") kills++;
          else if (step.do === "snapshot") {
            const before = new Map(model);
            await store.snapshot(async (reader) => {
              await commit(round, step.changes);
              await store.finish();
              await expectRows(reader, before);
            });
          } else {
            await store.close();
            store = await openTiny(directory, { layerBytes }, merger);
          }
          if (step.do === "kill") killed.push({ directory: copyOf(directory), models: [new Map(model)] });
          await expectRows(store, model);
        }
        await store.finish();
        await expectRows(store, model);
      } finally {
        await store.close();
      }
      await expectOneFile(directory);
      const plain = await openStore({ directory, mode: "read" });
      await expectRows(plain, model);
      expect(await plain.get(storeWriter, { slot: 0 })).toBeUndefined();
      await plain.close();
      for (const kill of killed) await expectAfterKill(kill.directory, kill.models);
    }),
    { numRuns: 40 },
  );
});

/** A store with several layers; the model says what it has. */
test("a file that was never too large is written again in key order in the end, if much of it was written in any order", async () => {
  const directory = scratchDirectory();
  const loose = { startBytes: 2 ** 40, startShare: 4, looseBytes: 256 * 1024 };
  const store = await openTiny(directory, loose);
  const model: Model = new Map();
  const commit = async (hashes: readonly number[], length: number) => {
    const changes = hashes.map((hash) => put(hash % 3, hash, 1, length));
    await store.commit(changes);
    apply(model, changes);
  };
  for (let round = 0; round < 20; round++)
    await commit(
      Array.from({ length: 50 }, (_, i) => round * 50 + i),
      300,
    );
  const size = () => statSync(join(storePath(directory), "data.mdb")).size;
  const before = size();
  await store.finish();
  expect(store.replacements).toBe(1);
  // the rows, their keys, and the headers of entries and pages
  expect(size()).toBeLessThan(1000 * (300 + 64) * 1.1);
  expect(size()).toBeLessThan(before * 0.8);
  const rows = await store.scan(items, { limit: 10_000 });
  expect(rows.map(text).sort()).toEqual([...model.values()].map((change) => text({ key: change.key, value: change.value })).sort());
  // nothing was written since, and few rows are not worth it
  await store.finish();
  await commit([0, 1, 2], 10);
  await store.finish();
  expect(store.replacements).toBe(1);
  await store.close();
  await expectOneFile(directory);
});

test("a loose file that another process reads stays as it is", async () => {
  const directory = scratchDirectory();
  const store = await openTiny(directory, { startBytes: 2 ** 40, looseBytes: 0 });
  await store.commit([put(1, 2, 3, 4)]);
  const script = `require("lmdb").open({ path: ${JSON.stringify(storePath(directory))}, noSubdir: false, readOnly: true }).get("a"); console.log("reads"); setInterval(() => {}, 1000)`;
  const reader = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(reader.stdout, "data");
    await store.finish();
    expect(store.replacements).toBe(0);
  } finally {
    reader.kill();
    await once(reader, "exit");
  }
  await store.close();
});

async function stacked(directory: string): Promise<{ store: CatchUpStore; model: Model }> {
  const store = await openTiny(directory);
  const model: Model = new Map();
  for (let round = 0; round < 30; round++) {
    const changes = Array.from({ length: 20 }, (_, index) => {
      const hash = (round * 7 + index * 11) % 60;
      return index % 5 === 4 ? remove(hash % 3, hash) : put(hash % 3, hash, round, 200);
    });
    await store.commit(changes);
    apply(model, changes);
  }
  expect(readManifest(storePath(directory))?.runs.length).toBeGreaterThan(0);
  return { store, model };
}

describe("a store that is catching up", () => {
  test("is read by others as its data file was when it began", async () => {
    const directory = scratchDirectory();
    const store = await openTiny(directory);
    await store.commit([put(0, 0, 1, 10)]);
    const others = await openStore({ directory, mode: "read" });
    const before: Model = new Map();
    apply(before, [put(0, 0, 1, 10)]);
    for (let round = 2; round < 9; round++) await store.commit([put(0, round, round, 3000), remove(0, 0)]);
    expect(store.isCatchingUp).toBe(true);
    await expectRows(others, before);
    await store.finish();
    await expectRows(others, before);
    await others.close();
    const after = await openStore({ directory, mode: "read" });
    expect(await after.scan(items, { limit: 100 })).toHaveLength(7);
    await after.close();
    await store.close();
  });

  test("is kept from other writers until it is closed, also while its files replace the old one", async () => {
    const directory = scratchDirectory();
    const { store } = await stacked(directory);
    await expect(openStore({ directory, mode: "write" })).rejects.toMatchObject({ code: "store-locked" });
    await store.finish();
    await expect(openStore({ directory, mode: "write" })).rejects.toMatchObject({ code: "store-locked" });
    await store.close();
    await (await openStore({ directory, mode: "write" })).close();
  });

  test("is opened with all its files by whoever writes", async () => {
    const directory = scratchDirectory();
    const { store, model } = await stacked(directory);
    await store.close();
    const next = await openStore({ directory, mode: "write" });
    await expectRows(next, model);
    await next.commit([put(1, 1, 99, 5)]);
    apply(model, [put(1, 1, 99, 5)]);
    await next.close();
    await expectAfterKill(directory, [model]);
  });

  test("clears a table without the others, and copies everything into one file", async () => {
    const directory = scratchDirectory();
    const { store } = await stacked(directory);
    await store.commit([{ table: other, key: { number: 7 }, value: {} } as Change]);
    await store.clear(items);
    expect(await store.scan(items, { limit: 10 })).toEqual([]);
    const copy = scratchDirectory();
    await store.copyTo(copy);
    expect(await store.scan(other, { limit: 10 })).toHaveLength(1);
    expect(readdirSync(copy)).toContain("data.mdb");
    await store.close();
  });

  test("accepts no commits beyond its limit, counting all files", async () => {
    const directory = scratchDirectory();
    await (await stacked(directory)).store.close();
    const store = (await openStore({ directory, mode: "write", maxBytes: 40_000 })) as CatchUpStore;
    await expect(store.commit([put(0, 0, 0, 0)])).rejects.toMatchObject({ code: "store-full" });
    expect(await store.availableBytes()).toBe(0n);
    await store.close();
  });

  test("goes on after a merge that failed, and tells the failure to whoever waits for it", async () => {
    const directory = scratchDirectory();
    let isBroken = true;
    const merger = inProcess(() => {
      if (isBroken) throw new Error("the disk is gone");
    });
    const store = await openTiny(directory, { layerBytes: 0 }, merger);
    const model: Model = new Map();
    const commitAll = async () => {
      for (let round = 0; round < 40; round++) {
        await store.commit([put(round % 3, round % 60, round, 100)]);
        apply(model, [put(round % 3, round % 60, round, 100)]);
      }
    };
    // with too many files a commit is refused, and leaves nothing
    await expect(commitAll()).rejects.toThrow("the disk is gone");
    expect(readManifest(storePath(directory))!.runs.length).toBeLessThan(40);
    await expectRows(store, model);
    await expect(store.finish()).rejects.toThrow("the disk is gone");
    isBroken = false;
    await commitAll();
    await store.finish();
    await expectRows(store, model);
    await store.close();
    await expectOneFile(directory);
  });

  test("can be read at any moment while files are frozen and merged", async () => {
    const directory = scratchDirectory();
    const store = await openTiny(directory, { layerBytes: 0 });
    const get = async () => (await store.getMany(items, [keyOf(0, 0)]))[0]?.round;
    const scan = async () => (await store.scan(items, { limit: 1 }))[0]?.value.round;
    const pinned = () => store.snapshot(async (reader) => (await reader.get(items, keyOf(0, 0)))?.round);
    for (let round = 0; round < 40; round++) {
      let isCommitted = false;
      const committing = store.commit([put(0, 0, round, 50)]).then(() => {
        isCommitted = true;
      });
      while (!isCommitted) {
        // between any two steps of a commit; a file of which a state is pinned stays open, so that is rare
        for (let times = 0; times < 20; times++) {
          const rounds = await Promise.all([get(), scan(), ...(round % 10 === times ? [pinned()] : [])]);
          for (const found of rounds) expect([round - 1, round]).toContain(found ?? -1);
        }
        await setImmediate();
      }
      await committing;
    }
    await store.close();
  });

  test("has few files, however much is committed", async () => {
    const directory = scratchDirectory();
    const store = await openTiny(directory, { layerBytes: 0 });
    for (let round = 0; round < 70; round++) {
      await store.commit([put(0, round % 60, round, 50)]);
      expect(readManifest(storePath(directory))?.runs.length ?? 0).toBeLessThanOrEqual(MOST_RUNS);
    }
    await store.close();
  });

  test("does not trust a filter that is damaged, and removes files that belong to nothing", async () => {
    const directory = scratchDirectory();
    const { store, model } = await stacked(directory);
    await store.close();
    const layers = layersPath(storePath(directory));
    for (const { name } of readManifest(storePath(directory))!.runs) writeFileSync(join(layers, name, "filter"), "no filter");
    cpSync(join(layers, readManifest(storePath(directory))!.top), join(layers, "of-a-killed-merge"), { recursive: true });
    const next = await openTiny(directory);
    await expectRows(next, model);
    expect(existsSync(join(layers, "of-a-killed-merge"))).toBe(false);
    await next.finish();
    await expectRows(next, model);
    await next.close();
  });

  test("is refused when the list of its files or one of them is damaged", async () => {
    const directory = scratchDirectory();
    await (await stacked(directory)).store.close();
    const { runs } = readManifest(storePath(directory))!;
    const layers = layersPath(storePath(directory));
    writeFileSync(join(layers, runs[0]!.name, "data.mdb"), "no data");
    await expect(openStore({ directory, mode: "write" })).rejects.toMatchObject({ code: "store-damaged" });
    writeFileSync(join(layers, "manifest.json"), "{");
    await expect(openStore({ directory, mode: "write" })).rejects.toMatchObject({ code: "store-damaged" });
  });
});

/** The steps in which the merged file replaces the store's directory, each of which may be the last before a kill. */
test.each([0, 1, 2, 3])("a kill after %i steps of the replacement leaves all rows", async (steps) => {
  const directory = scratchDirectory();
  const { store, model } = await stacked(directory);
  await store.close();
  const path = storePath(directory);
  // a complete base is what the end leaves before it replaces the directory
  const finished = copyOf(directory);
  const whole = await openTiny(finished);
  await whole.finish();
  await whole.close();
  const manifest = readManifest(path)!;
  const complete = join(layersPath(path), "complete");
  renameSync(storePath(finished), complete);
  writeManifest(path, { version: 1, top: manifest.top, runs: [], base: "complete", isComplete: true });
  if (steps >= 1) renameSync(complete, `${path}.next`);
  if (steps >= 2) renameSync(path, `${path}.old`);
  if (steps >= 3) renameSync(`${path}.next`, path);
  if (steps >= 2) {
    // readers do what is left where there is no store
    const reader = await openStore({ directory, mode: "read" });
    await expectRows(reader, model);
    await reader.close();
  }
  await expectAfterKill(directory, [model]);
  rmSync(finished, { recursive: true, force: true });
});

test("a filter has every key that was added, and few others", () => {
  const keys = (count: number, start: number) =>
    Array.from({ length: count }, (_, index) => {
      const key = Buffer.alloc(6 + (index % 40), index & 3);
      key.writeUInt32BE(start + index, key.length - 4);
      return key;
    });
  const added = keys(20_000, 0);
  const filter = KeyFilter.forKeys(added.length);
  for (const key of added) filter.add(key, 0, key.length);
  const path = join(scratchDirectory(), "filter");
  filter.write(path);
  const read = KeyFilter.read(path)!;
  expect(added.every((key) => read.mayHave(key, 0, key.length))).toBe(true);
  // deterministic: these keys are always the same. A good filter of this size has about 1 %
  const others = keys(20_000, 1_000_000).filter((key) => read.mayHave(key, 0, key.length));
  expect(others.length).toBeLessThan(600);
});
