import { expect, test } from "vitest";
import { readConfig } from "../../src/cli/config.ts";
import { reindex } from "../../src/cli/store/reindex-store.ts";
import * as tables from "../../src/evm/index/tables.ts";
import { openStore } from "../../src/store/open.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { makeChain } from "../evm/decode/intents.ts";
import { CHAIN, IndexedRows } from "../evm/index/indexed-rows.ts";
import { indexRows } from "../faults/evm-kill/index-rows.ts";
import { scratchDirectory } from "../store/scratch.ts";

test("rebuilding a store keeps the rows of its EVM chains, whose blocks it does not hold", async () => {
  const directory = scratchDirectory();
  await importUntil(recordingFolder("x-dag"), directory, {}, "replay");
  const indexed = new IndexedRows();
  for (const block of makeChain([[], [], []])) indexed.project(block);
  const store = await openStore({ directory, mode: "write" });
  await store.commit(indexed.view.drain());
  await store.close();
  const before = await indexRows(directory);
  expect(before.tip?.height).toBe(2n);
  const config = readConfig({ flags: { dataDir: directory, level: "replay", logLevel: "silent" }, environment: {} });
  await reindex(config, new AbortController().signal);
  const after = await indexRows(directory);
  expect(after.rows).toEqual(before.rows);
  expect([...after.rows.keys()].filter((name) => name.startsWith(`${tables.evmBlocks.name} ${CHAIN} `))).toHaveLength(3);
});
