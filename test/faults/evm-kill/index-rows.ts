/** All rows of the index of EVM chains in a data directory, as bytes. Without what says when something was, and what names a state. */
import { indexTables } from "../../../src/index/evm/chain-tables.ts";
import { evmChainStates, evmUpstreams } from "../../../src/index/evm/tables.ts";
import { encodeAll } from "../../../src/primitives/codec/codec.ts";
import { struct } from "../../../src/primitives/codec/struct.ts";
import { openStore } from "../../../src/store/open.ts";
import { scanAll } from "../../../src/store/store.ts";

const INDEX_TABLES = indexTables.filter(({ id }) => id !== evmUpstreams.id);

export interface IndexedTip {
  readonly height: bigint;
  /** `0x…` */
  readonly hash: string;
}

export async function indexRows(directory: string): Promise<{ rows: Map<string, string>; tip: IndexedTip | undefined }> {
  const store = await openStore({ directory, mode: "read" });
  try {
    const rows = new Map<string, string>();
    let tip: IndexedTip | undefined;
    for (const table of INDEX_TABLES) {
      const codec = struct(table.value);
      for await (const { key, value } of scanAll(store, table as typeof evmChainStates)) {
        const isState = table.id === evmChainStates.id;
        if (isState) tip = { height: value.height, hash: `0x${value.hash}` };
        const kept = isState ? { ...value, commits: 0n } : value;
        rows.set(`${table.name} ${Object.values(key).join(" ")}`, Buffer.from(encodeAll(codec, kept as never)).toString("hex"));
      }
    }
    return { rows, tip };
  } finally {
    await store.close();
  }
}
