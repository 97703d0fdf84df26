/** Compares the activities that owner groups keep with a loop over all activities. Clocks go back, and commits have any size. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { View } from "../../../../src/base/table/view.ts";
import { P_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { ActivityChanges, newestActivity, RECENT } from "../../../../src/index/primary/utxos/activity.ts";
import type { UtxoChange } from "../../../../src/index/primary/utxos/utxo-ledger.ts";
import { earlierActivities, ownerGroups } from "../../../../src/index/primary/utxos/utxo-tables.ts";
import { LmdbStore } from "../../../../src/store/lmdb/lmdb-store.ts";
import { sized } from "../../../share.ts";
import { scratchDirectory } from "../../../store/scratch.ts";
import { CountingReader } from "../../counting-reader.ts";

interface Event {
  readonly amount: bigint;
  readonly timestamp: bigint;
  readonly utxoId: string;
}

const GROUP = "a".repeat(40);
const key = { chain: P_CHAIN, groupId: GROUP };

/** One owner group alone, as a run of ingest keeps it. */
class Group {
  readonly store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false });
  readonly #view = new View();
  /** of all commits */
  reads = 0;

  async commit(events: readonly Event[]): Promise<void> {
    const known = (await this.store.get(ownerGroups, key))?.activities ?? [];
    const changes = new ActivityChanges(key);
    for (const event of events) changes.note(created(event));
    const reader = new CountingReader(this.store);
    await changes.read(known, reader);
    this.reads += reader.reads;
    this.#view.load(ownerGroups, key, undefined);
    this.#view.put(ownerGroups, key, { activities: changes.write(this.#view, known), size: 1, amountClasses: 0n, short: new Uint8Array() });
    await this.store.commit(this.#view.drain());
    this.#view.evict();
  }

  newest(minAmount: bigint) {
    return newestActivity(this.store, P_CHAIN, [GROUP], minAmount);
  }

  async rows() {
    const own = (await this.store.get(ownerGroups, key))?.activities ?? [];
    const rows = await this.store.scan(earlierActivities, { limit: Number.MAX_SAFE_INTEGER });
    return [...rows.map((row) => ({ amount: row.key.amount, ...row.value })).reverse(), ...own];
  }
}

async function withGroup(hold: (group: Group) => Promise<void>): Promise<void> {
  const group = new Group();
  await hold(group).finally(() => group.store.close());
}

function created({ utxoId, amount, timestamp }: Event): UtxoChange {
  return { utxoId, before: undefined, after: { timestamp, spent: undefined }, output: { amount } } as unknown as UtxoChange;
}

/** The last of the newest. */
function expectedNewest(events: readonly Event[], minAmount: bigint): Event | undefined {
  return events
    .filter(({ amount }) => amount >= minAmount)
    .reduce<Event | undefined>((a, b) => (a && a.timestamp > b.timestamp ? a : b), undefined);
}

/** The newest of all least amounts, each once. */
function expectedRows(events: readonly Event[]) {
  const amounts = [...new Set(events.map(({ amount }) => amount))].sort((a, b) => (a > b ? -1 : 1));
  const newest = amounts.map((amount) => expectedNewest(events, amount)!);
  return newest.filter((event, i) => event !== newest[i + 1]);
}

const LARGEST = 40n;
const anyEvent = fc.record({
  amount: fc.oneof(fc.bigInt(0n, LARGEST), fc.bigInt(0n, 3n)),
  /** chains have clocks of their own */
  later: fc.oneof({ weight: 4, arbitrary: fc.bigInt(0n, 2n) }, { weight: 1, arbitrary: fc.bigInt(-30n, 0n) }),
  isFalling: fc.boolean(),
  endsCommit: fc.boolean(),
});

/** Amounts often fall, so that many activities are kept. */
function eventsOf(drawn: readonly { amount: bigint; later: bigint; isFalling: boolean }[]): Event[] {
  let [clock, last] = [1000n, LARGEST];
  return drawn.map(({ amount, later, isFalling }, i) => {
    if (later > 0n) clock += later;
    last = isFalling && last > 0n ? last - 1n : amount;
    return { amount: last, timestamp: later < 0n ? clock + later : clock, utxoId: (i + 1).toString(16).padStart(64, "0") };
  });
}

test("the newest activity of any least amount is that of all activities, in whichever commits they come", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { minLength: 1, maxLength: 150, size: "max" }), async (drawn) => {
      const events = eventsOf(drawn);
      await withGroup(async (group) => {
        let begin = 0;
        for (const [i, { endsCommit }] of drawn.entries()) {
          if (!endsCommit && i + 1 < drawn.length) continue;
          await group.commit(events.slice(begin, i + 1));
          begin = i + 1;
          expect(await group.rows()).toEqual(expectedRows(events.slice(0, begin)).map((event) => ({ ...event, isConsumed: false })));
        }
        for (let least = 0n; least <= LARGEST + 1n; least++) {
          expect((await group.newest(least))?.utxoId).toBe(expectedNewest(events, least)?.utxoId);
        }
      });
    }),
    { numRuns: sized({ whole: 200, share: 30 }) },
  );
});

test("late activities read what they replace, not all that is kept", async () => {
  const COUNT = 3000;
  const fallen = Array.from({ length: COUNT }, (_, i) => event(BigInt(COUNT - i), BigInt(1000 + 10 * i)));
  await withGroup(async (group) => {
    await group.commit(fallen);
    expect(group.reads).toBe(0);
    const late = Array.from({ length: 20 }, (_, i) => event(BigInt(COUNT - 100 * i), BigInt(1000 + 1000 * i + 15)));
    for (const one of late) await group.commit([one]);
    await group.commit(late.map(({ amount, timestamp }) => event(amount, timestamp + 10n)));
    // of each, two that it replaces, a page beside them, and what is next in size
    expect(group.reads).toBeLessThan(40 * 80);
    expect((await group.rows()).length).toBeGreaterThan(COUNT - 200);
    const before = group.reads;
    await group.commit([event(BigInt(COUNT), 10_000_000n), event(5n, 10_000_001n)]);
    expect(await group.rows()).toHaveLength(2);
    expect(group.reads - before).toBeLessThan(COUNT + 200);
  });
});

test("an answer reads one row beside the group's own", async () => {
  await withGroup(async (group) => {
    await group.commit(Array.from({ length: 1000 }, (_, i) => event(BigInt(1000 - i), BigInt(i))));
    for (const [least, rows] of [
      [0n, 1],
      [BigInt(RECENT), 1],
      [BigInt(RECENT + 1), 2],
      [1000n, 2],
      [1001n, 1],
      [2n ** 70n, 0],
    ] as const) {
      const reader = new CountingReader(group.store);
      const found = await newestActivity(reader, P_CHAIN, [GROUP], least);
      expect(found?.amount).toBe(least > 1000n ? undefined : least === 0n ? 1n : least);
      expect(reader.rows).toBe(rows);
    }
  });
});

function event(amount: bigint, timestamp: bigint): Event {
  return { amount, timestamp, utxoId: (amount * 2n ** 64n + timestamp).toString(16).padStart(64, "0") };
}
