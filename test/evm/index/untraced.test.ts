import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBlock } from "../../../src/evm/decode/decode-block.ts";
import { readTransfers } from "../../../src/evm/index/read-parts.ts";
import { evmTransactions, evmUntraced } from "../../../src/evm/index/tables.ts";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { classOf, intendedChain, makeChain } from "../decode/intents.ts";
import { CHAIN, IndexedRows } from "./indexed-rows.ts";

/** The block's facts if the traces of these transactions are missing. */
function without(block: EvmBlock, untraced: readonly number[]): EvmBlock {
  const transactions = block.transactions.map((each) => (untraced.includes(each.index) ? { ...each, frames: [] } : each));
  return { ...block, transactions, untraced };
}

function fill(indexed: IndexedRows, block: EvmBlock, indexes: readonly number[]): boolean {
  const facts = decodeBlock(block, classOf);
  const filled = new Map(
    indexes.map((index) => {
      const row = indexed.rows.get(evmTransactions, { chain: CHAIN, height: block.height, index })!;
      return [index, { row, transfers: readTransfers(row.transferPart, row) }] as const;
    }),
  );
  indexed.rows.prefetch(indexed.view, indexed.index.fillKeys(facts, filled));
  indexed.rows.prefetch(indexed.view, indexed.index.fillKeysNext(facts, filled));
  const isFilled = indexed.index.fill(facts, filled);
  indexed.commit();
  return isFilled;
}

const untracedParts = fc.record({ chain: intendedChain, lost: fc.func(fc.boolean()), order: fc.func(fc.integer()) });

test("Traces that are filled in later, in any order, leave the rows of an index that had them at once", () => {
  fc.assert(
    fc.property(untracedParts, ({ chain, lost, order }) => {
      const blocks = makeChain(chain);
      const holes = blocks.flatMap((block) => {
        const untraced = block.transactions.flatMap(({ index }) => (lost(block.height, index) ? [index] : []));
        return untraced.map((index) => ({ block, index }));
      });
      const indexed = new IndexedRows({ maxReorgDepth: 0 });
      const lostOf = (block: EvmBlock) => holes.filter((hole) => hole.block === block).map(({ index }) => index);
      indexed.add(
        blocks.map((block) => without(block, lostOf(block))),
        { recordsUndo: false },
      );
      expect([...indexed.rows.all(evmUntraced)]).toHaveLength(holes.length);
      const shuffled = holes.toSorted((a, b) => order(a.block.height, a.index) - order(b.block.height, b.index));
      for (const { block, index } of shuffled) expect(fill(indexed, block, [index])).toBe(true);
      const fresh = new IndexedRows({ maxReorgDepth: 0 });
      fresh.add(blocks, { recordsUndo: false });
      expect(indexed.dump()).toEqual(fresh.dump());
    }),
    { numRuns: 80 },
  );
});

const someIntended = fc.array(intendedChain, { minLength: 1 }).map((chains) => chains.flat());

test("Blocks without traces are undone like others, and nothing is filled in that a reorganisation may undo", () => {
  fc.assert(
    fc.property(someIntended, fc.nat(), (intended, random) => {
      const blocks = makeChain(intended);
      const kept = 1 + (random % blocks.length);
      const indexed = new IndexedRows({ maxReorgDepth: 100 });
      const untraced = (block: EvmBlock) =>
        without(
          block,
          block.transactions.map(({ index }) => index),
        );
      indexed.add(blocks.slice(0, kept).map(untraced));
      const before = indexed.dump();
      indexed.add(blocks.slice(kept).map(untraced));
      for (const block of blocks) {
        for (const { index } of block.transactions) expect(fill(indexed, block, [index])).toBe(false);
      }
      indexed.undoTo(BigInt(kept) - 1n);
      indexed.commit();
      expect(indexed.dump()).toEqual(before);
    }),
    { numRuns: 40 },
  );
});
