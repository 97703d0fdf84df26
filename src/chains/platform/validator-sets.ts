/**
 * Validator sets at recent heights, in memory (chain-rules 13): the current sets with recent changes undone. Warp verification uses them,
 * because it must not wait for a store. Call it only between blocks, when the state is that of the last accepted height.
 */

import type { BlsPublicKey, Id, NodeId } from "../../base/bytes/id.ts";
import { uncompress } from "../../base/signatures/bls.ts";
import type { Row } from "../../base/table/table.ts";
import { RuleError } from "../../network/execution.ts";
import type { ValidatorChange } from "./events.ts";
import type { PlatformState } from "./state/platform-state.ts";
import type { platformValidatorDiffs, ValidatorMember } from "./tables.ts";

/** Number of past heights whose sets are available. */
export const RECENT_HEIGHTS = 4096n;

/** Validators that share a key, which warp signatures count as one. */
interface CanonicalValidator {
  readonly publicKey: BlsPublicKey;
  readonly weight: bigint;
  readonly nodeIds: readonly NodeId[];
}

export interface CanonicalSet {
  /** validators with a key, ascending by uncompressed key; bit i of a signature stands for validator i */
  readonly validators: readonly CanonicalValidator[];
  /** weight of all validators, with and without a key */
  readonly totalWeight: bigint;
}

interface HeightChanges {
  readonly height: bigint;
  readonly changes: ValidatorChange[];
}

export class ValidatorSets {
  readonly #state: PlatformState;
  readonly #recent = new Map<Id, HeightChanges[]>();
  readonly #canonical = new Map<string, CanonicalSet>();

  constructor(state: PlatformState) {
    this.#state = state;
  }

  /** Loads the changes of recent heights from the store, ascending by height within a subnet. */
  load(rows: Iterable<Row<typeof platformValidatorDiffs>>): void {
    this.#recent.clear();
    for (const { key, value } of rows) this.#append(key.height, { subnetId: key.subnetId, nodeId: key.nodeId, ...value });
  }

  /** Adds the changes of the block accepted at `height`. */
  accept(height: bigint, changes: readonly ValidatorChange[]): void {
    this.#canonical.clear();
    for (const change of changes) this.#append(height, change);
  }

  /** The set of a subnet after the block at `height`. */
  at(subnetId: Id, height: bigint): ReadonlyMap<NodeId, ValidatorMember> {
    const current = this.#state.scalars.height;
    if (height > current) {
      throw new RuleError("unfinalized-height", "failed to fetch validator set at unfinalized height", { height, current });
    }
    if (height < current - RECENT_HEIGHTS) {
      throw new RuleError("forgotten-height", `the validator set at height ${height} is too old to verify with; the tip is ${current}`, {
        height,
      });
    }
    const members = new Map(this.#state.members(subnetId));
    const recent = this.#recent.get(subnetId) ?? [];
    for (let i = recent.length - 1; i >= 0 && recent[i]!.height > height; i--) {
      for (const { nodeId, before } of recent[i]!.changes) {
        if (before === undefined) members.delete(nodeId);
        else members.set(nodeId, before);
      }
    }
    return members;
  }

  /** The last height up to `height` at which a subnet's set changed, 0 if it did not recently; undefined if the set is not known any more. */
  lastChange(subnetId: Id, height: bigint): bigint | undefined {
    if (height < this.#state.scalars.height - RECENT_HEIGHTS) return undefined;
    return this.#recent.get(subnetId)?.findLast((change) => change.height <= height)?.height ?? 0n;
  }

  /** Newest first, a height of each set that the subnet had recently. */
  *recentHeights(subnetId: Id): Generator<bigint> {
    const current = this.#state.scalars.height;
    yield current;
    const recent = this.#recent.get(subnetId) ?? [];
    for (let i = recent.length - 1; i >= 0 && recent[i]!.height > current - RECENT_HEIGHTS; i--) yield recent[i]!.height - 1n;
  }

  canonicalAt(subnetId: Id, height: bigint): CanonicalSet {
    const name = `${subnetId}${height}`;
    let set = this.#canonical.get(name);
    if (set === undefined) {
      set = canonicalSet(this.at(subnetId, height));
      this.#canonical.set(name, set);
    }
    return set;
  }

  #append(height: bigint, change: ValidatorChange): void {
    let recent = this.#recent.get(change.subnetId);
    if (recent === undefined) {
      recent = [];
      this.#recent.set(change.subnetId, recent);
    }
    const last = recent.at(-1);
    if (last?.height === height) last.changes.push(change);
    else recent.push({ height, changes: [change] });
    // many are dropped at once, so that not every block moves the whole list
    if (recent.length > 2 * Number(RECENT_HEIGHTS)) recent.splice(0, Number(RECENT_HEIGHTS) - 1);
  }
}

/** Merges validators by key, in the order that signatures use (chain-rules 13.5). */
export function canonicalSet(members: ReadonlyMap<NodeId, ValidatorMember>): CanonicalSet {
  const byKey = new Map<BlsPublicKey, { publicKey: BlsPublicKey; order: string; weight: bigint; nodeIds: NodeId[] }>();
  let totalWeight = 0n;
  for (const [nodeId, { weight, publicKey }] of members) {
    totalWeight += weight;
    if (publicKey === undefined) continue;
    const known = byKey.get(publicKey);
    if (known === undefined) byKey.set(publicKey, { publicKey, order: uncompress(publicKey), weight, nodeIds: [nodeId] });
    else {
      known.weight += weight;
      known.nodeIds.push(nodeId);
    }
  }
  const validators = [...byKey.values()].sort((a, b) => (a.order < b.order ? -1 : 1));
  return { validators, totalWeight };
}
