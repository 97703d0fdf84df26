import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assetUtxos } from "../../src/asset/tables.ts";
import { utxosByAddress } from "../../src/index/tables.ts";
import { EMPTY_ID, EMPTY_SHORT_ID } from "../../src/primitives/id.ts";
import { utxoRank } from "../../src/primitives/utxo-rank.ts";
import { atomicUtxoPage, FIRST_PAGE, nativeUtxoPage, type PageIndex } from "../../src/rpc/utxo-pages.ts";
import { sharedByAddress } from "../../src/shared-memory/tables.ts";
import { MemoryReader } from "./memory-reader.ts";

const id = (n: number) => n.toString(16).padStart(64, "0");
const address = (n: number) => n.toString(16).padStart(40, "0");
const chain = 7;
const [destination, source] = [id(0xd0), id(0x50)];

/** owners: which addresses name which UTXOs, by number */
function readerOf(owners: readonly (readonly [owner: number, utxo: number])[]): MemoryReader {
  const reader = new MemoryReader();
  for (const [owner, utxo] of owners) {
    const bytes = Uint8Array.of(utxo);
    const rank = utxoRank(0n);
    reader.put(utxosByAddress, { chain, address: address(owner), rank, utxoId: id(utxo) }, {});
    reader.put(assetUtxos, { chain: 7, utxoId: id(utxo) }, { bytes, rank });
    reader.put(sharedByAddress, { destination, source, address: address(owner), key: id(utxo) }, { bytes });
  }
  return reader;
}

const ids = (page: { utxos: readonly { utxoId: string }[] }) => page.utxos.map(({ utxoId }) => Number.parseInt(utxoId, 16));

describe("native pages", () => {
  test("several addresses come in their order, a shared UTXO once, with the codec version before its bytes", async () => {
    const reader = readerOf([
      [2, 7],
      [1, 9],
      [1, 3],
      [2, 3],
    ]);
    const page = await nativeUtxoPage(reader, chain, { addresses: [address(2), address(1), address(2)], start: FIRST_PAGE, limit: 10 });
    expect(ids(page)).toEqual([3, 9, 7]);
    expect(page.end).toEqual({ address: address(2), utxoId: id(7) });
    expect([...page.utxos[0]!.bytes]).toEqual([0, 0, 3]);
  });

  test("with no UTXOs the end is the highest address and the empty ID", async () => {
    const page = await nativeUtxoPage(readerOf([]), chain, { addresses: [address(5), address(4)], start: FIRST_PAGE, limit: 1 });
    expect(page).toEqual({ utxos: [], end: { address: address(5), utxoId: EMPTY_ID } });
  });

  test("the last UTXO is carried over to a last address that has none", async () => {
    const page = await nativeUtxoPage(readerOf([[1, 3]]), chain, { addresses: [address(1), address(9)], start: FIRST_PAGE, limit: 5 });
    expect(page.end).toEqual({ address: address(9), utxoId: id(3) });
  });

  test("addresses below the start are skipped; if all are, the end repeats the start", async () => {
    const start = { address: address(8), utxoId: id(1) };
    const page = await nativeUtxoPage(readerOf([[1, 3]]), chain, { addresses: [address(1)], start, limit: 5 });
    expect(page).toEqual({ utxos: [], end: start });
  });

  test("a start that was spent begins at the head of the list again", async () => {
    const reader = readerOf([
      [1, 3],
      [1, 9],
    ]);
    const page = await nativeUtxoPage(reader, chain, {
      addresses: [address(1)],
      start: { address: address(1), utxoId: id(5) },
      limit: 5,
    });
    expect(ids(page)).toEqual([3, 9]);
  });

  test("all pages together are all UTXOs, for any sharing and any limit", async () => {
    const owners = fc.uniqueArray(fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 30 })), { selector: ([a, u]) => `${a} ${u}`, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(owners, fc.integer({ min: 1, max: 9 }), async (rows, limit) => {
        const reader = readerOf(rows.map(([owner, utxo]) => [owner + 1, utxo + 1] as const));
        const addresses = [1, 2, 3, 4, 5].map(address);
        const found = new Set<number>();
        let start: PageIndex = FIRST_PAGE;
        for (;;) {
          const page = await nativeUtxoPage(reader, chain, { addresses, start, limit });
          expect(page.utxos.length).toBeLessThanOrEqual(limit);
          for (const utxo of ids(page)) found.add(utxo);
          if (page.utxos.length < limit) break;
          start = page.end;
        }
        expect([...found].sort()).toEqual([...new Set(rows.map(([, utxo]) => utxo + 1))].sort());
      }),
    );
  });

  test("pages follow each other without a gap, whatever is shared and whichever blocks made it", async () => {
    const utxo = fc.record({ owners: fc.subarray([1, 2, 3, 4], { minLength: 1 }), position: fc.bigInt(0n, 3n) });
    await fc.assert(
      fc.asyncProperty(fc.array(utxo, { maxLength: 40 }), fc.integer({ min: 1, max: 8 }), async (utxos, limit) => {
        const reader = new MemoryReader();
        for (const [n, { owners, position }] of utxos.entries()) {
          const [bytes, rank] = [Uint8Array.of(n), utxoRank(position)];
          reader.put(assetUtxos, { chain: 7, utxoId: id(n + 1) }, { bytes, rank });
          for (const owner of owners) reader.put(utxosByAddress, { chain, address: address(owner), rank, utxoId: id(n + 1) }, {});
        }
        // In plain words: each address's list from the newest block to the oldest, by ID within one, one address after the other
        const listOf = (owner: number) =>
          utxos
            .map(({ owners, position }, n) => ({ n: n + 1, owners, position }))
            .filter(({ owners }) => owners.includes(owner))
            .sort((a, b) => Number(b.position - a.position) || a.n - b.n)
            .map(({ n }) => ({ owner, n }));
        let rest = [1, 2, 3, 4].flatMap(listOf);
        let start: PageIndex = FIRST_PAGE;
        for (;;) {
          const page = await nativeUtxoPage(reader, chain, { addresses: [3, 1, 4, 2, 1].map(address), start, limit });
          const expected = new Set<number>();
          let taken = 0;
          while (taken < rest.length && expected.size < limit) expected.add(rest[taken++]!.n);
          expect(ids(page)).toEqual([...expected]);
          if (expected.size < limit) break;
          const last = rest[taken - 1]!;
          expect(page.end).toEqual({ address: address(last.owner), utxoId: id(last.n) });
          rest = rest.slice(taken);
          start = page.end;
        }
      }),
    );
  });

  test("UTXOs of the newest block come first, and a page goes on behind its start", async () => {
    const reader = new MemoryReader();
    for (const [utxo, position] of [
      [1, 5n],
      [2, 9n],
      [3, 7n],
      [4, 9n],
    ] as const) {
      const [bytes, rank] = [Uint8Array.of(utxo), utxoRank(position)];
      reader.put(utxosByAddress, { chain, address: address(1), rank, utxoId: id(utxo) }, {});
      reader.put(assetUtxos, { chain: 7, utxoId: id(utxo) }, { bytes, rank });
    }
    const page = (start: PageIndex, limit: number) => nativeUtxoPage(reader, chain, { addresses: [address(1)], start, limit });
    const first = await page(FIRST_PAGE, 3);
    expect(ids(first)).toEqual([2, 4, 3]);
    expect(ids(await page(first.end, 3))).toEqual([1]);
  });

  test("a page reads no more than two rows for each UTXO, one per address and two for its start, whatever the address owns", async () => {
    const reader = readerOf(Array.from({ length: 5000 }, (_, i) => [1, i + 1] as const));
    reader.rowsRead = 0;
    await nativeUtxoPage(reader, chain, {
      addresses: [address(1), address(2)],
      start: { address: address(1), utxoId: id(4000) },
      limit: 100,
    });
    expect(reader.rowsRead).toBeLessThanOrEqual(2 * 100 + 2 + 2);
  });
});

describe("atomic pages", () => {
  const reader = readerOf([
    [1, 3],
    [1, 9],
    [2, 9],
  ]);
  const page = (start: PageIndex, limit: number, addresses = [address(1), address(2)]) =>
    atomicUtxoPage(reader, { destination, source }, { addresses, start, limit });

  test("the start comes again on the next page", async () => {
    const first = await page(FIRST_PAGE, 2);
    expect(ids(first)).toEqual([3, 9]);
    expect(ids(await page(first.end, 2))).toEqual([9]);
  });

  test("a page of one never advances", async () => {
    const first = await page(FIRST_PAGE, 1);
    expect(await page(first.end, 1)).toEqual(first);
  });

  test("a last address without UTXOs ends with the empty ID", async () => {
    expect((await page(FIRST_PAGE, 5, [address(1), address(7)])).end).toEqual({ address: address(7), utxoId: EMPTY_ID });
  });

  test("without a start the first address may be the empty one", async () => {
    expect((await page(FIRST_PAGE, 5, [EMPTY_SHORT_ID])).end).toEqual({ address: EMPTY_SHORT_ID, utxoId: EMPTY_ID });
  });
});
