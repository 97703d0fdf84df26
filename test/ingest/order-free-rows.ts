/** Rows of stores that were ingested in different orders of chains, made comparable. */
import { utxoLists } from "../../src/index/primary/utxos/packed-utxos.ts";
import { ownerAssets, ownerGroups, utxosByTime } from "../../src/index/primary/utxos/utxo-tables.ts";
import { ingestLog } from "../../src/index/tables.ts";

/** digits of hex: of the time of an owner's newest activity, and of that with its UTXO and whether it was consumed */
const ACTIVITY_TIME = 2 * 8;
const ACTIVITY = ACTIVITY_TIME + 2 * (32 + 1);
/** of the size and the classes of a list, and of the length of its last UTXOs, which follow */
const LIST = 2 * (2 + 8);
const LENGTH = 2 * 4;
/** of the kind and the chain of a row of the log */
const LOGGED_CHAIN = 2 * (1 + 32);

const TABLE = 2 * 2;
const LIST_KEY = 2 * (1 + 20);
const ENTRY = 2 * utxoLists.entryBytes;

/**
 * Without what the order of chains decides by definition: how `ingest_log` numbers items, of which each chain's own order remains; which of
 * two activities of an owner on two chains is the newest one if both are of the same second; and where lists of UTXOs are cut into parts, of
 * which each UTXO remains, with its list.
 */
export function withoutOrder(rows: ReadonlyMap<string, string>): Map<string, string> {
  const kept = new Map<string, string>();
  const logged = new Map<string, number>();
  const keepUtxos = (list: string, packed: string) => {
    for (let at = 0; at < packed.length; at += ENTRY) kept.set(`${hexOf(utxosByTime)}${list}${packed.slice(at, at + ENTRY)}`, "");
  };
  for (const [key, value] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const table = Number.parseInt(key.slice(0, TABLE), 16);
    const list = key.slice(TABLE, TABLE + LIST_KEY);
    if (table === utxosByTime.id) keepUtxos(list, value);
    else if (table === ownerAssets.id) {
      keepUtxos(list, value.slice(LIST + LENGTH));
      kept.set(key, value.slice(0, LIST));
    } else if (table === ownerGroups.id) {
      keepUtxos(list, value.slice(ACTIVITY + LIST + LENGTH));
      kept.set(key, value.slice(0, ACTIVITY_TIME) + value.slice(ACTIVITY, ACTIVITY + LIST));
    } else if (table !== ingestLog.id) kept.set(key, value);
    else {
      const chain = value.slice(0, LOGGED_CHAIN);
      const index = logged.get(chain) ?? 0;
      logged.set(chain, index + 1);
      kept.set(`${key.slice(0, TABLE)}${chain}${index}`, value);
    }
  }
  return kept;
}

/** The number of a table, as keys begin with it. */
function hexOf({ id }: { readonly id: number }): string {
  return id.toString(16).padStart(TABLE, "0");
}
