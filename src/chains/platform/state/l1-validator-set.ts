/** L1 validators in memory: the active ones by the end of their balance, all by node, and weights by subnet (chain-rules 3.2, 13.3). */

import type { Id, NodeId } from "../../../base/bytes/id.ts";
import type { L1ValidatorRow } from "../tables.ts";
import { SortedList } from "./staker-set.ts";

export interface L1Validator extends L1ValidatorRow {
  readonly validationId: Id;
}

interface SubnetL1Validators {
  readonly byNode: Map<NodeId, L1Validator>;
  totalWeight: bigint;
  inactiveWeight: bigint;
}

export function isActiveL1Validator(validator: Pick<L1ValidatorRow, "weight" | "endAccumulatedFee">): boolean {
  return validator.weight !== 0n && validator.endAccumulatedFee !== 0n;
}

function compareByEnd(a: L1Validator, b: L1Validator): number {
  if (a.endAccumulatedFee !== b.endAccumulatedFee) return a.endAccumulatedFee < b.endAccumulatedFee ? -1 : 1;
  if (a.validationId === b.validationId) return 0;
  return a.validationId < b.validationId ? -1 : 1;
}

export class L1ValidatorSet {
  readonly #active = new SortedList(compareByEnd);
  readonly #subnets = new Map<Id, SubnetL1Validators>();

  /** Sorted by (endAccumulatedFee, validationId). */
  get active(): readonly L1Validator[] {
    return this.#active.items;
  }

  subnet(subnetId: Id): Readonly<SubnetL1Validators> | undefined {
    return this.#subnets.get(subnetId);
  }

  ofNode(subnetId: Id, nodeId: NodeId): L1Validator | undefined {
    return this.#subnets.get(subnetId)?.byNode.get(nodeId);
  }

  add(validator: L1Validator): void {
    if (isActiveL1Validator(validator)) this.#active.add(validator);
    this.#addToSubnet(validator);
  }

  fill(validators: readonly L1Validator[]): void {
    this.#active.fill(validators.filter(isActiveL1Validator));
    for (const validator of validators) this.#addToSubnet(validator);
  }

  remove(validator: L1Validator): void {
    const subnet = this.#subnets.get(validator.subnetId)!;
    if (isActiveL1Validator(validator)) this.#active.remove(validator);
    else subnet.inactiveWeight -= validator.weight;
    subnet.totalWeight -= validator.weight;
    subnet.byNode.delete(validator.nodeId);
    if (subnet.byNode.size === 0) this.#subnets.delete(validator.subnetId);
  }

  #addToSubnet(validator: L1Validator): void {
    let subnet = this.#subnets.get(validator.subnetId);
    if (subnet === undefined) {
      subnet = { byNode: new Map(), totalWeight: 0n, inactiveWeight: 0n };
      this.#subnets.set(validator.subnetId, subnet);
    }
    subnet.byNode.set(validator.nodeId, validator);
    subnet.totalWeight += validator.weight;
    if (!isActiveL1Validator(validator)) subnet.inactiveWeight += validator.weight;
  }
}
