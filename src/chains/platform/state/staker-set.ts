/**
 * The current or the pending stakers in memory, ordered and by node. Contains no rows: the state undoes changes here together with its
 * rows.
 */
import type { Id, NodeId } from "../../../base/bytes/id.ts";
import { SortedList } from "./sorted-list.ts";
import { compareStakers, isValidator, type Staker } from "./staker.ts";

/** The stakers on one node in one subnet. */
export interface NodeStakers {
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
