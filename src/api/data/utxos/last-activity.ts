/** When addresses were last active on a chain: what the GET and the POST route share. */

import Type, { type Static } from "typebox";
import { formatId } from "../../../base/bytes/cb58.ts";
import type { ShortId } from "../../../base/bytes/id.ts";
import { newestActivity } from "../../../index/primary/utxos/activity.ts";
import { namedGroups } from "../../../index/primary/utxos/owner-group-reader.ts";
import { decodeOutput } from "../../../index/primary/utxos/utxo-codec.ts";
import { utxoRecords } from "../../../index/primary/utxos/utxo-tables.ts";
import type { ChainContext } from "../context.ts";
import { notFound } from "../errors.ts";
import { namedObject } from "../named-object.ts";
import { chainInfo, chainInfoSchema } from "../network-labels.ts";
import { leastWhole } from "./least-whole.ts";

export const lastActivitySchema = namedObject("LastActivityTimestamp", {
  timestamp: Type.Integer({ description: "Unix seconds" }),
  blockNumber: Type.String(),
  txHash: Type.String({ description: "The transaction that consumed the UTXO, or else the one in the UTXO's ID." }),
  utxoId: Type.String(),
  isConsumed: Type.Boolean({ description: "Whether the UTXO was consumed then; otherwise it was created." }),
  ...chainInfoSchema.properties,
});

export const LAST_ACTIVITY_RULES =
  "The newest creation or consumption of a UTXO that names one of the addresses, whatever its threshold, and has at least `minUtxoAmount`. " +
  "Without addresses: of any UTXO of the chain. 404 if there is none.";

export const LAST_ACTIVITY_COST = "O(owner groups that name one of the addresses) rows, for minUtxoAmount at most one more for each";

export async function lastActivity(
  { minUtxoAmount }: { minUtxoAmount?: string | undefined },
  owners: readonly ShortId[] | undefined,
  context: ChainContext,
): Promise<Static<typeof lastActivitySchema>> {
  const { chain, reader, network } = context;
  const newest = await newestActivity(reader, chain, await namedGroups(reader, chain, owners), leastWhole(minUtxoAmount ?? "0"));
  if (newest === undefined) {
    const [least, other] =
      minUtxoAmount === undefined ? ["", ""] : [` with a UTXO of at least ${minUtxoAmount}`, ", a smaller minUtxoAmount"];
    throw notFound(`None of the addresses was ever active on this chain${least}; use other addresses${other} or another chain`);
  }
  const { timestamp, utxoId, isConsumed } = newest;
  const record = (await reader.get(utxoRecords, { utxoId }))!;
  const { height, txId } = isConsumed ? record.spent! : { height: record.height, txId: decodeOutput(record, network).txId };
  return {
    timestamp: Number(timestamp),
    blockNumber: `${height}`,
    txHash: formatId(txId),
    utxoId: formatId(utxoId),
    isConsumed,
    ...chainInfo(context),
  };
}
