import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { u8, u32 } from "../../src/base/codec/codec.ts";
import { type Change, table } from "../../src/base/table/table.ts";
import { copyStore, openStore } from "../../src/store/open.ts";
import { ReplaceableStore } from "../../src/store/switched-store.ts";
import { storeWriter } from "../../src/store/tables.ts";
import { storeConformance } from "./conformance.ts";
import { scratchDirectory } from "./scratch.ts";

storeConformance({
  name: "replaceable",
  async open() {
    const directory = mkdtempSync(join(tmpdir(), "firn-replaceable-"));
    const store = new ReplaceableStore(await openStore({ directory, mode: "write" }));
    return {
      store,
      async close() {
        await store.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
});

const numbers = table({ id: 1_000, name: "numbers", key: { slot: u8 }, value: { number: u32 } });
const SLOT = { slot: 0 };

function put(number: number): Change[] {
  return [{ table: numbers, key: SLOT, value: { number } } as Change];
}

/** A store that holds 1, and a directory with another that holds 2. */
async function two() {
  const [directory, other] = [scratchDirectory(), scratchDirectory()];
  const store = new ReplaceableStore(await openStore({ directory, mode: "write" }));
  await store.commit(put(2));
  await copyStore(store, other);
  await store.commit(put(1));
  return { store, other };
}

describe("a copy of a store", () => {
  test("holds what was committed when it was made, and is nobody's", async () => {
    const { store, other } = await two();
    const copy = await openStore({ directory: other, mode: "read" });
    expect(await copy.get(numbers, SLOT)).toEqual({ number: 2 });
    expect(await copy.get(storeWriter, SLOT)).toBeUndefined();
    await copy.close();
    const writing = await openStore({ directory: other, mode: "write" });
    await writing.commit(put(3));
    await writing.close();
    expect(await store.get(numbers, SLOT)).toEqual({ number: 1 });
    await store.close();
  });
});

describe("a store that is replaced", () => {
  test("lets those finish who read it, and has those wait who come meanwhile", async () => {
    const { store, other } = await two();
    let finish = () => {};
    const reading = store.snapshot(async (reader) => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return reader.get(numbers, SLOT);
    });
    let isReplaced = false;
    const replacing = store.replace(async (current) => {
      isReplaced = true;
      await current.close();
      return openStore({ directory: other, mode: "write" });
    });
    const later = store.get(numbers, SLOT);
    await new Promise(setImmediate);
    expect(isReplaced).toBe(false);
    finish();
    expect(await reading).toEqual({ number: 1 });
    expect(await later).toEqual({ number: 2 });
    await replacing;
    await store.close();
  });

  test("with nothing refuses everything from then on", async () => {
    const { store } = await two();
    const exchange = store.replace(async (current) => {
      await current.close();
      throw new Error("the other one is gone");
    });
    await expect(exchange).rejects.toThrow("the other one is gone");
    await expect(store.get(numbers, SLOT)).rejects.toThrow("the other one is gone");
  });
});
