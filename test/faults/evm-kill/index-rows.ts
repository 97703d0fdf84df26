/** All rows of the index of EVM chains in a data directory, as bytes, without those that contain times or names of states. */

import { encodeAll, struct } from "../../../src/base/codec/codec.ts";
import { indexTables } from "../../../src/evm/index/chain-tables.ts";
import { evmChainStates, evmReorganisations, evmUpstreamNodes, evmUpstreams } from "../../../src/evm/index/tables.ts";
import { openStore } from "../../../src/store/open.ts";
import { type Store, scanAll } from "../../../src/store/store.ts";

/** What nodes said last, and what a chain did before: they are not of its blocks. */
const NOT_OF_BLOCKS: ReadonlySet<number> = new Set([evmUpstreams.id, evmUpstreamNodes.id, evmReorganisations.id]);
const INDEX_TABLES = indexTables.filter(({ id }) => !NOT_OF_BLOCKS.has(id));

export interface IndexedTip {
  readonly height: bigint;
  /** `0x…` */
  readonly hash: string;
}

export async function indexRows(directory: string): Promise<{ rows: Map<string, string>; tip: IndexedTip | undefined }> {
  const store = await openStore({ directory, mode: "read" });
  try {
    const [state] = await store.scan(evmChainStates, { prefix: {}, limit: 1 });
    return { rows: await indexRowsOf(store), tip: state && { height: state.value.height, hash: `0x${state.value.hash}` } };
  } finally {
    await store.close();
  }
}

/** The same of a store that is open. */
export async function indexRowsOf(store: Store): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  for (const table of INDEX_TABLES) {
    const codec = struct(table.value);
    for await (const { key, value } of scanAll(store, table as typeof evmChainStates)) {
      const kept = table.id === evmChainStates.id ? { ...value, commits: 0n } : value;
      rows.set(`${table.name} ${Object.values(key).join(" ")}`, Buffer.from(encodeAll(codec, kept as never)).toString("hex"));
    }
  }
  return rows;
}
