/**
 * The current or the pending stakers in memory, ordered and by node. Contains no rows: the state undoes changes here together with its
 * rows.
 */

import type { Id, NodeId } from "../../../base/bytes/id.ts";
import type { L1ValidatorRow } from "../tables.ts";
import { compareStakers, isValidator, type Staker } from "./staker.ts";

/** L1 validators in memory: the active ones by the end of their balance, all by node, and weights by subnet (chain-rules 3.2, 13.3). */
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

/**
 * A sorted list without duplicates, with binary search. An insertion or removal moves the rest of the list, which is cheap up to 10⁵
 * elements.
 */
export class SortedList<T> {
  readonly #items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get items(): readonly T[] {
    return this.#items;
  }

  get length(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.splice(this.#position(item), 0, item);
  }

  /** Removes the element that compares equal to `item`. */
  remove(item: T): void {
    const position = this.#position(item);
    const found = this.#items[position];
    if (found === undefined || this.#compare(found, item) !== 0) throw new RangeError("the element to remove is not in the list");
    this.#items.splice(position, 1);
  }

  /** Fills an empty list. */
  fill(items: Iterable<T>): void {
    for (const item of items) this.#items.push(item);
    this.#items.sort(this.#compare);
  }

  #position(item: T): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#items[middle]!, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The stakers on one node in one subnet. */
interface NodeStakers {
  validator: Staker | undefined;
  readonly delegators: SortedList<Staker>;
  /** of the validator and its delegators */
  weight: bigint;
}

const NONE: readonly Staker[] = [];

export class StakerSet {
  readonly #ordered = new SortedList(compareStakers);
  readonly #subnets = new Map<Id, Map<NodeId, NodeStakers>>();

  /** In staker order. */
  get ordered(): readonly Staker[] {
    return this.#ordered.items;
  }

  node(subnetId: Id, nodeId: NodeId): Readonly<NodeStakers> | undefined {
    return this.#subnets.get(subnetId)?.get(nodeId);
  }

  nodes(subnetId: Id): ReadonlyMap<NodeId, Readonly<NodeStakers>> | undefined {
    return this.#subnets.get(subnetId);
  }

  validator(subnetId: Id, nodeId: NodeId): Staker | undefined {
    return this.node(subnetId, nodeId)?.validator;
  }

  delegators(subnetId: Id, nodeId: NodeId): readonly Staker[] {
    return this.node(subnetId, nodeId)?.delegators.items ?? NONE;
  }

  add(staker: Staker): void {
    this.#ordered.add(staker);
    this.#addToNode(staker);
  }

  fill(stakers: readonly Staker[]): void {
    this.#ordered.fill(stakers);
    for (const staker of this.#ordered.items) this.#addToNode(staker);
  }

  /** Fills an empty set with stakers that are in their order, and pauses after each. */
  *fillSteps(ordered: readonly Staker[]): Generator<void, void> {
    this.#ordered.fill(ordered);
    for (const staker of ordered) {
      this.#addToNode(staker);
      yield;
    }
  }

  remove(staker: Staker): void {
    this.#ordered.remove(staker);
    const nodes = this.#subnets.get(staker.subnetId)!;
    const node = nodes.get(staker.nodeId)!;
    if (isValidator(staker)) node.validator = undefined;
    else node.delegators.remove(staker);
    node.weight -= staker.weight;
    if (node.validator !== undefined || node.delegators.length > 0) return;
    nodes.delete(staker.nodeId);
    if (nodes.size === 0) this.#subnets.delete(staker.subnetId);
  }

  #addToNode(staker: Staker): void {
    let nodes = this.#subnets.get(staker.subnetId);
    if (nodes === undefined) {
      nodes = new Map();
      this.#subnets.set(staker.subnetId, nodes);
    }
    let node = nodes.get(staker.nodeId);
    if (node === undefined) {
      node = { validator: undefined, delegators: new SortedList(compareStakers), weight: 0n };
      nodes.set(staker.nodeId, node);
    }
    if (isValidator(staker)) node.validator = staker;
    else node.delegators.add(staker);
    node.weight += staker.weight;
  }
}
