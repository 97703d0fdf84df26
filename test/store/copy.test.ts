/** What `copyRows` has in memory, and what one of its commits writes: `test/cli/copy.test.ts` has the rest. */
import { expect, test } from "vitest";
import { EMPTY_ID } from "../../src/base/bytes/id.ts";
import { bytes, u32 } from "../../src/base/codec/codec.ts";
import { type Change, type Table, table } from "../../src/base/table/table.ts";
import { copyRows } from "../../src/store/copy.ts";
import { rowBytes, rowCount } from "../../src/store/encoded-rows.ts";
import { formatChange } from "../../src/store/format.ts";
import type { Store } from "../../src/store/store.ts";
import { withScratchStore } from "./scratch-store.ts";

const pictures = table({ id: 60_110, name: "pictures", key: { number: u32 }, value: { pixels: bytes } });
const MIB = 1 << 20;
const network = { networkId: 7, genesisId: EMPTY_ID };

const picture = (number: number, size: number): Change =>
  ({ table: pictures, key: { number }, value: { pixels: Buffer.alloc(size, number) } }) as Change;

/** The most that one read of `store` gave, and one commit wrote. */
interface Most {
  readBytes: number;
  commitBytes: number;
  commitRows: number;
}

function watched(store: Store, most: Most): Store {
  const scan: Store["scan"] = async (from, range) => {
    const rows = await store.scan(from, range);
    if ((from as Table) === pictures) {
      const read = rows.reduce((sum, { value }) => sum + (value as unknown as { pixels: Buffer }).pixels.length, 0);
      most.readBytes = Math.max(most.readBytes, read);
    }
    return rows;
  };
  const commit: Store["commit"] = async (changes, encoded = []) => {
    await store.commit(changes, encoded);
    most.commitRows = Math.max(
      most.commitRows,
      encoded.reduce((sum, part) => sum + rowCount(part), changes.length),
    );
    most.commitBytes = Math.max(
      most.commitBytes,
      encoded.reduce((sum, part) => sum + rowBytes(part), 0),
    );
  };
  const clear: Store["clear"] = () => Promise.reject(new Error("all rows of a table in one commit"));
  return { scan, commit, clear, get: store.get.bind(store) } as Store;
}

const copied = (from: Store, to: Store) =>
  copyRows({ from, to, tables: [pictures], onStep: () => {}, signal: new AbortController().signal });

test("long rows after short ones are read and written a few at a time", () =>
  withScratchStore((from) =>
    withScratchStore(async (to) => {
      const most: Most = { readBytes: 0, commitBytes: 0, commitRows: 0 };
      await from.commit([formatChange(network), ...Array.from({ length: 5000 }, (_, i) => picture(i, 100))]);
      for (let i = 5000; i < 5030; i++) await from.commit([picture(i, MIB)]);
      expect(await copied(watched(from, most), watched(to, most))).toBe(true);
      expect(await to.scan(pictures, { limit: 10_000 })).toHaveLength(5030);
      expect(most.readBytes).toBeLessThanOrEqual(5 * MIB);
      expect(most.readBytes).toBeGreaterThan(3 * MIB);
      expect(most.commitBytes).toBeLessThan(13 * MIB);
    }),
  ));

test("a table that differs is removed in commits of bounded size, and again if that was interrupted", () =>
  withScratchStore((from) =>
    withScratchStore(async (to) => {
      const most: Most = { readBytes: 0, commitBytes: 0, commitRows: 0 };
      const all = Array.from({ length: 50_000 }, (_, i) => picture(i, 8));
      await from.commit([formatChange(network), ...all]);
      const format = formatChange(network, 0xff_ff_ff_ff);
      // another row than the source has now: an unfinished copy of what it had
      await to.commit([format, picture(0, 9), ...all.slice(1)]);
      const target = watched(to, most);
      const failing: Store = {
        ...target,
        async commit(changes, encoded) {
          if (changes[0]?.value === undefined && (await to.scan(pictures, { limit: 1, from: { number: 25_000 } })).length === 0)
            throw new Error("killed");
          await target.commit(changes, encoded);
        },
      };
      await expect(copied(from, failing)).rejects.toThrow("killed");
      expect(await copied(from, target)).toBe(true);
      expect(await to.get(pictures, { number: 0 })).toEqual({ pixels: Buffer.alloc(8, 0) });
      expect(await to.scan(pictures, { limit: 100_000 })).toHaveLength(50_000);
      expect(most.commitRows).toBeLessThan(25_000);
    }),
  ));
