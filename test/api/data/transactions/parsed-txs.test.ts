/** Parsed transactions that are kept: what they save, and that they take a bounded share of memory. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ParsedTxs } from "../../../../src/api/data/transactions/loaded.ts";
import { PLATFORM_CHAIN_ID } from "../../../../src/base/bytes/id.ts";
import { CacheSpace } from "../../../../src/base/collections/bounded-cache.ts";
import { type StoredTx, storedInBlock, storedWhole } from "../../../../src/base/table/table.ts";
import { View } from "../../../../src/base/table/view.ts";
import { blocks } from "../../../../src/index/tables.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { someId } from "../../../index/primary/transactions/transaction-world.ts";

const directory = mkdtempSync(join(tmpdir(), "firn-parsed-txs-"));
const HEIGHT = 7n;
let store: Store;

/** With codec version and type. */
function txOf(content: number, size: number): Buffer {
  return Buffer.concat([Buffer.alloc(6), Buffer.alloc(size, content)]);
}

const inBlock = [txOf(1, 40), txOf(2, 60)];
const block = Buffer.concat([Buffer.alloc(3), ...inBlock.map((tx) => tx.subarray(2))]);
const [first, second] = inBlock as [Buffer, Buffer];
const rows: ({ height: bigint } & StoredTx)[] = [
  { height: HEIGHT, ...storedInBlock(first, 3) },
  { height: HEIGHT, ...storedInBlock(second, 3 + first.length - 2) },
  { height: 0n, ...storedWhole(txOf(3, 10)) },
];
const ids = ["one", "two", "three"].map(someId);

beforeAll(async () => {
  store = await openStore({ directory, mode: "write", isTemporary: true });
  const view = new View();
  const empty = Buffer.alloc(0);
  const row = { blockId: someId("block"), containerId: someId("block"), head: empty, bytes: block, tail: empty, acceptedAt: 0n };
  view.put(blocks, { chainId: PLATFORM_CHAIN_ID, height: HEIGHT }, row);
  await store.commit(view.drain());
});

afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Notes what is parsed. */
function parser() {
  const parsed: Buffer[] = [];
  const parse = (bytes: Uint8Array) => {
    parsed.push(Buffer.from(bytes));
    return { bytes };
  };
  return { parsed, parse };
}

describe("Parsed transactions", () => {
  test("cost their block's row once, and none while they are kept", async () => {
    const reader = new CountingReader(store);
    const { parsed, parse } = parser();
    const txs = new ParsedTxs(new CacheSpace(2 ** 20));
    const source = { reader, chainId: PLATFORM_CHAIN_ID, parse };
    const found = await txs.of([ids[0]!, someId("unknown"), ids[1]!, ids[2]!], [rows[0], undefined, rows[1], rows[2]], source);
    expect(found.map((tx) => tx?.bytes)).toEqual([first, undefined, second, txOf(3, 10)]);
    expect(reader.reads).toBe(1);
    expect(await txs.of(ids, rows, source)).toEqual([found[0], found[2], found[3]]);
    expect(reader.reads).toBe(1);
    expect(parsed).toEqual([first, second, txOf(3, 10)]);
  });

  test("that a state lacks are not taken from those of another one", async () => {
    const { parse } = parser();
    const txs = new ParsedTxs(new CacheSpace(2 ** 20));
    const source = { reader: store, chainId: PLATFORM_CHAIN_ID, parse };
    await txs.of(ids, rows, source);
    expect(await txs.of(ids, [undefined, undefined, undefined], source)).toEqual([undefined, undefined, undefined]);
  });

  test("are dropped when others have taken their memory", async () => {
    const { parsed, parse } = parser();
    const space = 8 * 2 ** 20;
    const txs = new ParsedTxs(new CacheSpace(space));
    const source = { reader: store, chainId: PLATFORM_CHAIN_ID, parse };
    await txs.of(ids, rows, source);
    // each takes 2 MiB
    const large = space / 2 ** 20;
    for (let i = 0; i < large; i++) await txs.of([someId(`large ${i}`)], [{ height: 0n, ...storedWhole(txOf(4, 256 * 1024)) }], source);
    await txs.of(ids.slice(0, 1), rows.slice(0, 1), source);
    expect(parsed).toHaveLength(ids.length + large + 1);
  });
});
