import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { EMPTY_ID } from "../../src/base/bytes/id.ts";
import type { Change } from "../../src/base/table/table.ts";
import { EVM_STORE_FORMAT, formatChange, STORE_FORMAT } from "../../src/store/format.ts";
import { LmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import { openStore, rebuildDirectory, swapInRebuilt } from "../../src/store/open.ts";
import { ingestProgress, storeFormat, storeWriter } from "../../src/store/tables.ts";
import { eventually } from "../patience.ts";
import { scratchDirectory } from "./scratch.ts";

const NETWORK = { networkId: 9001, genesisId: "ab".repeat(32) };

async function makeStore(directory: string, ...changes: Change[]): Promise<void> {
  const store = await openStore({ directory, mode: "write" });
  await store.commit(changes);
  await store.close();
}

function progress(nextSequence: bigint): Change {
  return { table: ingestProgress, key: { slot: 0 }, value: { nextSequence, sharedMemoryOperations: 0n } } as Change;
}

describe("opening a store", () => {
  test("refuses the store of another network", async () => {
    const directory = scratchDirectory();
    await makeStore(directory, formatChange(NETWORK));
    const other = { ...NETWORK, networkId: 9002 };
    await expect(openStore({ directory, mode: "write", network: other })).rejects.toMatchObject({ code: "store-network" });
    const sameIdOtherGenesis = { ...NETWORK, genesisId: "cd".repeat(32) };
    await expect(openStore({ directory, mode: "read", network: sameIdOtherGenesis })).rejects.toMatchObject({ code: "store-network" });
    await (await openStore({ directory, mode: "write", network: NETWORK })).close();
  });

  test("names the way out of an older format, and of a newer one", async () => {
    const directory = scratchDirectory();
    const format = (version: number) => ({ table: storeFormat, key: { slot: 0 }, value: { version, ...NETWORK } }) as Change;
    await makeStore(directory, format(STORE_FORMAT - 1));
    await expect(openStore({ directory, mode: "read" })).rejects.toThrow(/firn reindex --data-dir/);
    const store = await openStore({ directory, mode: "write", acceptsOlderFormat: true });
    await store.commit([format(STORE_FORMAT + 1)]);
    await store.close();
    await expect(openStore({ directory, mode: "read" })).rejects.toMatchObject({ code: "store-newer" });
  });

  test("says of an older store without a primary network that its chains must be indexed again", async () => {
    const directory = scratchDirectory();
    const older = { version: EVM_STORE_FORMAT - 1, networkId: 1, genesisId: EMPTY_ID };
    await makeStore(directory, { table: storeFormat, key: { slot: 0 }, value: older } as Change);
    await expect(openStore({ directory, mode: "write" })).rejects.toThrow(
      `has store format ${EVM_STORE_FORMAT - 1}, this version of Firn needs ${EVM_STORE_FORMAT}; it holds only EVM chains, whose blocks Firn does not keep; index them again from their nodes with firn follow and an empty --data-dir`,
    );
    expect(formatChange(older).value).toMatchObject({ version: EVM_STORE_FORMAT });
  });

  test("says that there is no store to read, and makes none", async () => {
    const directory = scratchDirectory();
    await expect(openStore({ directory, mode: "read" })).rejects.toMatchObject({ code: "store-missing" });
    expect(existsSync(`${directory}/store`)).toBe(false);
  });

  test("keeps a second writer out until the first has closed, and lets readers in", async () => {
    const directory = scratchDirectory();
    const first = await openStore({ directory, mode: "write" });
    await expect(openStore({ directory, mode: "write" })).rejects.toMatchObject({
      code: "store-locked",
      facts: { processId: process.pid },
    });
    const reader = await openStore({ directory, mode: "read" });
    await first.commit([progress(7n)]);
    await eventually(async () => (await reader.get(ingestProgress, { slot: 0 }))?.nextSequence === 7n);
    await first.close();
    await (await openStore({ directory, mode: "write" })).close();
    await reader.close();
  });

  test("takes over from a writer that was killed, also if its number now belongs to another process", async () => {
    const directory = scratchDirectory();
    const writer = (processId: number, startedAt: string) =>
      ({ table: storeWriter, key: { slot: 0 }, value: { processId, startedAt } }) as Change;
    for (const dead of [writer(2 ** 31 - 1, "x/1"), writer(process.pid, "an earlier process/0")]) {
      // written past the lease, as a killed process leaves it
      const store = new LmdbStore({ directory: `${directory}/store`, isReadOnly: false });
      await store.commit([dead]);
      await store.close();
      await (await openStore({ directory, mode: "write" })).close();
    }
  });

  test("refuses to grow over its limit, keeps what it has, and says what to do", async () => {
    const directory = scratchDirectory();
    const store = await openStore({ directory, mode: "write", maxBytes: 64 * 1024 });
    const bulk = (slot: number) => ({ table: storeWriter, key: { slot }, value: { processId: 1, startedAt: "x".repeat(8000) } }) as Change;
    let committed = 0;
    const fill = async () => {
      for (let slot = 1; slot < 200; slot++) {
        await store.commit([bulk(slot)]);
        committed++;
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: "store-full", message: expect.stringContaining("--max-store-bytes") });
    expect(await store.scan(storeWriter, { from: { slot: 1 }, limit: 1000 })).toHaveLength(committed);
    expect(await store.availableBytes()).toBe(0n);
    await store.close().catch(() => {});
    const reopened = await openStore({ directory, mode: "read" });
    expect(await reopened.scan(storeWriter, { from: { slot: 1 }, limit: 1000 })).toHaveLength(committed);
    await reopened.close();
  });
});

describe("putting a rebuilt store in place", () => {
  test("leaves the rebuilt rows and nothing of the old store", async () => {
    const directory = scratchDirectory();
    await makeStore(directory, progress(1n));
    await makeStore(rebuildDirectory(directory), progress(2n));
    swapInRebuilt(directory);
    const store = await openStore({ directory, mode: "write" });
    expect((await store.get(ingestProgress, { slot: 0 }))?.nextSequence).toBe(2n);
    await store.close();
    expect(existsSync(`${directory}/store.old`)).toBe(false);
    expect(existsSync(rebuildDirectory(directory))).toBe(false);
  });

  test.each(["write", "read"] as const)("is finished by whoever opens it next (%s) if the process died half way", async (mode) => {
    const { renameSync } = await import("node:fs");
    const directory = scratchDirectory();
    await makeStore(directory, progress(1n));
    await makeStore(rebuildDirectory(directory), progress(2n));
    renameSync(`${directory}/store`, `${directory}/store.old`);
    const store = await openStore({ directory, mode });
    expect((await store.get(ingestProgress, { slot: 0 }))?.nextSequence).toBe(2n);
    await store.close();
  });
});
