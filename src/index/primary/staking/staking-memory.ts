/**
 * Keeps stakers in memory across states: a snapshot of active and pending validations, and the node IDs. Moving to a newer state reads the
 * rows that changed since. The first time, or after more than `CHANGES_KEPT` changed blocks, it reads all of them.
 */

import { type Id, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { platformSubnets } from "../../../chains/platform/tables.ts";
import { signedTx } from "../../../chains/platform/tx/registry.ts";
import { storedTx } from "../../../chains/platform/tx/signed.ts";
import type { TransformSubnetTx } from "../../../chains/platform/tx/transform-subnet.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { type StoreReader, scanAll } from "../../../store/store.ts";
import { StakingNodes } from "./staking-nodes.ts";
import { ACTIVE, CHANGES_KEPT, currentValidations, PENDING, type Validation, validationChanges, validations } from "./staking-tables.ts";
import { readStakingTotals } from "./validation-reader.ts";
import { type LiveValidation, ValidationSnapshot } from "./validation-snapshot.ts";

export interface StakingPicture {
  readonly snapshot: ValidationSnapshot;
  readonly nodes: StakingNodes;
}

/** How much can be staked with a validator, its own stake included. */
interface CapacityRule {
  readonly maxWeight: bigint;
  readonly factor: bigint;
}

interface Kept extends StakingPicture {
  readonly changeCount: bigint;
  /** names the newest change, so that another store of the same network is noticed */
  readonly lastChange: string;
}

const BATCH = 1000;

export class StakingMemory {
  readonly #network: Pick<NetworkInstance, "staking">;
  readonly #rules = new Map<Id, CapacityRule>();
  #kept: Kept | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(network: Pick<NetworkInstance, "staking">) {
    this.#network = network;
  }

  /** Call it once per state. Requests for other states wait. A state older than the one in memory is read from scratch. */
  at(reader: StoreReader): Promise<StakingPicture> {
    const picture = this.#turn.then(() => this.#refresh(reader));
    this.#turn = picture.catch(() => {});
    return picture;
  }

  async #refresh(reader: StoreReader): Promise<StakingPicture> {
    const { changeCount, nodeCount } = await readStakingTotals(reader);
    const kept = this.#kept;
    const touched = kept && (await changesSince(reader, kept, changeCount));
    if (kept !== undefined && touched !== undefined) {
      await kept.nodes.learn(reader, nodeCount);
      if (touched.size > 0) {
        const snapshot = kept.snapshot.with(await this.#read(reader, [...touched]));
        this.#kept = { ...kept, snapshot, changeCount, lastChange: await changeNamed(reader, changeCount) };
      }
    } else {
      this.#rules.clear();
      const nodes = new StakingNodes();
      await nodes.learn(reader, nodeCount);
      const snapshot = new ValidationSnapshot(await this.#readAll(reader));
      this.#kept = { snapshot, nodes, changeCount, lastChange: await changeNamed(reader, changeCount) };
    }
    return this.#kept!;
  }

  async #readAll(reader: StoreReader): Promise<LiveValidation[]> {
    const txIds: Id[] = [];
    for await (const { value } of scanAll(reader, currentValidations)) txIds.push(value.txId);
    return [...(await this.#read(reader, txIds)).values()].filter((validation) => validation !== undefined);
  }

  async #read(reader: StoreReader, txIds: readonly Id[]): Promise<Map<Id, LiveValidation | undefined>> {
    const live = new Map<Id, LiveValidation | undefined>();
    for (let at = 0; at < txIds.length; at += BATCH) {
      const keys = txIds.slice(at, at + BATCH).map((txId) => ({ txId }));
      for (const [i, validation] of (await reader.getMany(validations, keys)).entries()) {
        live.set(keys[i]!.txId, validation && (await this.#live(reader, keys[i]!.txId, validation)));
      }
    }
    return live;
  }

  async #live(reader: StoreReader, txId: Id, validation: Validation): Promise<LiveValidation | undefined> {
    const { status, subnetId, nodeId, height, weight, end, terms, delegators } = validation;
    if (status !== ACTIVE && status !== PENDING) return undefined;
    const rule = status === ACTIVE && terms !== undefined ? await this.#rule(reader, subnetId) : undefined;
    const capacity = rule && capacityUnder(rule, weight, delegators.weight);
    return { txId, status, subnetId, nodeId, height, weight, delegated: delegators.weight, end, shares: terms?.shares, capacity };
  }

  /** The rule of the primary network or of an elastic subnet; neither changes. */
  async #rule(reader: StoreReader, subnetId: Id): Promise<CapacityRule> {
    let rule = this.#rules.get(subnetId);
    if (rule === undefined) {
      rule = await this.#readRule(reader, subnetId);
      this.#rules.set(subnetId, rule);
    }
    return rule;
  }

  async #readRule(reader: StoreReader, subnetId: Id): Promise<CapacityRule> {
    if (subnetId === PRIMARY_NETWORK_ID) {
      const { maxValidatorStake: maxWeight, maxValidatorWeightFactor: factor } = this.#network.staking;
      return { maxWeight, factor };
    }
    const { transformation } = (await reader.get(platformSubnets, { subnetId }))!;
    const tx = storedTx(signedTx, transformation!).unsigned as TransformSubnetTx;
    return { maxWeight: tx.maxValidatorStake, factor: BigInt(tx.maxValidatorWeightFactor) };
  }
}

function capacityUnder({ maxWeight, factor }: CapacityRule, weight: bigint, delegated: bigint): bigint {
  const most = factor * weight < maxWeight ? factor * weight : maxWeight;
  const used = weight + delegated;
  return most > used ? most - used : 0n;
}

/** Returns the validations that changed since; undefined if that is no longer known, or if this is another store. */
async function changesSince(reader: StoreReader, { changeCount: from, lastChange }: Kept, to: bigint): Promise<Set<Id> | undefined> {
  // One less than the ring holds, since the last known change must still be in it.
  if (to < from || to - from >= CHANGES_KEPT || (await changeNamed(reader, from)) !== lastChange) return undefined;
  const slots = Array.from({ length: Number(to - from) }, (_, i) => ({ slot: slotOf(from + BigInt(i)) }));
  const changes = await reader.getMany(validationChanges, slots);
  return new Set(changes.flatMap((change) => change!.txIds));
}

/** Identifies the state after `count` changes. */
async function changeNamed(reader: StoreReader, count: bigint): Promise<string> {
  const last = count === 0n ? undefined : await reader.get(validationChanges, { slot: slotOf(count - 1n) });
  return last === undefined ? "" : `${last.number} ${last.txIds.join(" ")}`;
}

function slotOf(number: bigint): number {
  return Number(number % BigInt(CHANGES_KEPT));
}
