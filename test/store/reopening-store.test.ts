/** A process that only reads goes on with the file that takes the place of the one it reads, and never shows two states as one. */
import { renameSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { u8, u32 } from "../../src/base/codec/codec.ts";
import { type Change, table } from "../../src/base/table/table.ts";
import { openStore, storePath } from "../../src/store/open.ts";
import { type Continues, ReopeningStore } from "../../src/store/reopening-store.ts";
import type { StoreReader } from "../../src/store/store.ts";
import { openTiny } from "./catch-up-store.ts";
import { scratchDirectory } from "./scratch.ts";

const ROWS = 20;
const rounds = table({ id: 1000, name: "rounds", key: { row: u8 }, value: { round: u32 } });

/** All rows have the same round in each committed state. */
const changesOf = (round: number) =>
  Array.from({ length: ROWS }, (_, row) => ({ table: rounds, key: { row }, value: { round } }) as Change);

const always: Continues = async () => undefined;
/** of a state that is not older */
const notOlder: Continues = async (before, next) =>
  (await roundOf(next)) >= (await roundOf(before)) ? undefined : `it ends in round ${await roundOf(next)}`;

async function roundOf(reader: StoreReader): Promise<number> {
  return (await reader.get(rounds, { row: 0 }))!.round;
}

async function roundsOf(reader: StoreReader): Promise<Set<number>> {
  const [first, ...others] = await reader.scan(rounds, { limit: ROWS, reverse: true });
  const many = await reader.getMany(
    rounds,
    others.map(({ key }) => key),
  );
  return new Set([first!.value.round, ...others.map(({ value }) => value.round), ...many.map((value) => value!.round)]);
}

test("a snapshot that began before the file was replaced reads on in the old one, later reads in the new one", async () => {
  const directory = scratchDirectory();
  const writer = await openTiny(directory);
  await writer.commit(changesOf(1));
  const told: (string | undefined)[] = [];
  const reader = await ReopeningStore.open({ directory, continues: always, onReplaced: (problem) => told.push(problem) });
  for (let round = 2; round < 9; round++) await writer.commit(changesOf(round));
  await reader.look();
  expect([reader.replacements, await roundOf(reader)]).toEqual([0, 1]);
  await reader.snapshot(async (old) => {
    await writer.finish();
    await reader.look();
    expect(await roundsOf(old)).toEqual(new Set([1]));
    expect(await reader.snapshot(roundsOf)).toEqual(new Set([8]));
  });
  await reader.look();
  expect([reader.replacements, reader.problem, told]).toEqual([1, undefined, [undefined]]);
  await writer.commit(changesOf(9));
  expect(await reader.snapshot(roundsOf)).toEqual(new Set([9]));
  await reader.close();
  await writer.close();
});

test("a file that does not continue the state is refused with its reason, and the next one that does is taken", async () => {
  const [directory, older, newer] = [scratchDirectory(), scratchDirectory(), scratchDirectory()] as const;
  for (const [place, round] of [
    [directory, 5],
    [older, 4],
    [newer, 6],
  ] as const) {
    const writer = await openStore({ directory: place, mode: "write" });
    await writer.commit(changesOf(round));
    await writer.close();
  }
  const told: (string | undefined)[] = [];
  const reader = await ReopeningStore.open({ directory, continues: notOlder, onReplaced: (problem) => told.push(problem) });
  const putInPlace = async (from: string, away: string) => {
    renameSync(storePath(directory), storePath(away));
    // between the two there is none
    await reader.look();
    expect(reader.problem).toBe(told.at(-1));
    renameSync(storePath(from), storePath(directory));
    await reader.look();
    await reader.look();
  };
  await putInPlace(older, scratchDirectory());
  expect([reader.replacements, reader.problem, await roundOf(reader)]).toEqual([0, "it ends in round 4", 5]);
  await putInPlace(newer, scratchDirectory());
  expect([reader.replacements, reader.problem, await roundOf(reader)]).toEqual([1, undefined, 6]);
  expect(told).toEqual(["it ends in round 4", undefined]);
  await reader.close();
});

test("is closed when it says so, although a snapshot may be let go later: the next process, or this one, opens the file then", async () => {
  const directory = scratchDirectory();
  const first = await openStore({ directory, mode: "write" });
  await first.commit(changesOf(1));
  await first.close();
  const reader = await ReopeningStore.open({ directory, continues: always });
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const snapshot = reader.snapshot(async (state) => {
    expect(await roundsOf(state)).toEqual(new Set([1]));
    await held;
  });
  await reader.close();
  const writer = await openStore({ directory, mode: "write" });
  await writer.commit(changesOf(2));
  end();
  await snapshot;
  expect(await roundOf(writer)).toBe(2);
  await writer.close();
});

type Step = "commit" | "finish" | "look" | "begin" | "read" | "end";
const steps = fc.array(fc.constantFrom<Step>("commit", "commit", "commit", "finish", "look", "begin", "read", "end"), { maxLength: 40 });

test("whatever is committed, merged and looked for in between, each snapshot is one state, and none is older than an earlier one", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const directory = scratchDirectory();
      const writer = await openTiny(directory);
      let round = 1;
      await writer.commit(changesOf(round));
      const reader = await ReopeningStore.open({ directory, continues: notOlder });
      /** snapshots that are open, and the round of each */
      const open: { readonly round: number; readonly reader: StoreReader; end(): void }[] = [];
      const endings: Promise<void>[] = [];
      let newest = 0;
      const begin = () =>
        new Promise<void>((begun) => {
          const ended = reader.snapshot(async (snapshot) => {
            const [seen, ...more] = await roundsOf(snapshot);
            expect(more).toEqual([]);
            expect(seen).toBeGreaterThanOrEqual(newest);
            newest = seen!;
            await new Promise<void>((end) => {
              open.push({ round: seen!, reader: snapshot, end });
              begun();
            });
          });
          ended.catch(() => begun());
          endings.push(ended);
        });
      const run: Record<Step, () => Promise<void>> = {
        commit: () => writer.commit(changesOf(++round)),
        finish: () => writer.finish(),
        look: () => reader.look(),
        begin,
        async read() {
          for (const each of open) expect(await roundsOf(each.reader)).toEqual(new Set([each.round]));
        },
        async end() {
          open.shift()?.end();
        },
      };
      try {
        for (const step of script) await run[step]();
        await run.read();
        await writer.finish();
        await reader.look();
        expect(await reader.snapshot(roundsOf)).toEqual(new Set([round]));
      } finally {
        for (const { end } of open) end();
        await Promise.all(endings);
        await reader.close();
        await writer.close();
      }
    }),
    { numRuns: 20 },
  );
});
