/** Every accepted transaction of recorded networks is read back by its ID, from whichever kind of block, vertex or genesis has it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256Hex } from "../../src/base/bytes/hash.ts";
import { PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { assetChains, assetTxs } from "../../src/chains/asset/tables.ts";
import { platformTxs } from "../../src/chains/platform/tables.ts";
import { bytesOf, readAssetTxs, readPlatformTxs } from "../../src/index/stored-txs.ts";
import { openStore } from "../../src/store/open.ts";
import { type StoreReader, scanAll } from "../../src/store/store.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { CountingReader } from "./counting-reader.ts";

const VERSION_AND_TYPE_ID = 6;

async function withStore(name: "latest-1" | "eras-1" | "x-dag", use: (store: StoreReader) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "firn-stored-txs-"));
  try {
    await importUntil(recordingFolder(name), directory, {}, "replay");
    const store = await openStore({ directory, mode: "read" });
    await use(store).finally(() => store.close());
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test.each(["latest-1", "eras-1", "x-dag"] as const)("%s: a transaction's bytes hash to its ID and begin with its type", async (name) => {
  await withStore(name, async (store) => {
    const chainIds = new Map<number, string>();
    for await (const { key, value } of scanAll(store, assetChains)) chainIds.set(key.chain, value.chainId);
    let inBlocks = 0;
    const hold = async (txId: string, chainId: string, row: Parameters<typeof bytesOf>[2]) => {
      const bytes = await bytesOf(store, chainId, row);
      expect(sha256Hex(bytes)).toBe(txId);
      expect(Buffer.from(bytes).readUInt32BE(VERSION_AND_TYPE_ID - 4)).toBe(row.typeId);
      if (row.size > 0) inBlocks++;
    };
    for await (const { key, value } of scanAll(store, platformTxs)) await hold(key.txId, PLATFORM_CHAIN_ID, value);
    for await (const { key, value } of scanAll(store, assetTxs)) await hold(key.txId, chainIds.get(key.chain)!, value);
    expect(inBlocks).toBeGreaterThan(0);
  });
});

test("transactions of one block cost the block's row once, and unknown ones only their own", async () => {
  await withStore("latest-1", async (store) => {
    const ofHeight = new Map<bigint, string[]>();
    for await (const { key, value } of scanAll(store, assetTxs)) {
      if (key.chain === 0 && value.size > 0) ofHeight.set(value.height, [...(ofHeight.get(value.height) ?? []), key.txId]);
    }
    const together = [...ofHeight.values()].find(({ length }) => length > 1)!;
    const { chainId } = (await store.get(assetChains, { chain: 0 }))!;
    const reader = new CountingReader(store);
    const unknown = "ee".repeat(32);
    const txs = await readAssetTxs(reader, { chain: 0, chainId }, [...together, unknown]);
    expect(txs.map((tx) => tx && sha256Hex(tx.bytes))).toEqual([...together, undefined]);
    expect(reader.reads).toBe(together.length + 1 + 1);
    expect(await readPlatformTxs(reader, [unknown])).toEqual([undefined]);
  });
});
