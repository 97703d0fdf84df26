import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";

/** Amounts by asset. Keys are sorted as text, as the node writes maps. */
export function assetAmounts(amounts: ReadonlyMap<Id, bigint>): Record<string, string> {
  const entries = [...amounts].map(([assetId, amount]) => [formatId(assetId), `${amount}`] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
