/**
 * Random histories of validators and delegators, as facts that the P-chain would produce, and a simple model of them: lists of objects with
 * which rows are compared. The chain's rules on amounts and periods do not matter here; the order of events does.
 */

import { PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { View } from "../../../../src/base/table/view.ts";
import type { PlatformEvent, PlatformFacts } from "../../../../src/chains/platform/facts.ts";
import { splitReward } from "../../../../src/chains/platform/rewards.ts";
import { encodeUtxo } from "../../../../src/chains/platform/state/ledger-state.ts";
import { Priority, promoted, type Staker } from "../../../../src/chains/platform/state/staker.ts";
import { platformSubnets } from "../../../../src/chains/platform/tables.ts";
import { type SignedTx, unsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../../../src/chains/platform/tx/signed.ts";
import { P_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { stakingProjection } from "../../../../src/index/primary/staking/staking-projection.ts";
import { transactionProjection } from "../../../../src/index/primary/transactions/transaction-projection.ts";
import { blocksByTime } from "../../../../src/index/primary/transactions/transaction-tables.ts";
import type { TxEffects, UtxoRecord } from "../../../../src/index/primary/transactions/tx-effects.ts";
import { decodeOutput } from "../../../../src/index/primary/utxos/utxo-codec.ts";
import { fetchRows } from "../../../../src/ingest/steps.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import type { Store } from "../../../../src/store/store.ts";
import { idOf, nodeOf, testNetwork } from "../../../chains/platform/state/fixture.ts";

export const ELASTIC = idOf(0xe1);
export const PERMISSIONED = idOf(0xbe);
const ELASTIC_ASSET = idOf(0xea);

/** Deterministic numbers: the same seed makes the same world. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 … below − 1 */
  roll(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.roll(items.length)]!;
  }
}

export interface Paid {
  readonly utxoId: string;
  readonly outputIndex: number;
  readonly type: "VALIDATOR" | "DELEGATOR" | "VALIDATOR_FEE";
  readonly amount: bigint;
  readonly owner: readonly string[];
  readonly rewardTxId: string;
  readonly staker: ModelStaker;
  readonly time: bigint;
}

export interface ModelStaker {
  staker: Staker;
  readonly isValidator: boolean;
  readonly height: bigint;
  readonly time: bigint;
  readonly index: number;
  /** named by its UTXOs */
  readonly addresses: readonly string[];
  readonly assetId: string;
  readonly owner: readonly string[];
  readonly feeOwner: readonly string[];
  readonly shares: number | undefined;
  readonly kind: string;
  status: "pending" | "active" | "completed" | "removed";
  /** a delegator's */
  readonly validator?: ModelStaker;
  /** a validator's, all that ever became active */
  readonly delegators: ModelStaker[];
  wasRewarded: boolean;
  leftBy?: string | undefined;
  leftAt?: bigint;
}

export class StakingWorld {
  readonly network: NetworkInstance = testNetwork();
  readonly stakers: ModelStaker[] = [];
  readonly paid: Paid[] = [];
  height = 0n;
  time = 1_700_000_000n;
  readonly #dice: Dice;
  readonly #nodeCount: number;
  #count = 0;

  constructor(seed: number, { nodeCount = 8 }: { nodeCount?: number } = {}) {
    this.#dice = new Dice(seed);
    this.#nodeCount = nodeCount;
  }

  live(role: "validator" | "delegator"): ModelStaker[] {
    return this.stakers.filter(
      ({ isValidator, status }) => isValidator === (role === "validator") && (status === "active" || status === "pending"),
    );
  }

  /** Executes blocks and commits their rows after each `batch`. */
  async grow(store: Store, blocks: number, batch: number): Promise<void> {
    const view = new View();
    // the second adds to rows of the first
    const projections = [transactionProjection, stakingProjection];
    for (const table of projections.flatMap(({ residentTables }) => residentTables)) {
      view.setResident(table);
      for (const { key, value } of await store.scan(table, { limit: 10 })) view.load(table, key, value);
    }
    await this.#transform(store);
    for (let done = 0; done < blocks; done += batch) {
      const run = Array.from({ length: Math.min(batch, blocks - done) }, () => this.#block());
      const facts = run.map(({ facts: block }) => ({ chain: P_CHAIN, facts: block, origins: [] }) as const);
      for (const projection of projections) await projection.fetch(view, facts, (keys) => fetchRows(store, view, keys), this.network);
      for (const [i, fact] of facts.entries()) {
        for (const projection of projections) projection.project(view, fact, run[i]!.effects, this.network);
        const { height, timestamp } = fact.facts;
        view.writeUnread(blocksByTime, { chain: P_CHAIN, timestamp, height }, {});
      }
      await store.commit(view.drain());
      view.evict();
    }
  }

  async #transform(store: Store): Promise<void> {
    const base = { networkId: 1, blockchainId: PLATFORM_CHAIN_ID, outputs: [], inputs: [], memo: new Uint8Array() };
    const rules = { minConsumptionRate: 0n, maxConsumptionRate: 0n, minValidatorStake: 1n, maxValidatorStake: 5000n, minStakeDuration: 1 };
    const tx = assemble(
      unsignedTx,
      {
        kind: "TransformSubnetTx",
        ...base,
        ...{ subnetId: ELASTIC, assetId: ELASTIC_ASSET, initialSupply: 1n, maximumSupply: 2n, ...rules, maxStakeDuration: 2 },
        ...{ minDelegationFee: 0, minDelegatorStake: 1n, maxValidatorWeightFactor: 3, uptimeRequirement: 0 },
        subnetAuthorization: { kind: "Input", signatureIndices: [] },
      },
      [],
    );
    const owner = { locktime: 0n, threshold: 0, addresses: [] };
    const value = { sequence: 0n, owner, transformation: tx.bytes, conversion: undefined };
    await store.commit([{ table: platformSubnets, key: { subnetId: ELASTIC }, value } as never]);
  }

  #block(): { facts: PlatformFacts; effects: TxEffects[] } {
    const dice = this.#dice;
    this.height += 1n;
    this.time += BigInt(dice.roll(3) * 5);
    const events: PlatformEvent[] = [];
    const effects: TxEffects[] = [];
    for (let i = dice.roll(4); i >= 0; i--) this.#act(events, effects);
    const nothing = { produced: [], consumed: [], validatorChanges: [], createdChains: [], blocks: [] };
    const facts = { ...nothing, height: this.height, timestamp: this.time, events, accruedFees: 0n, supply: 0n, activeL1Validators: 0 };
    return { facts, effects };
  }

  #act(events: PlatformEvent[], effects: TxEffects[]): void {
    const dice = this.#dice;
    const validators = this.live("validator");
    const pick = (stakers: readonly ModelStaker[], then: (staker: ModelStaker) => void) => {
      if (stakers.length > 0) then(dice.pick(stakers));
    };
    const delegators = this.live("delegator");
    switch (dice.roll(7)) {
      case 0:
      case 1:
        this.#addValidator(events, effects);
        break;
      case 2:
      case 3: {
        const hosts = validators.filter(({ shares }) => shares !== undefined);
        pick(hosts, (host) => this.#addDelegator(host, events, effects));
        break;
      }
      case 4: {
        const waiting = [...validators, ...delegators.filter(({ validator }) => validator!.status === "active")];
        const pending = waiting.filter(({ status }) => status === "pending");
        if (dice.roll(3) === 0) pick(pending, (staker) => this.#promote(staker, events));
        break;
      }
      case 5: {
        const active = delegators.filter(({ status }) => status === "active");
        pick(active, (delegator) => this.#endDelegator(delegator, events));
        break;
      }
      default: {
        const free = validators.filter((validator) => !delegators.some((delegator) => delegator.validator === validator));
        pick(free, (validator) => this.#endValidator(validator, events));
      }
    }
  }

  #nextId(): string {
    return idOf(0x1000000 + this.#dice.roll(0xffffff) * 0x1000 + this.#count++);
  }

  #owner(): string[] {
    const dice = this.#dice;
    return [...new Set([dice.roll(4), ...(dice.roll(3) === 0 ? [dice.roll(4)] : [])])].sort().map((n) => nodeOf(0xa00 + n));
  }

  #addValidator(events: PlatformEvent[], effects: TxEffects[]): void {
    const dice = this.#dice;
    const subnetId = dice.pick([PRIMARY_NETWORK_ID, PRIMARY_NETWORK_ID, ELASTIC, PERMISSIONED]);
    const nodeId = nodeOf(1 + dice.roll(this.#nodeCount) * 0x10001);
    if (this.live("validator").some(({ staker }) => staker.subnetId === subnetId && staker.nodeId === nodeId)) return;
    const isPending = dice.roll(2) === 0;
    const isPermissioned = subnetId === PERMISSIONED;
    const shares = isPermissioned ? undefined : dice.pick([20_000, 20_000, 23_457, 100_000, 1_000_000, 20_000 + dice.roll(980_001)]);
    const [owner, feeOwner] = [this.#owner(), this.#owner()];
    const assetId = subnetId === ELASTIC ? ELASTIC_ASSET : this.network.avaxAssetId;
    const fields = { ...this.#fields(nodeId, assetId), subnetId };
    const [validationRewardsOwner, delegationRewardsOwner] = [ownerOf(owner), ownerOf(feeOwner)];
    const kind = isPermissioned ? "AddSubnetValidatorTx" : "AddPermissionlessValidatorTx";
    const unsigned = isPermissioned
      ? {
          kind,
          ...fields.base,
          validator: { ...fields.validator, subnetId },
          subnetAuthorization: { kind: "Input", signatureIndices: [] },
        }
      : {
          ...{
            kind,
            ...fields.base,
            validator: fields.validator,
            subnetId,
            stake: fields.stake,
            validationRewardsOwner,
            delegationRewardsOwner,
          },
          ...{ signer: { kind: "Empty" }, shares: shares! },
        };
    const [pending, current] = isPermissioned
      ? [Priority.permissionedValidatorPending, Priority.permissionedValidatorCurrent]
      : subnetId === ELASTIC
        ? [Priority.elasticValidatorPending, Priority.elasticValidatorCurrent]
        : [Priority.primaryValidatorPending, Priority.primaryValidatorCurrent];
    this.#enter(unsigned, { subnetId, nodeId, priority: isPending ? pending : current, isPending }, events, effects, {
      ...{ isValidator: true, owner: isPermissioned ? [] : owner, feeOwner: isPermissioned ? [] : feeOwner, shares, assetId, kind },
    });
  }

  #addDelegator(validator: ModelStaker, events: PlatformEvent[], effects: TxEffects[]): void {
    const dice = this.#dice;
    const { subnetId, nodeId } = validator.staker;
    const isPending = validator.status === "pending" || dice.roll(2) === 0;
    const owner = this.#owner();
    const fields = this.#fields(nodeId, validator.assetId);
    const kind = "AddPermissionlessDelegatorTx";
    const unsigned = { kind, ...fields.base, validator: fields.validator, subnetId, stake: fields.stake, rewardsOwner: ownerOf(owner) };
    const [pending, current] =
      subnetId === ELASTIC
        ? [Priority.elasticDelegatorPending, Priority.elasticDelegatorCurrent]
        : [Priority.primaryDelegatorPending, Priority.primaryDelegatorCurrent];
    const delegator = this.#enter(unsigned, { subnetId, nodeId, priority: isPending ? pending : current, isPending }, events, effects, {
      ...{ isValidator: false, owner, feeOwner: [], shares: validator.shares, assetId: validator.assetId, kind, validator },
    });
    if (!isPending) validator.delegators.push(delegator);
  }

  #fields(nodeId: string, assetId: string) {
    const weight = BigInt(100 + this.#dice.roll(900));
    const start = this.time + BigInt(this.#dice.roll(50));
    const end = start + BigInt(100 + this.#dice.roll(1000));
    const output = { kind: "TransferOutput" as const, amount: weight, locktime: 0n, threshold: 1, addresses: [nodeOf(0xa00)] };
    const memo = Buffer.from(this.#nextId(), "hex");
    return {
      base: { networkId: this.network.networkId, blockchainId: PLATFORM_CHAIN_ID, outputs: [], inputs: [], memo },
      validator: { nodeId, start, end, weight },
      stake: [{ assetId, output }],
    };
  }

  #enter(
    unsigned: { kind: string; validator: { start: bigint; end: bigint; weight: bigint } },
    { subnetId, nodeId, priority, isPending }: { subnetId: string; nodeId: string; priority: number; isPending: boolean },
    events: PlatformEvent[],
    effects: TxEffects[],
    rest: Pick<ModelStaker, "isValidator" | "owner" | "feeOwner" | "shares" | "assetId" | "kind"> & { validator?: ModelStaker },
  ): ModelStaker {
    const tx = assemble(unsignedTx, unsigned as never, []) as SignedTx;
    const { start: startTime, end: endTime, weight } = unsigned.validator;
    const potentialReward = isPending || rest.shares === undefined ? 0n : this.#reward();
    const staker: Staker = {
      ...{ txId: tx.id, nodeId, subnetId, publicKey: undefined, weight, startTime, endTime, potentialReward, priority },
      tx: tx.bytes,
    };
    const index = effects.length;
    const addresses = this.#owner();
    const bytes = encodeUtxo({
      ...{ txId: tx.id, outputIndex: 0, assetId: rest.assetId },
      output: { kind: "TransferOutput", amount: 1n, locktime: 0n, threshold: 1, addresses },
    });
    const place = { createdOn: P_CHAIN, consumedOn: P_CHAIN, height: this.height, timestamp: this.time, reward: 0 };
    const record: UtxoRecord = { bytes, ...place, stake: undefined, spent: undefined };
    effects.push({
      ...{ chain: P_CHAIN, txId: tx.id, type: unsigned.kind, height: this.height, timestamp: this.time, consumed: [], evmAddresses: [] },
      produced: [{ utxoId: utxoId(tx.id, 0), record, output: decodeOutput(record, this.network) }],
    });
    events.push({ kind: "staker-added", staker, isPending });
    const decided = { tx, isCommitted: true, blockId: idOf(Number(this.height)), height: this.height, index };
    events.push({ kind: "tx", ...decided, produced: [], consumed: [], imported: [], exported: [] });
    const model: ModelStaker = {
      ...rest,
      ...{ staker, height: this.height, time: this.time, index, addresses, status: isPending ? "pending" : "active" },
      ...{ delegators: [], wasRewarded: false },
    };
    this.stakers.push(model);
    return model;
  }

  #reward(): bigint {
    return BigInt(this.#dice.pick([0, 1, 49, this.#dice.roll(1000), this.#dice.roll(1_000_000_000)]));
  }

  #promote(model: ModelStaker, events: PlatformEvent[]): void {
    model.staker = promoted(model.staker, model.shares === undefined ? 0n : this.#reward());
    model.status = "active";
    model.validator?.delegators.push(model);
    events.push({ kind: "staker-promoted", staker: model.staker });
  }

  #pay(
    model: ModelStaker,
    type: Paid["type"],
    amount: bigint,
    owner: readonly string[],
    outputIndex: number,
    rewardTxId: string,
    events: PlatformEvent[],
  ) {
    if (amount === 0n) return;
    const { txId } = model.staker;
    const addresses = [...owner];
    const output = { kind: "TransferOutput" as const, amount, locktime: 0n, threshold: 1, addresses };
    const bytes = encodeUtxo({ txId, outputIndex, assetId: model.assetId, output });
    const id = utxoId(txId, outputIndex);
    const utxo = { utxoId: id, bytes, addresses, rank: 0n };
    events.push({
      kind: "reward",
      rewardType: type,
      txId: rewardTxId,
      staker: model.staker,
      owner: { locktime: 0n, threshold: 1, addresses },
      utxo,
    });
    this.paid.push({ utxoId: id, outputIndex, type, amount, owner, rewardTxId, staker: model, time: this.time });
  }

  #leave(
    model: ModelStaker,
    reason: "rewarded" | "forfeited" | "removed" | "expired",
    txId: string | undefined,
    events: PlatformEvent[],
  ): void {
    model.status = reason === "removed" ? "removed" : "completed";
    model.wasRewarded = reason === "rewarded";
    model.leftBy = txId;
    model.leftAt = this.time;
    events.push({ kind: "staker-left", staker: model.staker, reason, txId });
  }

  /** The validator's fee is paid at once, as before Cortina, or not: then nothing is seen of it here. */
  #endDelegator(model: ModelStaker, events: PlatformEvent[]): void {
    const rewardTxId = this.#nextId();
    const isRewarded = this.#dice.roll(4) > 0;
    if (isRewarded) {
      const { rest, shared } = splitReward(model.staker.potentialReward, model.shares!);
      this.#pay(model, "DELEGATOR", rest, model.owner, 3, rewardTxId, events);
      if (this.#dice.roll(2) === 0) this.#pay(model, "VALIDATOR_FEE", shared, model.validator!.feeOwner, 4, rewardTxId, events);
    }
    this.#leave(model, isRewarded ? "rewarded" : "forfeited", rewardTxId, events);
  }

  #endValidator(model: ModelStaker, events: PlatformEvent[]): void {
    if (model.shares === undefined) {
      const isRemoved = model.status === "pending" || this.#dice.roll(2) === 0;
      this.#leave(model, isRemoved ? "removed" : "expired", isRemoved ? this.#nextId() : undefined, events);
      return;
    }
    if (model.status === "pending") return;
    const rewardTxId = this.#nextId();
    const isRewarded = this.#dice.roll(4) > 0;
    if (isRewarded) this.#pay(model, "VALIDATOR", model.staker.potentialReward, model.owner, 5, rewardTxId, events);
    this.#pay(model, "VALIDATOR_FEE", BigInt(this.#dice.roll(500)), model.feeOwner, 6, rewardTxId, events);
    this.#leave(model, isRewarded ? "rewarded" : "forfeited", rewardTxId, events);
  }
}

function ownerOf(addresses: string[]) {
  return { kind: "OutputOwners" as const, locktime: 0n, threshold: 1, addresses };
}
