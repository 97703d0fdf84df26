/**
 * Random histories of subnets, blockchains and L1 validators, as facts that the P-chain would produce, and a simple model of them: lists of
 * objects with which rows and answers are compared.
 */

import { PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { type RowKey, View } from "../../../../src/base/table/view.ts";
import type { PlatformEvent, PlatformFacts } from "../../../../src/chains/platform/facts.ts";
import type { OutputOwners } from "../../../../src/chains/platform/owner.ts";
import { type L1ValidatorRow, platformChain } from "../../../../src/chains/platform/tables.ts";
import { unsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../../../src/chains/platform/tx/signed.ts";
import { l1Projection } from "../../../../src/index/primary/l1s/l1-projection.ts";
import { l1FeeMetrics } from "../../../../src/index/primary/metrics/l1-fee-metrics.ts";
import { stakingMetrics } from "../../../../src/index/primary/metrics/staking-metrics.ts";
import { networkTotals } from "../../../../src/index/primary/network/network-totals.ts";
import { subnetProjection } from "../../../../src/index/primary/network/subnet-projection.ts";
import { P_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { fetchRows } from "../../../../src/ingest/steps.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import type { Store } from "../../../../src/store/store.ts";
import { idOf, nodeOf, testNetwork } from "../../../chains/platform/state/fixture.ts";
import { Dice } from "../staking/staking-world.ts";

type CreatedChain = PlatformFacts["createdChains"][number];

export interface ModelChain {
  readonly chainId: string;
  readonly subnetId: string;
  readonly name: string;
  readonly evmChainId: number;
  readonly height: bigint;
  readonly time: bigint;
}

export interface ModelSubnet {
  readonly subnetId: string;
  readonly height: bigint;
  readonly time: bigint;
  /** the last one counts */
  readonly owners: { readonly height: bigint; readonly owner: OutputOwners }[];
  conversion?: { readonly txId: string; readonly managerChainId: string };
}

export interface ModelL1Validator {
  readonly validationId: string;
  row: L1ValidatorRow;
  isRemoved: boolean;
}

export interface ModelDetail {
  readonly txId: string;
  readonly validationId: string;
  readonly weight: bigint;
  readonly remainingBalance: bigint;
  readonly balanceChange: bigint;
}

const projections = [subnetProjection, l1Projection, networkTotals, stakingMetrics, l1FeeMetrics];
const PRICE = 3n;
/** of the examples in EIP-55 */
const MANAGER_ADDRESS = "5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";

export class NetworkWorld {
  readonly network: NetworkInstance = testNetwork();
  readonly subnets: ModelSubnet[] = [];
  readonly chains: ModelChain[] = [];
  readonly l1Validators: ModelL1Validator[] = [];
  readonly details: ModelDetail[] = [];
  height = -1n;
  time = 1_700_000_000n;
  accruedFees = 0n;
  fees = 0n;
  /** what was paid in each block */
  readonly payments: { readonly day: number; readonly validator: ModelL1Validator; readonly amount: bigint }[] = [];
  /** who was active at any moment of a day */
  readonly payers = new Map<number, Set<ModelL1Validator>>();
  /** the active ones after the last block of each day that has one, with their weights then */
  readonly activeAfter = new Map<number, readonly Pick<L1ValidatorRow, "subnetId" | "weight">[]>();
  readonly #longestStep: number;
  readonly #dice: Dice;
  readonly #nodeCount: number;
  #count = 0;

  /** @param options `longestStep`: between blocks, in seconds */
  constructor(seed: number, { nodeCount = 6, longestStep = 2 }: { nodeCount?: number; longestStep?: number } = {}) {
    this.#dice = new Dice(seed);
    this.#longestStep = longestStep;
    this.#nodeCount = nodeCount;
  }

  get listed(): ModelL1Validator[] {
    return this.l1Validators.filter(({ isRemoved }) => !isRemoved);
  }

  get active(): ModelL1Validator[] {
    return this.listed.filter(({ row }) => row.endAccumulatedFee !== 0n);
  }

  /** Executes blocks, genesis first, and commits their rows after each `batch`. */
  async grow(store: Store, blocks: number, batch: number): Promise<void> {
    for (let done = 0; done < blocks; done += batch) {
      await this.#commit(
        store,
        Array.from({ length: Math.min(batch, blocks - done) }, () => this.#block()),
      );
    }
  }

  /** One block with so many new subnets, each with a blockchain, and L1 validators on all subnets. */
  async crowd(store: Store, count: number): Promise<void> {
    this.height += 1n;
    const [events, created]: [PlatformEvent[], CreatedChain[]] = [[], []];
    for (let i = 0; i < count; i++) {
      this.#addSubnet(events);
      this.#addChain(this.subnets.at(-1)!.subnetId, this.#nextId(), events, created);
      this.#register(this.#nextId(), this.#dice.pick(this.subnets.slice(1, 4)).subnetId, events);
    }
    await this.#commit(store, [this.#facts(events, created)]);
  }

  async #commit(store: Store, run: readonly PlatformFacts[]): Promise<void> {
    const view = new View();
    for (const table of projections.flatMap(({ residentTables }) => residentTables)) {
      view.setResident(table);
      for (const { key, value } of await store.scan(table, { limit: 10 })) view.load(table, key, value);
    }
    const facts = run.map((block) => ({ chain: P_CHAIN, facts: block, origins: [] }) as const);
    const fetch = (keys: readonly RowKey[]) => fetchRows(store, view, keys);
    for (const projection of projections) await projection.fetch(view, facts, fetch, this.network);
    for (const fact of facts) for (const projection of projections) projection.project(view, fact, [], this.network);
    const scalars = { lastAccepted: idOf(1), feeCapacity: 0n, feeExcess: 0n, l1Excess: 0n };
    view.load(platformChain, { slot: 0 }, undefined);
    view.put(platformChain, { slot: 0 }, { ...scalars, height: this.height, timestamp: this.time, accruedFees: this.accruedFees });
    await store.commit(view.drain());
  }

  #block(): PlatformFacts {
    const dice = this.#dice;
    this.height += 1n;
    const events: PlatformEvent[] = [];
    const createdChains: CreatedChain[] = [];
    if (this.height === 0n) this.#genesis(events, createdChains);
    else {
      const before = this.#day;
      this.time += BigInt(dice.roll(this.#longestStep + 1));
      for (let day = before; day <= this.#day; day++) for (const validator of this.active) this.#notePayer(validator, day);
      this.#charge(events, BigInt(dice.roll(5)) * PRICE);
      for (let i = dice.roll(5); i >= 0; i--) this.#act(events, createdChains);
    }
    this.activeAfter.set(
      this.#day,
      this.active.map(({ row }) => row),
    );
    return this.#facts(events, createdChains);
  }

  get #day(): number {
    return Number(this.time / 86_400n);
  }

  #notePayer(validator: ModelL1Validator, day = this.#day): void {
    this.payers.set(day, (this.payers.get(day) ?? new Set()).add(validator));
  }

  #facts(events: readonly PlatformEvent[], createdChains: readonly CreatedChain[]): PlatformFacts {
    const { height, accruedFees, time: timestamp } = this;
    const nothing = { produced: [], consumed: [], validatorChanges: [], blocks: [], supply: 0n, activeL1Validators: 0 };
    return { ...nothing, height, timestamp, events, createdChains, accruedFees };
  }

  #genesis(events: PlatformEvent[], created: CreatedChain[]): void {
    const owner = { locktime: 0n, threshold: 0, addresses: [] };
    this.subnets.push({ subnetId: PRIMARY_NETWORK_ID, height: 0n, time: this.time, owners: [{ height: 0n, owner }] });
    const place = { subnetId: PRIMARY_NETWORK_ID, height: 0n, time: this.time };
    this.chains.push({ chainId: PLATFORM_CHAIN_ID, name: "P-Chain", evmChainId: 0, ...place });
    for (const chainId of [this.network.xChainId, this.network.cChainId]) this.#addChain(PRIMARY_NETWORK_ID, chainId, events, created);
  }

  #act(events: PlatformEvent[], created: CreatedChain[]): void {
    const dice = this.#dice;
    const own = this.subnets.slice(1);
    switch (own.length === 0 ? 0 : dice.roll(9)) {
      case 0:
        this.#addSubnet(events);
        break;
      case 1:
        this.#transferSubnet(dice.pick(own), events);
        break;
      case 2:
        this.#addChain(dice.pick(own).subnetId, this.#nextId(), events, created);
        break;
      case 3:
        this.#convert(dice.pick(own), events);
        break;
      case 4:
      case 5:
        this.#register(this.#nextId(), dice.pick(own).subnetId, events);
        break;
      default:
        if (this.listed.length > 0) this.#change(dice.pick(this.listed), events);
    }
  }

  #nextId(): string {
    return idOf(0x1000000 + this.#dice.roll(0xffffff) * 0x1000000 + this.#count++);
  }

  #owner(): OutputOwners {
    return { locktime: BigInt(this.#dice.roll(2)), threshold: 1, addresses: [nodeOf(0xa00 + this.#dice.roll(9))] };
  }

  #addSubnet(events: PlatformEvent[]): void {
    const [subnetId, owner] = [this.#nextId(), this.#owner()];
    this.subnets.push({ subnetId, height: this.height, time: this.time, owners: [{ height: this.height, owner }] });
    events.push({ kind: "subnet-created", subnetId, owner });
  }

  #transferSubnet({ subnetId, owners }: ModelSubnet, events: PlatformEvent[]): void {
    const owner = this.#owner();
    owners.push({ height: this.height, owner });
    events.push({ kind: "subnet-owner", subnetId, txId: this.#nextId(), owner });
  }

  #addChain(subnetId: string, chainId: string, events: PlatformEvent[], created: CreatedChain[]): void {
    const evmChainId = this.#dice.roll(3) === 0 ? 0 : 1000 + this.#dice.roll(1000);
    const genesis = Buffer.from(evmChainId === 0 ? "no JSON" : JSON.stringify({ config: { chainId: evmChainId } }));
    const [name, vmId] = [`chain ${this.#count++}`, idOf(77)];
    this.chains.push({ chainId, subnetId, name, evmChainId, height: this.height, time: this.time });
    created.push({ chainId, subnetId, vmId, fxIds: [], genesis });
    events.push({ kind: "chain-created", chainId, subnetId, name, vmId });
  }

  #convert(subnet: ModelSubnet, events: PlatformEvent[]): void {
    if (subnet.conversion !== undefined) return;
    const { subnetId } = subnet;
    const [txId, managerChainId] = [this.#nextId(), this.#nextId()];
    for (let i = this.#dice.roll(3); i >= 0; i--) this.#register(txId, subnetId, events);
    subnet.conversion = { txId, managerChainId };
    events.push({ kind: "subnet-converted", subnetId, txId, managerChainId, managerAddress: Buffer.from(MANAGER_ADDRESS, "hex") });
  }

  #balance(): bigint {
    return this.#dice.roll(3) === 0 ? 0n : BigInt(1 + this.#dice.roll(300));
  }

  #register(txId: string, subnetId: string, events: PlatformEvent[]): void {
    const dice = this.#dice;
    const [validationId, balance] = [this.#nextId(), this.#balance()];
    const owner = { threshold: 1, addresses: [nodeOf(0xb00 + dice.roll(9))] };
    const row: L1ValidatorRow = {
      ...{ subnetId, nodeId: nodeOf(1 + dice.roll(this.#nodeCount)), publicKey: validationId.slice(16).padStart(96, "8") },
      ...{ remainingBalanceOwner: owner, deactivationOwner: owner, startTime: this.time, minNonce: 0n },
      ...{ weight: BigInt(1 + dice.roll(9)), endAccumulatedFee: balance === 0n ? 0n : this.accruedFees + balance },
    };
    const validator = { validationId, row, isRemoved: false };
    this.l1Validators.push(validator);
    if (balance !== 0n) this.#notePayer(validator);
    this.#record({ txId, validationId, before: undefined, after: row }, events);
  }

  #change(validator: ModelL1Validator, events: PlatformEvent[]): void {
    const { validationId, row: before } = validator;
    const txId = this.#nextId();
    const end = before.endAccumulatedFee;
    let after: L1ValidatorRow | undefined = before;
    switch (this.#dice.roll(4)) {
      case 0:
        after = { ...before, weight: before.weight + 1n, minNonce: before.minNonce + 1n };
        break;
      case 1:
        after = { ...before, endAccumulatedFee: (end === 0n ? this.accruedFees : end) + 1n + this.#balance() };
        this.#notePayer(validator);
        break;
      case 2: {
        if (end !== 0n) after = { ...before, endAccumulatedFee: 0n };
        validator.row = after;
        const change = end === 0n ? 0n : this.accruedFees - end;
        this.details.push({ txId, validationId, weight: before.weight, remainingBalance: 0n, balanceChange: change });
        if (end !== 0n) this.#event({ txId, validationId, before, after }, events);
        events.push(disabling(txId, validationId, this.height));
        return;
      }
      default:
        after = undefined;
        validator.isRemoved = true;
    }
    validator.row = after ?? before;
    this.#record({ txId, validationId, before, after }, events);
  }

  #record(change: L1Change & { readonly txId: string }, events: PlatformEvent[]): void {
    const { txId, validationId, before, after } = change;
    const balance = (row: L1ValidatorRow | undefined) =>
      row === undefined || row.endAccumulatedFee === 0n ? 0n : row.endAccumulatedFee - this.accruedFees;
    const [remainingBalance, weight] = [balance(after), after?.weight ?? 0n];
    this.details.push({ txId, validationId, weight, remainingBalance, balanceChange: remainingBalance - balance(before) });
    this.#event(change, events);
  }

  #event(change: L1Change, events: PlatformEvent[]): void {
    events.push({ kind: "l1-validator", ...change, accruedFees: this.accruedFees });
  }

  /** Second by second it would be the same: who has less than what is charged pays what is there. */
  #charge(events: PlatformEvent[], charged: bigint): void {
    this.accruedFees += charged;
    for (const validator of this.active) {
      const { validationId, row: before } = validator;
      const left = before.endAccumulatedFee - this.accruedFees;
      const amount = left < 0n ? charged + left : charged;
      this.fees += amount;
      this.payments.push({ day: this.#day, validator, amount });
      if (left > 0n) continue;
      validator.row = { ...before, endAccumulatedFee: 0n };
      this.#event({ txId: undefined, validationId, before, after: validator.row }, events);
    }
  }
}

interface L1Change {
  readonly txId: string | undefined;
  readonly validationId: string;
  readonly before: L1ValidatorRow | undefined;
  readonly after: L1ValidatorRow | undefined;
}

/** Only its ID and kind matter. */
function disabling(txId: string, validationId: string, height: bigint): PlatformEvent {
  const base = { networkId: 1, blockchainId: PLATFORM_CHAIN_ID, outputs: [], inputs: [], memo: new Uint8Array() };
  const disableAuthorization = { kind: "Input" as const, signatureIndices: [] };
  const tx = assemble(unsignedTx, { kind: "DisableL1ValidatorTx", ...base, validationId, disableAuthorization }, []);
  Object.defineProperty(tx, "id", { value: txId });
  const nothing = { produced: [], consumed: [], imported: [], exported: [] };
  return { kind: "tx", tx, isCommitted: true, blockId: idOf(1), height, index: 0, ...nothing };
}
