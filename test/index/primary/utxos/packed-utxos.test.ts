import fc from "fast-check";
import { expect, test } from "vitest";
import { View } from "../../../../src/base/table/view.ts";
import { mergedScan } from "../../../../src/index/merged-scan.ts";
import {
  countUtxos,
  type ListedUtxo,
  markSpent,
  openList,
  packPlace,
  packUtxo,
  SHORT,
  type UtxoListRow,
  unpackUtxos,
} from "../../../../src/index/primary/utxos/utxo-codec.ts";
import { listedUtxos, scanLists } from "../../../../src/index/primary/utxos/utxo-list-reader.ts";
import { utxosByTime } from "../../../../src/index/primary/utxos/utxo-tables.ts";
import type { Store } from "../../../../src/store/store.ts";
import { withScratchStore } from "../../../store/scratch-store.ts";

const LIST = { chain: 1, listId: "07".repeat(20) };

/** A UTXO of this time is added, and one of those before is spent: as a share of all. */
interface Step {
  readonly timestamp: bigint;
  readonly spends: number | undefined;
  readonly commits: boolean;
}

/** Mostly a second after the other, sometimes long before. */
const anySteps: fc.Arbitrary<Step[]> = fc
  .array(
    fc.record({
      back: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 300 })),
      spends: fc.option(fc.double({ min: 0, max: 0.999, noNaN: true }), { nil: undefined }),
      commits: fc.boolean(),
    }),
    { minLength: 1, maxLength: 10 * SHORT, size: "max" },
  )
  .map((steps) => steps.map(({ back, ...step }, i) => ({ ...step, timestamp: BigInt(Math.max(0, (i >> 1) - back)) })));

/** Some IDs sort before those of earlier UTXOs of the same second. */
function newUtxo(i: number, timestamp: bigint): ListedUtxo {
  return { utxoId: ((i * 40_503) % 65_536).toString(16).padStart(64, "0"), timestamp, amount: BigInt(i), isSpent: false };
}

/** @returns the list's row and what it has, in order */
async function write(
  store: Store,
  steps: readonly Step[],
  isApart: (step: Step) => boolean,
): Promise<{ row: UtxoListRow; model: ListedUtxo[] }> {
  let row: UtxoListRow = { size: 0, short: new Uint8Array() };
  const model: ListedUtxo[] = [];
  let added: ListedUtxo[] = [];
  const spent = new Set<ListedUtxo>();
  const commit = async () => {
    const view = new View();
    const list = openList(LIST.chain, LIST.listId, row);
    await list.read(store, added.map(packPlace), [...spent].map(packPlace));
    for (const utxo of spent) list.change(packPlace(utxo), markSpent);
    for (const utxo of added) list.add(packUtxo(utxo));
    list.write(view);
    await store.commit(view.drain());
    row = { size: row.size + added.length, short: Buffer.from(list.last) };
    added = [];
    spent.clear();
  };
  for (const [i, step] of steps.entries()) {
    const utxo = newUtxo(i, step.timestamp);
    added.push(utxo);
    model.push(utxo);
    const chosen = step.spends === undefined ? undefined : model[Math.floor(step.spends * model.length)]!;
    if (chosen !== undefined && !chosen.isSpent) {
      chosen.isSpent = true;
      if (!added.includes(chosen)) spent.add(chosen);
    }
    if (isApart(step)) await commit();
  }
  await commit();
  return { row, model: model.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) };
}

function keyOf({ timestamp, utxoId }: Pick<ListedUtxo, "timestamp" | "utxoId">): string {
  return `${`${timestamp}`.padStart(4, "0")} ${utxoId}`;
}

const readParts = (store: Store) => store.scan(utxosByTime, { limit: Number.MAX_SAFE_INTEGER });

test("pages in both directions, from any place, with and without spent UTXOs, are those of a sorted list", async () => {
  const anyPage = fc.record({
    place: fc.nat(10 * SHORT),
    reverse: fc.boolean(),
    includeSpent: fc.boolean(),
    limit: fc.integer({ min: 1, max: 50 }),
  });
  await fc.assert(
    fc.asyncProperty(anySteps, fc.array(anyPage, { minLength: 20, maxLength: 20 }), (steps, pages) =>
      withScratchStore(async (store) => {
        const { row, model } = await write(store, steps, ({ commits }) => commits);
        const reader = (includeSpent: boolean) => scanLists(store, [{ ...LIST, row }], { includeSpent });
        for (const { place, reverse, includeSpent, limit } of pages) {
          const after = model[place];
          const ordered = reverse ? model.toReversed() : model;
          const behind = after === undefined ? ordered : ordered.slice(ordered.indexOf(after) + 1);
          const expected = behind.filter(({ isSpent }) => includeSpent || !isSpent).slice(0, limit);
          const rows = await mergedScan(reader(includeSpent), listedUtxos, {
            prefixes: [LIST],
            ...(after && { after: { timestamp: after.timestamp, utxoId: after.utxoId } }),
            reverse,
            limit,
          });
          expect(rows.map(({ key, value }) => [keyOf(key), value.amount])).toEqual(expected.map((utxo) => [keyOf(utxo), utxo.amount]));
        }
      }),
    ),
    { numRuns: 30 },
  );
});

test("parts do not overlap, hold at most SHORT, and say whether all are spent; they do not depend on commits", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      const ways = [() => false, () => true, ({ commits }: Step) => commits];
      const written = await Promise.all(
        ways.map((isApart) =>
          withScratchStore(async (store) => ({ ...(await write(store, steps, isApart)), parts: await readParts(store) })),
        ),
      );
      const { row, parts, model } = written[0]!;
      for (const other of written) expect([other.row.short, other.parts]).toEqual([row.short, parts]);
      const inOrder = parts.toSorted((a, b) => (keyOf(a.key) < keyOf(b.key) ? -1 : 1));
      const utxos = [...inOrder.map(({ value }) => value.packed), row.short].flatMap(unpackUtxos);
      expect(utxos).toEqual(model);
      for (const { key, value } of parts) {
        expect(countUtxos(value.packed)).toBeLessThanOrEqual(SHORT);
        expect(key).toMatchObject({ ...LIST, isSpent: unpackUtxos(value.packed).every(({ isSpent }) => isSpent) });
        expect(keyOf(key)).toBe(keyOf(unpackUtxos(value.packed)[0]!));
      }
    }),
    { numRuns: 30 },
  );
});
