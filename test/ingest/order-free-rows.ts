/** Rows of stores that were ingested in different orders of chains, made comparable. */
import { utxoLists } from "../../src/index/primary/utxos/utxo-codec.ts";
import { earlierActivities, ownerAssets, ownerGroups, utxosByTime } from "../../src/index/primary/utxos/utxo-tables.ts";
import { ingestLog } from "../../src/index/tables.ts";

/** digits of hex: of a number */
const NUMBER = 2 * 8;
/** of an activity: amount and time, then the UTXO and whether it was consumed */
const ACTIVITY = 2 * NUMBER + 2 * (32 + 1);
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
 * several activities of an owner on two chains are kept if they are of the same second; and where lists of UTXOs are cut into parts, of
 * which each UTXO remains, with its list.
 */
export function withoutOrder(rows: ReadonlyMap<string, string>): Map<string, string> {
  const kept = new Map<string, string>();
  const logged = new Map<string, number>();
  /** amounts and times of each owner group */
  const activities = new Map<string, string[]>();
  const keepActivity = (group: string, activity: string) =>
    activities.set(group, [...(activities.get(group) ?? []), activity.slice(0, 2 * NUMBER)]);
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
      const end = LENGTH + Number.parseInt(value.slice(0, LENGTH), 16) * ACTIVITY;
      for (let at = LENGTH; at < end; at += ACTIVITY) keepActivity(list, value.slice(at, at + ACTIVITY));
      keepUtxos(list, value.slice(end + LIST + LENGTH));
      kept.set(key, value.slice(end, end + LIST));
    } else if (table === earlierActivities.id) {
      keepActivity(list, key.slice(TABLE + LIST_KEY) + value);
    } else if (table !== ingestLog.id) kept.set(key, value);
    else {
      const chain = value.slice(0, LOGGED_CHAIN);
      const index = logged.get(chain) ?? 0;
      logged.set(chain, index + 1);
      kept.set(`${key.slice(0, TABLE)}${chain}${index}`, value);
    }
  }
  for (const [group, all] of activities) kept.set(`${hexOf(earlierActivities)}${group}`, newestByAmount(all).join());
  return kept;
}

/** Those that none of a larger amount is as new as. */
function newestByAmount(activities: readonly string[]): string[] {
  let newest = "";
  return [...activities]
    .sort()
    .reverse()
    .filter((activity) => {
      const time = activity.slice(NUMBER);
      const isNewer = time > newest;
      if (isNewer) newest = time;
      return isNewer;
    });
}

/** The number of a table, as keys begin with it. */
function hexOf({ id }: { readonly id: number }): string {
  return id.toString(16).padStart(TABLE, "0");
}
