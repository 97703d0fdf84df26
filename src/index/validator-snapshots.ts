/**
 * Validator sets at any height at a bounded cost: a whole set now and then, plus the changes after it (chain-rules 13). A subnet's snapshot
 * is written when the changes since its last one reach the number of its members, but at least 256. So a reader applies at most about as
 * many changes as the set has members, and all snapshots together are no larger than all changes.
 */

import type { Id, NodeId } from "../base/bytes/id.ts";
import { u32 } from "../base/codec/codec.ts";
import { Reader, Writer } from "../base/codec/reader.ts";
import { id, table } from "../base/table/table.ts";
import type { View } from "../base/table/view.ts";
import type { ValidatorChange } from "../chains/platform/events.ts";
import type { ValidatorMember } from "../chains/platform/tables.ts";
import { validatorSnapshots } from "./tables.ts";

/** How many changes each validator set has had since its last snapshot; a row for every subnet that ever had a validator. Resident. */
export const validatorSetProgress = table({
  id: 20,
  name: "validator_set_progress",
  key: { subnetId: id },
  value: { members: u32, changesSinceSnapshot: u32 },
});

export type ValidatorSet = ReadonlyMap<NodeId, ValidatorMember>;

/** Returns the set of a subnet after the block that is being projected. */
export type CurrentValidatorSet = (subnetId: Id) => ValidatorSet;

const MIN_CHANGES_BETWEEN_SNAPSHOTS = 256;

/** Counts the changes of one block and writes the snapshots that are due. Calls `currentSet` only for those. */
export function projectValidatorSnapshots(
  view: View,
  height: bigint,
  changes: readonly ValidatorChange[],
  currentSet: CurrentValidatorSet,
): void {
  for (const [subnetId, { count, growth }] of perSubnet(changes)) {
    const before = view.get(validatorSetProgress, { subnetId }) ?? { members: 0, changesSinceSnapshot: 0 };
    const members = before.members + growth;
    const pending = before.changesSinceSnapshot + count;
    const isDue = pending >= Math.max(MIN_CHANGES_BETWEEN_SNAPSHOTS, members);
    if (isDue) view.put(validatorSnapshots, { subnetId, height }, { set: encodeValidatorSet(currentSet(subnetId)) });
    view.put(validatorSetProgress, { subnetId }, { members, changesSinceSnapshot: isDue ? 0 : pending });
  }
}

function perSubnet(changes: readonly ValidatorChange[]): Map<Id, { count: number; growth: number }> {
  const totals = new Map<Id, { count: number; growth: number }>();
  for (const { subnetId, before, after } of changes) {
    const { count, growth } = totals.get(subnetId) ?? { count: 0, growth: 0 };
    totals.set(subnetId, { count: count + 1, growth: growth + Number(after !== undefined) - Number(before !== undefined) });
  }
  return totals;
}

const NODE_ID_BYTES = 20;
const PUBLIC_KEY_BYTES = 48;

export function encodeValidatorSet(set: ValidatorSet): Buffer {
  const writer = new Writer(set.size * (NODE_ID_BYTES + 8 + 1 + PUBLIC_KEY_BYTES) + 1);
  for (const nodeId of [...set.keys()].sort()) {
    const { weight, publicKey } = set.get(nodeId)!;
    writer.hex(nodeId);
    writer.u64(weight);
    writer.u8(publicKey === undefined ? 0 : 1);
    if (publicKey !== undefined) writer.hex(publicKey);
  }
  return writer.finish();
}

export function decodeValidatorSet(bytes: Uint8Array): Map<NodeId, ValidatorMember> {
  return new Map(validatorsIn(bytes));
}

/** Reads the same set one validator at a time. */
export function* validatorsIn(bytes: Uint8Array): Generator<[NodeId, ValidatorMember], void> {
  const reader = new Reader(bytes);
  while (reader.left > 0) {
    const nodeId = reader.hex(NODE_ID_BYTES);
    const weight = reader.u64();
    yield [nodeId, { weight, publicKey: reader.u8() === 1 ? reader.hex(PUBLIC_KEY_BYTES) : undefined }];
  }
}
