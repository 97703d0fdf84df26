/**
 * The active and pending validations of one state in memory, with the fields that filters and orders need. Everything else is read for the
 * items of a page. A snapshot is immutable; the next one is made from it and from what changed, sorted orders included.
 */

import type { Id, NodeId } from "../../../base/bytes/id.ts";
import { runInTurns, sortInTurns, type Work } from "../../../base/work/work.ts";
import { ACTIVE } from "./staking-tables.ts";

export interface LiveValidation {
  readonly txId: Id;
  readonly status: number;
  readonly subnetId: Id;
  readonly nodeId: NodeId;
  readonly height: bigint;
  readonly weight: bigint;
  /** by its delegators */
  readonly delegated: bigint;
  readonly end: bigint;
  /** undefined for permissioned validators, like `capacity` */
  readonly shares: number | undefined;
  /** how much more can be delegated; undefined for pending validators */
  readonly capacity: bigint | undefined;
}

/** The position of an item in an order: the figure that is sorted by (0 in block order), then height and transaction. */
export interface ListPlace {
  readonly figure: bigint;
  readonly height: bigint;
  readonly txId: Id;
}

export type LiveOrder = "block" | "capacity" | "end" | "fee";

/** Returns undefined for validations that have no such figure; they are left out of the order. */
const figures: Record<LiveOrder, (validation: LiveValidation) => bigint | undefined> = {
  block: () => 0n,
  capacity: ({ capacity }) => capacity,
  end: ({ end }) => end,
  fee: ({ shares }) => (shares === undefined ? undefined : BigInt(shares)),
};

/** For at most this many nodes, their validations are sorted for each page. For more, the order of all validations is searched. */
const FEW_NODES = 64;

export interface Placed extends ListPlace {
  readonly validation: LiveValidation;
}

export interface LivePage {
  readonly order: LiveOrder;
  /** undefined: all */
  readonly nodeIds: ReadonlySet<NodeId> | undefined;
  readonly accepts: (validation: LiveValidation) => boolean;
  /** the page begins after this place */
  readonly after: ListPlace | undefined;
  readonly isDescending: boolean;
  readonly limit: number;
}

export class ValidationSnapshot {
  readonly #byTx: ReadonlyMap<Id, LiveValidation>;
  readonly #orders = new Map<LiveOrder, readonly Placed[]>();
  readonly #stakes = new Map<Id, bigint>();
  /** built when first needed */
  #byNode: ReadonlyMap<NodeId, readonly LiveValidation[]> | undefined;

  constructor(validations: Iterable<LiveValidation>) {
    this.#byTx = new Map([...validations].map((validation) => [validation.txId, validation]));
    for (const { status, subnetId, weight, delegated } of this.#byTx.values()) {
      if (status === ACTIVE) this.#stakes.set(subnetId, this.activeStake(subnetId) + weight + delegated);
    }
  }

  find(txId: Id): LiveValidation | undefined {
    return this.#byTx.get(txId);
  }

  /** Active stake of a subnet, including delegations. */
  activeStake(subnetId: Id): bigint {
    return this.#stakes.get(subnetId) ?? 0n;
  }

  /** @param changes undefined: no longer active or pending */
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
      next.#orders.set(order, merged(kept, placedIn(order, changed).sort(comparePlaces)));
    }
    return next;
  }

  /** Costs O(active and pending validations) in memory, in turns; for few nodes only theirs. Reads no rows. */
  async page(page: LivePage, work: Work): Promise<Placed[]> {
    const { order, nodeIds } = page;
    const isOfFew = nodeIds !== undefined && nodeIds.size <= FEW_NODES;
    const placed = isOfFew
      ? await sortInTurns(work, placedIn(order, this.#ofNodes(nodeIds)), comparePlaces)
      : await this.#ordered(order, work);
    return runInTurns(work, pageSteps(placed, page));
  }

  #ofNodes(nodeIds: ReadonlySet<NodeId>): LiveValidation[] {
    this.#byNode ??= groupedByNode(this.#byTx.values());
    return [...nodeIds].flatMap((nodeId) => this.#byNode!.get(nodeId) ?? []);
  }

  async #ordered(order: LiveOrder, work: Work): Promise<readonly Placed[]> {
    let placed = this.#orders.get(order);
    if (placed === undefined) {
      placed = await sortInTurns(work, placedIn(order, this.#byTx.values()), comparePlaces);
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

/** validations per turn */
const PIECE = 64;

function* pageSteps(placed: readonly Placed[], { accepts, after, isDescending, limit }: LivePage): Generator<void, Placed[]> {
  const found: Placed[] = [];
  const step = isDescending ? -1 : 1;
  const first = isDescending ? placed.length - 1 : 0;
  const start = after === undefined ? first : isDescending ? lowerBound(placed, after) - 1 : upperBound(placed, after);
  for (let i = start; i >= 0 && i < placed.length && found.length < limit; i += step) {
    if (accepts(placed[i]!.validation)) found.push(placed[i]!);
    if (i % PIECE === 0) yield;
  }
  return found;
}

function placedIn(order: LiveOrder, validations: Iterable<LiveValidation>): Placed[] {
  const placed: Placed[] = [];
  for (const validation of validations) {
    const figure = figures[order](validation);
    if (figure !== undefined) placed.push({ figure, height: validation.height, txId: validation.txId, validation });
  }
  return placed;
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

/** How many items come before `place`. */
function lowerBound(placed: readonly Placed[], place: ListPlace): number {
  return countWhile(placed, (item) => comparePlaces(item, place) < 0);
}

/** How many items come before or at `place`. */
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
