/** What other commands make of a store with chains of L1s: it verifies, and its blocks are exported, verified and imported again. */
import { expect, test } from "vitest";
import type { Id } from "../../src/base/bytes/id.ts";
import { blocks } from "../../src/index/tables.ts";
import { exportArchive } from "../../src/ingest/archive/export.ts";
import { verifyArchive } from "../../src/ingest/archive/verify.ts";
import { openStore } from "../../src/store/open.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { requireReplayed } from "../faults/replayed-rows.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { startNetwork } from "./engine-network.ts";
import { genesisOf, L1Client, SubnetMaker } from "./l1-network.ts";

async function blockIdsOf(directory: string, chainId: Id): Promise<string[]> {
  const store = await openStore({ directory, mode: "read" });
  try {
    return (await store.scan(blocks, { prefix: { chainId }, limit: 100 })).map(({ value }) => `${value.blockId} ${value.containerId}`);
  } finally {
    await store.close();
  }
}

test("a store with an L1 that runs and one that cannot is verified, exported, and imported with all rules", async () => {
  const { devnet, directory } = await startNetwork({}, { evm: {} });
  const maker = await SubnetMaker.open(devnet);
  const chainId = await maker.createChain(genesisOf(4321n));
  await maker.createChain(Buffer.from("{"), "refused");
  const l1 = new L1Client(devnet, chainId);
  for (const value of [1n, 2n, 3n]) await l1.pay(value);
  await devnet.stop();
  expect(await requireReplayed(directory, scratchDirectory())).toBeGreaterThan(0);

  const folder = scratchDirectory();
  const reader = await openStore({ directory, mode: "read" });
  await exportArchive({ reader, directory, folder }).finally(() => reader.close());
  const { chains } = await verifyArchive(folder);
  expect(chains.find((chain) => chain.chainId === chainId)).toMatchObject({ first: 1n, last: 3n });
  const copy = scratchDirectory();
  await importUntil(folder, copy, {}, "full");
  expect(await blockIdsOf(copy, chainId)).toEqual(await blockIdsOf(directory, chainId));
  expect((await blockIdsOf(copy, chainId)).length).toBe(3);
});
