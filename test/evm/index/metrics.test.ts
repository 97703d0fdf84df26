/** Metrics of generated chains, whose blocks are seconds to months apart, against counts over all blocks. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ROLLING_HOURS } from "../../../src/evm/index/metric-rows.ts";
import { evmMetrics } from "../../../src/evm/index/metric-tables.ts";
import { readTransfers } from "../../../src/evm/index/read-parts.ts";
import { evmTransactions } from "../../../src/evm/index/tables.ts";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { intendedBlock, makeBlock, makeChain, PEOPLE } from "../decode/intents.ts";
import { CHAIN, IndexedRows } from "./indexed-rows.ts";
import { countedAnew, factsOf, HOUR, timedChain } from "./metrics-oracle.ts";

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
