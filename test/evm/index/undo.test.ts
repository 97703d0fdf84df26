import fc from "fast-check";
import { expect, test } from "vitest";
import { evmChainStates, evmUndo } from "../../../src/evm/index/tables.ts";
import type { EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { type IntendedBlock, intendedChain, makeBlock, makeChain } from "../decode/intents.ts";
import { CHAIN, IndexedRows } from "./indexed-rows.ts";

/** Blocks of another branch on top of the block at `forkAt`. */
function branchOf(chain: readonly EvmBlock[], forkAt: number, blocks: readonly IntendedBlock[]): EvmBlock[] {
  const made = [chain[forkAt]!];
  for (const block of blocks) {
    const { height, hash } = made.at(-1)!;
    made.push(makeBlock(height + 1n, block, { branch: "other", parentHash: hash }));
  }
  return made.slice(1);
}

test("Undoing blocks leaves every row as it was before them, byte for byte", () => {
  fc.assert(
    fc.property(intendedChain, fc.nat(), fc.boolean(), (intended, random, isOneCommit) => {
      const chain = makeChain(intended);
      const kept = random % (chain.length + 1);
      const indexed = new IndexedRows();
      indexed.add(chain.slice(0, kept));
      const before = indexed.dump();
      if (isOneCommit) indexed.add(chain.slice(kept));
      else for (const block of chain.slice(kept)) indexed.add([block]);
      if (kept < chain.length) indexed.undoTo(BigInt(kept) - 1n);
      indexed.commit();
      const after = indexed.dump();
      // the chain's own row comes with its first block and stays
      after.delete(`evm_chains ${CHAIN}`);
      before.delete(`evm_chains ${CHAIN}`);
      expect(after).toEqual(before);
    }),
    { numRuns: 80 },
  );
});

test("A branch that replaces another in one commit leaves the rows of an index that never saw the other", () => {
  fc.assert(
    fc.property(intendedChain, intendedChain, fc.nat(), (intended, other, random) => {
      const chain = makeChain(intended);
      const forkAt = random % chain.length;
      const branch = branchOf(chain, forkAt, other);
      const reorganised = new IndexedRows();
      reorganised.add(chain);
      reorganised.undoTo(BigInt(forkAt));
      reorganised.add(branch);
      const fresh = new IndexedRows();
      fresh.add([...chain.slice(0, forkAt + 1), ...branch]);
      const [got, wanted] = [reorganised.dump(), fresh.dump()];
      expect(got).toEqual(wanted);
    }),
    { numRuns: 80 },
  );
});

test("Each block that is indexed or undone gives the state a new name", () => {
  const chain = makeChain([[], [], []]);
  const indexed = new IndexedRows();
  const commits = () => indexed.rows.get(evmChainStates, { chain: CHAIN })?.commits;
  indexed.add(chain);
  expect(commits()).toBe(3n);
  indexed.undoTo(0n);
  indexed.commit();
  expect(commits()).toBe(5n);
  indexed.undoTo(-1n);
  expect(indexed.index.tip()).toBeUndefined();
  indexed.add(chain.slice(0, 1));
  expect(commits()).toBe(7n);
});

test("Keeps how to undo as many blocks as a reorganisation may replace, and no more", () => {
  const chain = makeChain(Array.from({ length: 20 }, () => []));
  const indexed = new IndexedRows({ maxReorgDepth: 5 });
  for (const block of chain) indexed.add([block]);
  expect([...indexed.rows.all(evmUndo)].map(({ key }) => Number(key.height))).toEqual([15, 16, 17, 18, 19]);
  indexed.undoTo(14n);
  indexed.commit();
  expect([...indexed.rows.all(evmUndo)]).toEqual([]);
  expect(indexed.rows.get(evmChainStates, { chain: CHAIN })?.height).toBe(14n);
  expect(() => indexed.undoTo(13n)).toThrow(expect.objectContaining({ code: "undo-depth" }));
});

test("Refuses a block that is not the next one, and to undo one that is not the last", () => {
  const [first, second, third] = makeChain([[], [], []]) as [EvmBlock, EvmBlock, EvmBlock];
  const indexed = new IndexedRows();
  expect(() => indexed.add([second])).toThrow(expect.objectContaining({ code: "block-order" }));
  indexed.add([first]);
  expect(() => indexed.add([third])).toThrow(expect.objectContaining({ code: "block-order" }));
  expect(() => indexed.add([{ ...second, parentHash: third.hash }])).toThrow(expect.objectContaining({ code: "block-parent" }));
  indexed.add([second]);
  indexed.rows.prefetch(indexed.view, indexed.index.undoKeys(-1n, 1n));
  expect(() => indexed.index.undo(0n)).toThrow(expect.objectContaining({ code: "undo-order" }));
});

test("Starts at the height that it was told", () => {
  const indexed = new IndexedRows({ startHeight: 7n });
  expect(() => indexed.add([makeBlock(0n, [])])).toThrow(expect.objectContaining({ code: "block-order" }));
  indexed.add([makeBlock(7n, [])]);
  expect(indexed.rows.get(evmChainStates, { chain: CHAIN })?.height).toBe(7n);
});
