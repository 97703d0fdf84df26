/** Computes current validator sets from stakers and L1 validators (chain-rules 13.1, 13.3). */
import { EMPTY_SHORT_ID, type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import type { ValidatorMember } from "../tables.ts";
import { isActiveL1Validator, type L1ValidatorSet, type StakerSet } from "./staker-set.ts";

/** Stands for all inactive L1 validators together, without a key. */
export const INACTIVE_NODE_ID = EMPTY_SHORT_ID;

interface MemberSources {
  readonly current: StakerSet;
  readonly l1: L1ValidatorSet;
}

export function memberOf({ current, l1 }: MemberSources, subnetId: Id, nodeId: NodeId): ValidatorMember | undefined {
  if (nodeId === INACTIVE_NODE_ID) {
    const weight = l1.subnet(subnetId)?.inactiveWeight ?? 0n;
    return weight === 0n ? undefined : { weight, publicKey: undefined };
  }
  const l1Validator = l1.ofNode(subnetId, nodeId);
  if (l1Validator !== undefined && isActiveL1Validator(l1Validator)) {
    return { weight: l1Validator.weight, publicKey: l1Validator.publicKey };
  }
  const weight = current.node(subnetId, nodeId)?.weight ?? 0n;
  if (weight === 0n) return undefined;
  // a subnet validator's key is that of its node on the primary network, where its period is always longer
  return { weight, publicKey: current.validator(PRIMARY_NETWORK_ID, nodeId)?.publicKey };
}

export function* membersOf(sources: MemberSources, subnetId: Id): Generator<[NodeId, ValidatorMember]> {
  const { current, l1 } = sources;
  const nodeIds = new Set([...(current.nodes(subnetId)?.keys() ?? []), ...(l1.subnet(subnetId)?.byNode.keys() ?? [])]);
  nodeIds.add(INACTIVE_NODE_ID);
  for (const nodeId of nodeIds) {
    const member = memberOf(sources, subnetId, nodeId);
    if (member !== undefined) yield [nodeId, member];
  }
}
