/** Rows of stores that were ingested in different orders of chains, made comparable. */
import { ownerGroups } from "../../src/index/primary/utxos/utxo-tables.ts";
import { ingestLog } from "../../src/index/tables.ts";

/** digits of hex: of the time of an owner's newest activity, and of that with its UTXO and whether it was consumed */
const ACTIVITY_TIME = 2 * 8;
const ACTIVITY = ACTIVITY_TIME + 2 * (32 + 1);
/** of the kind and the chain of a row of the log */
const LOGGED_CHAIN = 2 * (1 + 32);

/**
 * Without what the order of chains decides by definition: how `ingest_log` numbers items, of which each chain's own order remains; and which
 * of two activities of an owner on two chains is the newest one if both are of the same second.
 */
export function withoutOrder(rows: ReadonlyMap<string, string>): Map<string, string> {
  const kept = new Map<string, string>();
  const logged = new Map<string, number>();
  for (const [key, value] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const table = Number.parseInt(key.slice(0, 4), 16);
    if (table === ownerGroups.id) kept.set(key, value.slice(0, ACTIVITY_TIME) + value.slice(ACTIVITY));
    else if (table !== ingestLog.id) kept.set(key, value);
    else {
      const chain = value.slice(0, LOGGED_CHAIN);
      const index = logged.get(chain) ?? 0;
      logged.set(chain, index + 1);
      kept.set(`${key.slice(0, 4)}${chain}${index}`, value);
    }
  }
  return kept;
}
