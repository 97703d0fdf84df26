/**
 * The active and pending validations of one state in memory, with what filters and orders need: the rest is read for the items of a page.
 * Immutable; a newer one is made from it and what changed, sorted orders included.
 */
import type { Id, NodeId } from "../../primitives/id.ts";
import { ACTIVE } from "./staking-tables.ts";

export interface LiveValidation {
  readonly txId: Id;
  readonly status: number;
  readonly subnetId: Id;
  readonly nodeId: NodeId;
  readonly height: bigint;
  readonly weight: bigint;
  /** of its delegators */
  readonly delegated: bigint;
  readonly end: bigint;
  /** of permissioned validators undefined, as the next */
  readonly shares: number | undefined;
  /** what may still be delegated; of pending ones undefined */
  readonly capacity: bigint | undefined;
}

/** Where an item stands in an order: its figure (0 in order of blocks), then (height, transaction). */
export interface ListPlace {
  readonly figure: bigint;
  readonly height: bigint;
  readonly txId: Id;
}

export type LiveOrder = "block" | "capacity" | "end" | "fee";

/** Validations without the figure of an order are not in it. */
const figures: Record<LiveOrder, (validation: LiveValidation) => bigint | undefined> = {
  block: () => 0n,
  capacity: ({ capacity }) => capacity,
  end: ({ end }) => end,
  fee: ({ shares }) => (shares === undefined ? undefined : BigInt(shares)),
};

/** Validations of so few nodes are sorted for each page; of more, the order of all is gone through. */
const FEW_NODES = 64;

export interface Placed extends ListPlace {
  readonly validation: LiveValidation;
}

export interface LivePage {
  readonly order: LiveOrder;
  /** undefined: all */
  readonly nodeIds: ReadonlySet<NodeId> | undefined;
  readonly accepts: (validation: LiveValidation) => boolean;
  /** the page begins behind this place */
  readonly after: ListPlace | undefined;
  readonly isDescending: boolean;
  readonly limit: number;
}

export class ValidationSnapshot {
  readonly #byTx: ReadonlyMap<Id, LiveValidation>;
  readonly #orders = new Map<LiveOrder, readonly Placed[]>();
  readonly #stakes = new Map<Id, bigint>();
  /** made when it is first needed */
  #byNode: ReadonlyMap<NodeId, readonly LiveValidation[]> | undefined;

  constructor(validations: Iterable<LiveValidation>) {
    this.#byTx = new Map([...validations].map((validation) => [validation.txId, validation]));
    for (const { status, subnetId, weight, delegated } of this.#byTx.values()) {
      if (status === ACTIVE) this.#stakes.set(subnetId, this.activeStake(subnetId) + weight + delegated);
    }
  }

  get size(): number {
    return this.#byTx.size;
  }

  find(txId: Id): LiveValidation | undefined {
    return this.#byTx.get(txId);
  }

  /** Active stake of a subnet, that of delegators included. */
  activeStake(subnetId: Id): bigint {
    return this.#stakes.get(subnetId) ?? 0n;
  }

  /** @param changes undefined: neither active nor pending any more */
  with(changes: ReadonlyMap<Id, LiveValidation | undefined>): ValidationSnapshot {
    const byTx = new Map(this.#byTx);
    for (const [txId, validation] of changes) {
      if (validation === undefined) byTx.delete(txId);
      else byTx.set(txId, validation);
    }
    const next = new ValidationSnapshot(byTx.values());
    const changed = [...changes.values()].filter((validation) => validation !== undefined);
    for (const [order, placed] of this.#orders) {
      const kept = placed.filter(({ txId }) => !changes.has(txId));
      next.#orders.set(order, merged(kept, sorted(order, changed)));
    }
    return next;
  }

  /** O(active and pending validations) in memory, of few nodes theirs only; no rows. */
  page({ order, nodeIds, accepts, after, isDescending, limit }: LivePage): Placed[] {
    const isOfFew = nodeIds !== undefined && nodeIds.size <= FEW_NODES;
    const placed = isOfFew ? sorted(order, this.#ofNodes(nodeIds)) : this.#ordered(order);
    const found: Placed[] = [];
    const step = isDescending ? -1 : 1;
    const first = isDescending ? placed.length - 1 : 0;
    const start = after === undefined ? first : isDescending ? lowerBound(placed, after) - 1 : upperBound(placed, after);
    for (let i = start; i >= 0 && i < placed.length && found.length < limit; i += step) {
      if (accepts(placed[i]!.validation)) found.push(placed[i]!);
    }
    return found;
  }

  #ofNodes(nodeIds: ReadonlySet<NodeId>): LiveValidation[] {
    this.#byNode ??= groupedByNode(this.#byTx.values());
    return [...nodeIds].flatMap((nodeId) => this.#byNode!.get(nodeId) ?? []);
  }

  #ordered(order: LiveOrder): readonly Placed[] {
    let placed = this.#orders.get(order);
    if (placed === undefined) {
      placed = sorted(order, this.#byTx.values());
      this.#orders.set(order, placed);
    }
    return placed;
  }
}

function groupedByNode(validations: Iterable<LiveValidation>): Map<NodeId, LiveValidation[]> {
  const groups = new Map<NodeId, LiveValidation[]>();
  for (const validation of validations) {
    const group = groups.get(validation.nodeId);
    if (group === undefined) groups.set(validation.nodeId, [validation]);
    else group.push(validation);
  }
  return groups;
}

function sorted(order: LiveOrder, validations: Iterable<LiveValidation>): Placed[] {
  const placed: Placed[] = [];
  for (const validation of validations) {
    const figure = figures[order](validation);
    if (figure !== undefined) placed.push({ figure, height: validation.height, txId: validation.txId, validation });
  }
  return placed.sort(comparePlaces);
}

export function comparePlaces(a: ListPlace, b: ListPlace): number {
  if (a.figure !== b.figure) return a.figure < b.figure ? -1 : 1;
  if (a.height !== b.height) return a.height < b.height ? -1 : 1;
  return a.txId < b.txId ? -1 : a.txId > b.txId ? 1 : 0;
}

function merged(a: readonly Placed[], b: readonly Placed[]): Placed[] {
  const all: Placed[] = [];
  let j = 0;
  for (const item of a) {
    while (j < b.length && comparePlaces(b[j]!, item) < 0) all.push(b[j++]!);
    all.push(item);
  }
  return all.concat(b.slice(j));
}

/** How many come before `place`. */
function lowerBound(placed: readonly Placed[], place: ListPlace): number {
  return countWhile(placed, (item) => comparePlaces(item, place) < 0);
}

/** How many do not come behind it. */
function upperBound(placed: readonly Placed[], place: ListPlace): number {
  return countWhile(placed, (item) => comparePlaces(item, place) <= 0);
}

function countWhile(placed: readonly Placed[], isBefore: (item: Placed) => boolean): number {
  let [low, high] = [0, placed.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(placed[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
