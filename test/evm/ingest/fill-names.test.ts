/** A chain that an older Firn indexed, once this one follows it. */
import { pino } from "pino";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { entryOf } from "../../../src/evm/chain-entry.ts";
import type { ChainTable } from "../../../src/evm/index/chain-tables.ts";
import { evmChainStates } from "../../../src/evm/index/tables.ts";
import { evmContractQueue, evmNamedTokens, evmTokenNames } from "../../../src/evm/index/token-tables.ts";
import { FollowedChain } from "../../../src/evm/ingest/followed-chain.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import { type Store, scanAll } from "../../../src/store/store.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { eventuallyHolds } from "../../patience.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { startReplayRpc } from "../replay-rpc/replay-rpc.ts";

const CHAIN = 0;
const LATER: readonly ChainTable[] = [evmTokenNames, evmNamedTokens];

async function laterRows(store: Store): Promise<Map<string, unknown[]>> {
  const rows = new Map<string, unknown[]>();
  for (const table of LATER) {
    const found: unknown[] = [];
    for await (const row of scanAll(store, table)) found.push(row);
    rows.set(table.name, found);
  }
  return rows;
}

test("is given the names of tokens that it would have had", async () => {
  const node = await startReplayRpc({ recording: recordingFolder("evm-1") });
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  const log = pino({ level: "silent" });

  async function follow(until: () => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const chain = new FollowedChain({ store, entry: entryOf([node.url]), limits: DEFAULT_LIMITS, log, alone: (register) => register() });
    await chain.start(stop.signal);
    await eventuallyHolds(until);
    stop.abort();
    await chain.ended();
  }
  const isComplete = async () => {
    expect((await store.get(evmChainStates, { chain: CHAIN }))?.height).toBe(BigInt(node.head));
  };

  try {
    await follow(async () => {
      await isComplete();
      const due = await store.scan(evmContractQueue, { prefix: { chain: CHAIN }, until: { dueAt: 1n }, limit: 1 });
      expect(due).toEqual([]);
    });
    const rows = await laterRows(store);
    for (const [name, found] of rows) expect(found, name).not.toEqual([]);

    for (const table of LATER) await store.clear(table);
    await follow(async () => {
      await isComplete();
      expect(await laterRows(store)).toEqual(rows);
    });
  } finally {
    await node.close();
    await store.close();
  }
});
