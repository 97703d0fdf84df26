/** Metrics of generated chains, whose blocks are seconds to months apart, against counts over all blocks. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBlock } from "../../../src/evm/decode/decode-block.ts";
import { ROLLING_HOURS } from "../../../src/evm/index/metric-rows.ts";
import { evmMetrics } from "../../../src/evm/index/metric-tables.ts";
import { readTransfers } from "../../../src/evm/index/read-parts.ts";
import { evmTransactions } from "../../../src/evm/index/tables.ts";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { classOf, type IntendedBlock, intendedBlock, makeBlock, makeChain, PEOPLE, TOKENS } from "../decode/intents.ts";
import { CHAIN, IndexedRows } from "./indexed-rows.ts";

const [HOUR, DAY] = [3600, 86_400];

/** Milliseconds from one block to the next. */
const step = fc.oneof(
  fc.constantFrom(0, 1000, HOUR * 1000, DAY * 1000, 7 * DAY * 1000 - HOUR * 1000, 7 * DAY * 1000, 31 * DAY * 1000),
  fc.integer({ min: 1, max: 3 * HOUR * 1000 }),
  fc.integer({ min: 1, max: 60 * DAY * 1000 }),
);

/** One transaction, through which contracts create others. */
const creatingBlock: fc.Arbitrary<IntendedBlock> = fc
  .array(fc.constantFrom(...PEOPLE.slice(0, 3)), { minLength: 1, maxLength: 2 })
  .map((factories) => [
    {
      from: PEOPLE[3]!,
      to: PEOPLE[0]!,
      isSuccess: true,
      inputLength: 0,
      intents: factories.map((from) => ({ kind: "frame", type: "CREATE", from, to: TOKENS.plain, value: 0n, isReverted: false })),
    },
  ]);

const timedChain = fc
  .record({
    blocks: fc.array(fc.record({ intended: fc.oneof(intendedBlock, creatingBlock), step }), { minLength: 1, maxLength: 14 }),
    first: fc.integer({ min: 0, max: 1_800_000_000_000 }),
    hasMilliseconds: fc.boolean(),
  })
  .map(({ blocks, first, hasMilliseconds }) => {
    let at = first;
    return makeChain(blocks.map(({ intended }) => intended)).map((block, i) => {
      at += blocks[i]!.step;
      const milliseconds = BigInt(hasMilliseconds ? at : at - (at % 1000));
      return { ...block, timestamp: milliseconds / 1000n, timestampMilliseconds: hasMilliseconds ? milliseconds : undefined };
    });
  });

/** Where the interval begins, by the calendar. */
function startOf(interval: number, { timestamp }: EvmBlock): number {
  const date = new Date(Number(timestamp) * 1000);
  if (interval === 3) date.setUTCDate(1);
  // 1970 began on a Thursday: the week of its first days began before
  if (interval === 2) date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  date.setUTCHours(interval === 0 ? date.getUTCHours() : 0, 0, 0, 0);
  return Math.max(0, date.getTime() / 1000);
}

function timeOf({ timestamp, timestampMilliseconds }: EvmBlock): bigint {
  return timestampMilliseconds ?? timestamp * 1000n;
}

const factsOf = (block: EvmBlock) => decodeBlock(block, classOf);

function seenIn(blocks: readonly EvmBlock[]): Set<string> {
  const parties = blocks.flatMap((block) =>
    factsOf(block).transactions.flatMap(({ transaction: { from, to }, transfers }) => [
      from,
      ...(to === undefined ? [] : [to]),
      ...transfers.flatMap((each) => [each.from, each.to]),
    ]),
  );
  return new Set(parties);
}

function sendersIn(blocks: readonly EvmBlock[]): Set<string> {
  const senders = blocks.flatMap((block) =>
    factsOf(block).transactions.flatMap(({ transaction, transfers }) => [transaction.from, ...transfers.map(({ from }) => from)]),
  );
  return new Set(senders);
}

function creationsIn(blocks: readonly EvmBlock[]): string[] {
  return blocks.flatMap((block) =>
    factsOf(block).transactions.flatMap(({ deployments }) => deployments.map(({ deployer, factory }) => factory ?? deployer)),
  );
}

const missingFrom = (all: Set<string>, others: Set<string>) => [...all].filter((each) => !others.has(each)).length;
const most = (values: readonly bigint[]) => values.reduce((a, b) => (a > b ? a : b), 0n);
const sum = (values: readonly bigint[]) => values.reduce((a, b) => a + b, 0n);

/** The rows of a chain whose block 0 counts nothing, by name. */
function countedAnew(chain: readonly EvmBlock[]): Map<string, object> {
  const rows = new Map<string, object>();
  const counted = chain.slice(1);
  for (const interval of [0, 1, 2, 3]) {
    for (const start of new Set(counted.map((block) => startOf(interval, block)))) {
      const within = counted.filter((block) => startOf(interval, block) === start);
      const [before, after] = [
        counted.filter((block) => startOf(interval, block) < start),
        counted.filter((block) => startOf(interval, block) > start),
      ];
      const transactions = within.flatMap((block) => block.transactions);
      const gaps = within.flatMap((block) => {
        const previous = chain[Number(block.height) - 1]!;
        return previous.height === 0n ? [] : [{ block, gap: timeOf(block) - timeOf(previous) }];
      });
      const rate = (amountOf: (block: EvmBlock) => bigint) =>
        most(gaps.map(({ block, gap }) => (amountOf(block) * 1_000_000_000n) / (gap || 1000n)));
      const gasIn = (block: EvmBlock) => sum(block.transactions.map(({ gasUsed }) => gasUsed));
      const creators = new Set(creationsIn(within));
      rows.set(`${interval} ${start}`, {
        transactions: BigInt(transactions.length),
        gasUsed: sum(transactions.map(({ gasUsed }) => gasUsed)),
        feesPaid: sum(transactions.map(({ gasUsed, gasPrice }) => gasUsed * gasPrice)),
        gasPrices: sum(transactions.map(({ gasPrice }) => gasPrice)),
        maxGasPrice: most(transactions.map(({ gasPrice }) => gasPrice)),
        milliseconds: sum(gaps.map(({ gap }) => gap)),
        maxTps: rate((block) => BigInt(block.transactions.length)),
        maxGps: rate(gasIn),
        contracts: BigInt(creationsIn(within).length),
        addresses: BigInt(seenIn(within).size),
        senders: BigInt(sendersIn(within).size),
        deployers: BigInt(creators.size),
        newAddresses: BigInt(missingFrom(seenIn(within), seenIn(before))),
        newDeployers: BigInt(missingFrom(creators, new Set(creationsIn(before)))),
        ...(interval === 0 && {
          lastAddresses: BigInt(missingFrom(seenIn(within), seenIn(after))),
          lastSenders: BigInt(missingFrom(sendersIn(within), sendersIn(after))),
        }),
        lastDeployers: BigInt(missingFrom(creators, new Set(creationsIn(after)))),
      });
    }
  }
  return rows;
}

/** As the index has them; without counts that are right for a week only where they are older, or not of hours. */
function countedIn(indexed: IndexedRows, chain: readonly EvmBlock[]): Map<string, object> {
  const newest = Math.floor(Number(chain.at(-1)!.timestamp) / HOUR);
  const rows = [...indexed.rows.all(evmMetrics)].map(({ key: { interval, start }, value }): [string, object] => {
    const { lastAddresses, lastSenders, ...kept } = value;
    return [`${interval} ${start}`, interval === 0 && isOfWeek(Number(start), newest) ? { ...kept, lastAddresses, lastSenders } : kept];
  });
  return new Map(rows);
}

function isOfWeek(start: number, newestHour: number): boolean {
  return start / HOUR > newestHour - ROLLING_HOURS;
}

function expected(chain: readonly EvmBlock[]): Map<string, object> {
  const newest = Math.floor(Number(chain.at(-1)!.timestamp) / HOUR);
  const rows = [...countedAnew(chain)].map(([name, row]): [string, object] => {
    const [interval, start] = name.split(" ").map(Number);
    const { lastAddresses: _, lastSenders: __, ...kept } = row as Record<string, unknown>;
    return [name, interval === 0 && isOfWeek(start!, newest) ? row : kept];
  });
  return new Map(rows);
}

test("Each interval has what its blocks have, however they were indexed and undone", () => {
  fc.assert(
    fc.property(timedChain, fc.nat(), fc.boolean(), fc.boolean(), (chain, random, isOneCommit, isPrepared) => {
      const kept = 1 + (random % chain.length);
      const indexed = new IndexedRows({ maxReorgDepth: 100 });
      if (isOneCommit) indexed.add(chain);
      else for (const block of chain) indexed.add([block]);
      expect(countedIn(indexed, chain)).toEqual(expected(chain));
      indexed.undoTo(BigInt(kept) - 1n);
      indexed.commit();
      expect(countedIn(indexed, chain.slice(0, kept))).toEqual(expected(chain.slice(0, kept)));
      for (const block of chain.slice(kept)) {
        if (isPrepared) indexed.projectPrepared(block);
        else indexed.project(block);
      }
      indexed.commit();
      expect(countedIn(indexed, chain)).toEqual(expected(chain));
    }),
    { numRuns: 60 },
  );
});

test("Another branch is counted as if the replaced one had never been", () => {
  fc.assert(
    fc.property(timedChain, fc.array(intendedBlock, { minLength: 1, maxLength: 4 }), fc.nat(), (chain, other, random) => {
      const forkAt = random % chain.length;
      const made = chain.slice(0, forkAt + 1);
      for (const block of other) {
        const { height, hash, timestamp } = made.at(-1)!;
        made.push({
          ...makeBlock(height + 1n, block, { branch: "other", parentHash: hash }),
          timestamp: timestamp + BigInt(random % 9000),
        });
      }
      const indexed = new IndexedRows({ maxReorgDepth: 100 });
      indexed.add(chain);
      indexed.undoTo(BigInt(forkAt));
      indexed.add(made.slice(forkAt + 1));
      expect(countedIn(indexed, made)).toEqual(expected(made));
    }),
    { numRuns: 60 },
  );
});

test("Call traces that come later, in any order, add the contracts that they show", () => {
  fc.assert(
    fc.property(timedChain, fc.func(fc.boolean()), fc.func(fc.integer()), (chain, lost, order) => {
      const holes = chain.flatMap((block) =>
        block.transactions.flatMap(({ index }) => (lost(block.height, index) ? [{ block, index }] : [])),
      );
      const indexed = new IndexedRows({ maxReorgDepth: 0 });
      const without = (block: EvmBlock): EvmBlock => {
        const untraced = holes.filter((hole) => hole.block === block).map(({ index }) => index);
        const transactions = block.transactions.map((each) => (untraced.includes(each.index) ? { ...each, frames: [] } : each));
        return { ...block, transactions, untraced };
      };
      indexed.add(chain.map(without), { recordsUndo: false });
      expect(countedIn(indexed, chain)).toEqual(expected(chain.map(without)));
      for (const { block, index } of holes.toSorted((a, b) => order(a.block.height, a.index) - order(b.block.height, b.index))) {
        const row = indexed.rows.get(evmTransactions, { chain: CHAIN, height: block.height, index })!;
        const filled = new Map([[index, { row, transfers: readTransfers(row.transferPart, row) }]]);
        indexed.rows.prefetch(indexed.view, indexed.index.fillKeys(factsOf(block), filled));
        indexed.rows.prefetch(indexed.view, indexed.index.fillKeysNext(factsOf(block), filled));
        indexed.index.fill(factsOf(block), filled);
        indexed.commit();
      }
      expect(countedIn(indexed, chain)).toEqual(expected(chain));
    }),
    { numRuns: 60 },
  );
});

test("A chain without metrics has no rows of them, and one that begins later counts from there", () => {
  const [from, to] = PEOPLE;
  const chain = makeChain(Array.from({ length: 5 }, () => [{ from: from!, to, isSuccess: true, inputLength: 0, intents: [] }]));
  const without = new IndexedRows({ hasMetrics: false });
  without.add(chain);
  expect([...without.rows.all(evmMetrics)]).toEqual([]);
  const later = new IndexedRows({ startHeight: 2n });
  later.add(chain.slice(2));
  expect([...later.rows.all(evmMetrics)].map(({ value: { transactions } }) => transactions)).toEqual([3n, 3n, 3n, 3n]);
});
