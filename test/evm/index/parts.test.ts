import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeAll, encodeAll } from "../../../src/base/codec/codec.ts";
import { type Internal, KINDS, type Transfer } from "../../../src/evm/facts.ts";
import { ascending, blockEntries, postings, readEntries, windowOf } from "../../../src/evm/index/postings.ts";
import {
  INTERNAL_TYPES,
  internalParts,
  PART_ITEMS,
  readInternals,
  readTransfers,
  transferParts,
} from "../../../src/evm/index/read-parts.ts";

const address = fc.constantFrom(...["00", "a1", "a2", "a3", "a4", "a5"].map((byte) => byte.repeat(20)));
const native = fc.record({ from: address, to: address });
const uint256 = fc.oneof(fc.constantFrom(0n, 1n, 2n ** 256n - 1n), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }));
const u64 = fc.oneof(fc.constantFrom(0n, 2n ** 49n - 1n, 2n ** 49n, 2n ** 64n - 1n), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));
const u32 = fc.nat({ max: 2 ** 32 - 1 });

const transfer: fc.Arbitrary<Transfer> = fc.record({
  kind: fc.constantFrom(...KINDS),
  token: address,
  from: address,
  to: address,
  tokenId: uint256,
  value: uint256,
  logIndex: u32,
  batchIndex: u32,
});
const internal: fc.Arbitrary<Internal> = fc.record({
  type: fc.constantFrom(...INTERNAL_TYPES),
  from: address,
  to: address,
  value: uint256,
  isReverted: fc.boolean(),
  gasLimit: u64,
  gasUsed: u64,
});
const long = { maxLength: 3 * PART_ITEMS + 1 };

/** kind, three new addresses, two numbers of 256 bits, two of 32 bits */
const LARGEST_TRANSFER = 1 + 3 * 21 + 2 * 33 + 2 * 5;

test("Parts hold the transfers and internal transactions that they were made from, in pieces of bounded size", () => {
  fc.assert(
    fc.property(fc.array(transfer, long), fc.array(internal, long), native, (transfers, internals, parties) => {
      const parts = transferParts(transfers, parties);
      expect(parts).toHaveLength(Math.max(1, Math.ceil(transfers.length / PART_ITEMS)));
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(PART_ITEMS * LARGEST_TRANSFER);
      expect(parts.flatMap((part) => readTransfers(part, parties))).toEqual(transfers);
      expect(internalParts(internals, parties).flatMap((part) => readInternals(part, parties))).toEqual(internals);
    }),
  );
});

test("A part that names what it does not have is refused", () => {
  const parties = { from: "a1".repeat(20), to: "a2".repeat(20) };
  expect(() => readTransfers(Uint8Array.of(3), parties)).toThrow(/refers to number 3 of 3/);
  expect(() => readTransfers(Uint8Array.of(0, 4), parties)).toThrow(/refers to number 3 of 3/);
  expect(() => readInternals(Uint8Array.of(0, 1), parties)).toThrow(/short/);
});

const rising = fc.uniqueArray(fc.nat({ max: 100_000 }), { maxLength: 40 }).map((values) => values.sort((a, b) => a - b));

test("Lists of a block's transactions hold what they were made from", () => {
  const part = fc.nat({ max: 2000 });
  const parts = fc.option(
    fc.uniqueArray(fc.record({ part, kinds: fc.nat({ max: 14 }) }), { selector: (each) => each.part, minLength: 1, maxLength: 9 }),
    { nil: undefined },
  );
  fc.assert(
    fc.property(rising, fc.func(parts), (indexes, partsOf) => {
      const listed = indexes.map((index) => {
        const own = partsOf(index)?.toSorted((a, b) => a.part - b.part);
        return own === undefined ? { index } : { index, parts: own };
      });
      expect(decodeAll(postings, encodeAll(postings, listed))).toEqual(listed);
      expect(decodeAll(ascending, encodeAll(ascending, indexes))).toEqual(indexes);
    }),
  );
});

test("A window's row has the entries of each of its blocks", () => {
  const heights = fc.uniqueArray(fc.nat({ max: Number(windowSize()) - 1 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 40n }), heights, fc.func(rising), (window, offsets, indexesOf) => {
      let entries: Uint8Array = new Uint8Array();
      const wanted = offsets
        .sort((a, b) => a - b)
        .flatMap((offset) => {
          const height = window * windowSize() + BigInt(offset);
          expect(windowOf(height)).toBe(window);
          const parts = indexesOf(offset).flatMap((index) => (index % 3 === 0 ? [0, 1, 5] : [index % 2]).map((part) => ({ index, part })));
          if (parts.length > 0) entries = Buffer.concat([entries, blockEntries(height, parts)]);
          return parts.map((part) => ({ height, ...part }));
        });
      expect(readEntries(window, entries)).toEqual(wanted);
    }),
  );
});

/** in blocks */
function windowSize(): bigint {
  let height = 1n;
  while (windowOf(height) === 0n) height++;
  return height;
}
