import { expect, test } from "vitest";
import type { Change } from "../../../src/base/table/table.ts";
import { indexTables, tokenTables } from "../../../src/evm/index/chain-tables.ts";
import { evmContractMetadata } from "../../../src/evm/index/token-tables.ts";
import { forgetChain } from "../../../src/evm/ingest/forget-chain.ts";
import { findChain } from "../../../src/evm/ingest/open-chain.ts";
import { openStore } from "../../../src/store/open.ts";
import { type Store, scanAll } from "../../../src/store/store.ts";
import { scratchDirectory } from "../../store/scratch.ts";
import { type IntendedBlock, makeChain, PEOPLE } from "../decode/intents.ts";
import { IndexedRows } from "../index/indexed-rows.ts";

const KEPT = { chain: 0, evmChainId: 43_113n };
const FORGOTTEN = { chain: 1, evmChainId: 43_112n };

test("a chain that is forgotten leaves no row, whenever it was broken off, and others all of theirs", async () => {
  const store = await openStore({ directory: scratchDirectory(), mode: "write" });
  try {
    for (const chain of [KEPT, FORGOTTEN]) await store.commit(rowsOf(chain));
    const kept = await rowNames(store, KEPT.chain);
    let times = 0;
    while (await isBrokenOff(forgetChain(breakingOff(store, 1), FORGOTTEN.evmChainId))) {
      times++;
      // gone for readers from the first commit on, but its number is not given away before the last row is gone
      expect(await findChain(store, FORGOTTEN.evmChainId)).toEqual({ chain: 2, startHeight: undefined });
    }
    expect(times).toBeGreaterThan(2);
    expect(await rowNames(store, FORGOTTEN.chain)).toEqual([]);
    expect(await rowNames(store, KEPT.chain)).toEqual(kept);
    expect((await findChain(store, FORGOTTEN.evmChainId)).chain).toBe(1);
    expect(await forgetChain(store, KEPT.evmChainId)).toBe(true);
    expect(await rowNames(store, KEPT.chain)).toEqual([]);
  } finally {
    await store.close();
  }
});

function rowsOf({ chain, evmChainId }: typeof KEPT): Change[] {
  const indexed = new IndexedRows({ chain, evmChainId });
  const transfer = { kind: "amount" as const, token: "plain" as const, from: PEOPLE[0]!, to: PEOPLE[1]!, value: 1n };
  const block: IntendedBlock = [{ from: PEOPLE[0]!, to: PEOPLE[1]!, isSuccess: true, inputLength: 0, intents: [transfer] }];
  for (const each of makeChain([block, block, block])) indexed.project(each);
  const value = { kind: 0, name: undefined, symbol: undefined, decimals: undefined, checkedAt: 1n };
  return [...indexed.view.drain(), { table: evmContractMetadata, key: { chain, contract: PEOPLE[0]! }, value } as Change];
}

async function rowNames(store: Store, chain: number): Promise<string[]> {
  const names: string[] = [];
  for (const table of [...indexTables, ...tokenTables]) {
    for await (const { key } of scanAll(store, table, { chain })) names.push(`${table.name} ${Object.values(key).join(" ")}`);
  }
  return names;
}

async function isBrokenOff(forgetting: Promise<boolean>): Promise<boolean> {
  const result = await forgetting.catch((error: Error) => error.message);
  expect(["broken off", false]).toContain(result);
  return result !== false;
}

/** After so many commits it fails. */
function breakingOff(store: Store, most: number): Store {
  let commits = 0;
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (name !== "commit") return typeof own === "function" ? own.bind(target) : own;
      return (changes: readonly Change[]) => (commits++ < most ? target.commit(changes) : Promise.reject(new Error("broken off")));
    },
  });
}
