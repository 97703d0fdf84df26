import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { bytes, u32 } from "../../src/base/codec/codec.ts";
import { type Change, table } from "../../src/base/table/table.ts";
import { encodeRows } from "../../src/store/encoded-rows.ts";
import { openStore } from "../../src/store/open.ts";
import { scratchDirectory } from "./scratch.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const items = table({ id: 1000, name: "items", key: { number: u32 }, value: { text: bytes } });

test("the rows of a large commit do not stay in memory if no other one follows", async () => {
  const store = await openStore({ directory: scratchDirectory(), mode: "write" });
  const commit = async () => {
    const rows = Array.from(
      { length: 1000 },
      (_, number) => ({ table: items, key: { number }, value: { text: Buffer.alloc(1000) } }) as Change,
    );
    const encoded = encodeRows(rows);
    await store.commit([], [encoded]);
    return new WeakRef(encoded.bytes.buffer);
  };
  const kept = await commit();
  await expect
    .poll(() => {
      collect();
      return kept.deref() === undefined;
    })
    .toBe(true);
  await store.close();
});
