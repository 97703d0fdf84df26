/**
 * Validator sets at any height, from the newest snapshot at or below it and the changes after it. The work is at most about twice the size
 * of the set, whatever the length of history.
 */

import type { Id, NodeId } from "../../../base/bytes/id.ts";
import { eachInTurns } from "../../../base/work/work.ts";
import { platformValidatorDiffs, type ValidatorMember } from "../../../chains/platform/tables.ts";
import { validatorSnapshots } from "../../../index/tables.ts";
import { type ValidatorSet, validatorsIn } from "../../../index/validator-snapshots.ts";
import type { RpcContext } from "../method.ts";
import { chainState, perState } from "./chain-state.ts";

/** What reading a set needs. */
export type ReadingContext = Pick<RpcContext, "reader" | "work">;

const CHANGES_PER_SCAN = 4096;

/** The set after the block at `height`. Empty for a subnet without validators and for an unknown subnet. */
export async function validatorSetAt({ reader, work }: ReadingContext, subnetId: Id, height: bigint): Promise<ValidatorSet> {
  const [snapshot] = await reader.scan(validatorSnapshots, { prefix: { subnetId }, from: { height }, reverse: true, limit: 1 });
  const set = new Map<NodeId, ValidatorMember>();
  if (snapshot !== undefined) await eachInTurns(work, validatorsIn(snapshot.value.set), ([nodeId, member]) => set.set(nodeId, member));
  let after: { height: bigint; nodeId?: NodeId } | undefined = snapshot && { height: snapshot.key.height };
  for (;;) {
    const rows = await reader.scan(platformValidatorDiffs, {
      prefix: { subnetId },
      ...(after && { after }),
      until: { height: height + 1n },
      limit: CHANGES_PER_SCAN,
    });
    for (const { key, value } of rows) {
      if (value.after === undefined) set.delete(key.nodeId);
      else set.set(key.nodeId, value.after);
    }
    if (rows.length < CHANGES_PER_SCAN) return set;
    after = rows[rows.length - 1]!.key;
  }
}

/** The set after the last block, read once per state of the chain. */
export async function currentValidatorSet(context: RpcContext, subnetId: Id): Promise<ValidatorSet> {
  const state = await chainState(context);
  const known = await perState(state, context, "current validator sets", async () => new Map<Id, ValidatorSet>());
  const set = known.get(subnetId) ?? (await validatorSetAt(context, subnetId, state.height));
  // Clients choose the IDs, so only IDs with validators are kept.
  if (set.size > 0) known.set(subnetId, set);
  return set;
}
