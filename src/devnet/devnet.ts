/**
 * A whole network in one process. Every chain builds its own blocks, which are executed like those of any source and committed to one
 * store. Only committed data counts as state: after a crash the network continues from there. A devnet has no server; `LocalNetwork`
 * (`src/serve/local-network/start.ts`) adds one.
 */

import { formatNodeId } from "../base/bytes/cb58.ts";
import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../base/bytes/id.ts";
import type { PendingStatus } from "../chains/mempool/issuer.ts";
import { subnetEvmChains } from "../chains/subnet-evm/tables.ts";
import { RuleError } from "../network/execution.ts";
import { formatTime } from "../network/go-time.ts";
import type { NetworkInstance } from "../network/network.ts";
import { openStore } from "../store/open.ts";
import { scanAll } from "../store/store.ts";
import { ReplaceableStore } from "../store/switched-store.ts";
import type { AccountKey } from "./account-keys.ts";
import { EvmDownError } from "./anvil/evm-error.ts";
import type { EvmNode } from "./anvil/evm-node.ts";
import { DevnetClock, systemWallClock } from "./devnet-clock.ts";
import type { DevnetOptions, ServedEvmChain, Snapshot } from "./devnet-types.ts";
import { Engine } from "./engine.ts";
import { EvmChains } from "./evm/evm-chains.ts";
import type { EvmControls } from "./evm/evm-controls.ts";
import { pay } from "./faucet/faucet.ts";
import { type CreatedL1, createL1, type L1Wish } from "./l1/create-l1.ts";
import { Producer } from "./producer.ts";
import { carriedRows, NO_OUTSIDE_ROWS, type OutsideRows, Snapshots } from "./snapshots.ts";
import { Uptimes } from "./uptimes.ts";
import { DevnetWarp } from "./warp/devnet-warp.ts";

const NANOSECONDS = 1_000_000_000n;

export class Devnet {
  /** The same object throughout; after a revert it reads the restored environment. */
  readonly store: ReplaceableStore;
  readonly network: NetworkInstance;
  readonly clock: DevnetClock;
  readonly #options: DevnetOptions;
  readonly #snapshots: Snapshots;
  readonly #uptimes = new Uptimes();
  readonly #engine: Engine;
  /** the C-chain's and those of L1s */
  readonly evms: EvmChains;
  readonly warp: DevnetWarp;
  #outside: OutsideRows = NO_OUTSIDE_ROWS;
  #generation = 0;
  #runsEvms = false;
  #payments: Promise<unknown> = Promise.resolve();
  #stopping: Promise<void> | undefined;

  /** Opens or creates the network of a data directory; resolves when every chain but the C-chain's EVM is ready. */
  static async open(options: DevnetOptions): Promise<Devnet> {
    const { dataDirectory, network, isTemporary = false } = options;
    const store = new ReplaceableStore(await openStore({ directory: dataDirectory, mode: "write", network, isTemporary }));
    const clock = new DevnetClock(options.wallClock ?? systemWallClock);
    try {
      const devnet = new Devnet(options, store, clock);
      await devnet.#start();
      return devnet;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  private constructor(options: DevnetOptions, store: ReplaceableStore, clock: DevnetClock) {
    const { blockTimeMs, log, dataDirectory, network, isTemporary = false } = options;
    this.#options = options;
    this.store = store;
    this.network = options.network;
    this.clock = clock;
    this.#snapshots = new Snapshots(dataDirectory, { isTemporary });
    this.evms = new EvmChains({
      ...{ store, network, clock, log, dataDirectory, options: options.evm, hasBlockTime: blockTimeMs !== undefined },
      requestRound: (chainId) => this.#engine.requestRound(chainId),
      task: (work) => this.#engine.task(work),
      changed: () => this.#generation++,
      mine: (chainId) => this.mineEvm(1, 0n, chainId),
    });
    this.#engine = new Engine({ open: () => this.#openProducer(), onMoved: () => this.#generation++, clock, blockTimeMs, log });
    this.warp = new DevnetWarp({
      ...{ store, network, log, evms: this.evms, relays: options.relays !== false },
      task: (work) => this.#engine.task(work),
    });
  }

  /**
   * Increases with every revert, and with other changes of answers without a block. Whoever caches answers by height must add it to the
   * key.
   */
  get generation(): number {
    return this.#generation;
  }

  /** the C-chain's; undefined without an EVM */
  get evm(): EvmNode | undefined {
    return this.evms.running(this.network.cChainId)?.evm;
  }

  /** keys that genesis funds; all are public */
  get accountKeys(): readonly AccountKey[] {
    return this.#options.accountKeys ?? [];
  }

  /** Controls the C-chain. Throws if it has no EVM. */
  get evmControls(): EvmControls {
    const cChain = this.evms.running(this.network.cChainId);
    if (cChain === undefined) throw new EvmDownError("the C-chain's EVM does not run");
    return cChain.controls;
  }

  /** the C-chain's; undefined without an EVM */
  get evmChain(): ServedEvmChain | undefined {
    return this.evms.running(this.network.cChainId)?.chain;
  }

  /**
   * Resolves with the transaction's ID once it is accepted, or once it is in the mempool for a later block. Rejects with a CodecError or a
   * RuleError that has the node's text without the API's prefix.
   */
  issue(chainId: Id, bytes: Uint8Array, { viaWallet = false } = {}): Promise<Id> {
    return this.#engine.issue(chainId, bytes, viaWallet);
  }

  /** undefined if the transaction is accepted or unknown */
  status(chainId: Id, txId: Id): PendingStatus | undefined {
    return this.#engine.status(chainId, txId);
  }

  /** whether a transaction in the mempool creates this blockchain */
  isPendingChain(chainId: Id): boolean {
    return this.#engine.isPendingChain(chainId);
  }

  /** Moves the clock forward, and builds the blocks that become due on the way at their own times. */
  advanceTime(seconds: bigint): Promise<void> {
    return this.#moveClock((now) => now + seconds);
  }

  /** @param to Unix seconds, not in the past */
  setTime(to: bigint): Promise<void> {
    return this.#moveClock(() => to);
  }

  /** A validator's uptime in millionths; 1,000,000 unless set. */
  uptime(subnetId: Id, nodeId: NodeId): number {
    return this.#uptimes.get(subnetId, nodeId);
  }

  /** Sets an uptime, by default of the primary network. It counts for rewards that are decided from now on. */
  setUptime(nodeId: NodeId, millionths: number, subnetId: Id = PRIMARY_NETWORK_ID): Promise<void> {
    return this.#engine.task(async (producer) => {
      this.#uptimes.put(producer.chains.view, subnetId, nodeId, millionths);
      await producer.commit();
      this.#generation++;
      this.#options.log.info({ nodeId: formatNodeId(nodeId), percent: millionths / 10_000 }, "Set uptime");
    });
  }

  /** Builds the blocks that are due now, regardless of the block time. */
  buildDue(): Promise<void> {
    return this.#engine.task(async (producer) => {
      await producer.build();
      await producer.commit();
    });
  }

  /**
   * Builds the blocks that are due now, regardless of the block time, and a block of every EVM chain in any case. No node makes one that
   * is empty.
   */
  mine(): Promise<void> {
    return this.#engine.task(async (producer) => {
      await producer.build({ wantsEvmBlock: true });
      await producer.commit();
      this.#wake();
    });
  }

  /**
   * Makes blocks of an EVM chain, empty ones where nothing waits. No node makes one that is empty.
   * @param intervalSeconds between two of them; the clock moves forward as far as that takes
   * @param isLater the first one has a later time than its parent, as on development nodes, unless its time was chosen
   */
  mineEvm(blocks: number, intervalSeconds: bigint, chainId: Id = this.network.cChainId, { isLater = false } = {}): Promise<void> {
    return this.#engine.task(async (producer) => {
      for (let block = 0; block < blocks; block++) {
        const isChosen = block === 0 && this.evms.running(chainId)?.evm.nextTimestamp !== undefined;
        const first = isLater ? 1n : 0n;
        const time = producer.chains.evmTip(chainId).timestamp + (block === 0 ? first : intervalSeconds);
        if (!isChosen && time > this.clock.seconds()) await this.#engine.walk(producer, time);
        if (block > 0) producer.setNextEvmTimestamp(chainId, time);
        await producer.buildEvmBlock(chainId);
      }
      await producer.commit();
      this.#wake();
    });
  }

  /** Gives a C-chain without blocks an empty first one. Clients take the base fee from the newest block, and genesis has another one. */
  beginEvm(): Promise<void> {
    const { cChainId } = this.network;
    return this.#engine.task(async (producer) => {
      if (producer.chains.evmTip(cChainId).height > 0n) return;
      await producer.buildEvmBlock(cChainId);
      await producer.commit();
      this.#wake();
    });
  }

  /**
   * Gives this time to the next block of an EVM chain, whenever that is made, and moves the clock there if it is in the future.
   * @param to Unix seconds, not before the last block's
   */
  setNextEvmTimestamp(to: bigint, chainId: Id = this.network.cChainId): Promise<void> {
    return this.#engine.task(async (producer) => {
      producer.checkNextEvmTimestamp(chainId, to);
      if (to > this.clock.seconds()) await this.#engine.walk(producer, to);
      producer.setNextEvmTimestamp(chainId, to);
      this.#wake();
    });
  }

  /**
   * Pays from the pre-funded key: "P-…" and "X-…" on that chain, "0x…" and "C-…" on the C-chain. Payments run one at a time, because each
   * spends what the previous one left.
   * @param amount nAVAX
   * @returns the transaction's ID in cb58, or on the C-chain its hash, `0x…`
   */
  fund(address: string, amount: bigint): Promise<string> {
    const { store, network, clock, evm } = this;
    const accept = async (chainId: Id, bytes: Uint8Array) => {
      const txId = await this.issue(chainId, bytes);
      if (this.status(chainId, txId)?.kind === "processing") await this.buildDue();
      return txId;
    };
    const attempt = () => pay({ store, network, clock, evm, accept }, address, amount);
    const payment = this.#payments.then(attempt).catch(async (error: unknown) => {
      if (!(error instanceof RuleError)) throw error;
      // another client used the key at the same time; after the next block the rest may suffice
      await this.buildDue();
      return attempt();
    });
    this.#payments = payment.catch(() => {});
    return payment;
  }

  /** Makes an L1: all of it or nothing. Resolves when the RPC of its chain answers. */
  createL1(wish: L1Wish): Promise<CreatedL1> {
    const creation = this.#payments.then(async () => {
      const { store, network, clock, evms, accountKeys } = this;
      const created = await this.#engine.task((producer) => createL1({ producer, store, network, clock, evms, accountKeys }, wish));
      await evms.running(created.chainId)!.evm.ready();
      // its block 0 is indexed in this round
      await this.#engine.requestRound(created.chainId);
      return created;
    });
    this.#payments = creation.catch(() => {});
    return creation;
  }

  /** Copies the whole state; returns the copy's ID. @param isForOnce `revert` may use it up */
  snapshot({ isForOnce = false } = {}): Promise<string> {
    return this.#engine.task(async ({ chains }) => {
      const id = await this.#snapshots.take(this.store, { time: this.clock.nanoseconds(), heights: chains.progress.heights, isForOnce });
      this.#options.log.info({ id }, "Took a snapshot");
      return id;
    });
  }

  /** From now on a revert leaves these rows as they are. */
  keepThroughReverts(outside: OutsideRows): void {
    this.#outside = outside;
  }

  /**
   * Restores the whole state, including the clock, which then runs on. Waiting transactions are dropped.
   * Later copies that were made for once are removed. @param usesUp so is this one, if it was
   */
  revert(snapshotId: string, { usesUp = false } = {}): Promise<void> {
    return this.#engine.task(async () => {
      const clockChange = this.clock.changeTo(this.#snapshots.timeOf(snapshotId));
      await this.evms.each(({ chain }) => chain.pause());
      const { tables, exclusively } = this.#outside;
      await exclusively(() =>
        this.#snapshots.restore(
          snapshotId,
          this.store,
          async (copy) => [clockChange, ...(await this.evms.modeChanges(copy)), ...(await carriedRows(tables, this.store, copy))],
          () => {
            this.#engine.forget();
            this.#generation++;
          },
        ),
      );
      await this.clock.load(this.store);
      await this.#keepEvms();
      const kept = this.evms.all;
      await this.#engine.reopen();
      await Promise.all(kept.map(({ evm }) => evm.rebuild({ isRolledBack: true })));
      this.warp.relayer?.forget();
      await Promise.all(kept.map(({ chain }) => chain.resume()));
      this.#snapshots.useUp(snapshotId, { withItself: usesUp });
      this.#options.log.info({ id: snapshotId, clock: formatTime(this.clock.seconds()) }, "Reverted to a snapshot");
    });
  }

  async deleteSnapshot(snapshotId: string): Promise<void> {
    return this.#engine.task(async () => this.#snapshots.delete(snapshotId));
  }

  async snapshots(): Promise<readonly Snapshot[]> {
    return this.#snapshots.list();
  }

  /** Finishes the current round, then releases everything. May be called again. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const { startTime } = this.#options;
    const isKept = await this.clock.load(this.store);
    if (!isKept && startTime !== undefined) this.clock.set(startTime * NANOSECONDS);
    await this.#engine.task(async (producer) => {
      const { timestamp } = producer.chains.platform.state;
      if (this.clock.seconds() < timestamp) this.clock.set(timestamp * NANOSECONDS);
      if (!isKept) await producer.commit();
      await this.evms.startCChain();
      this.#runsEvms = true;
      await producer.runEvms();
    });
    this.#engine.start();
    this.warp.relayer?.wake();
  }

  #moveClock(to: (now: bigint) => bigint): Promise<void> {
    return this.#engine.task(async (producer) => {
      await this.#engine.walk(producer, to(this.clock.seconds()));
      this.#wake();
      this.#options.log.info({ to: formatTime(this.clock.seconds()) }, "Moved the clock");
    });
  }

  async #openProducer(): Promise<Producer> {
    const { network, networkFile, log, skipsMempoolRules = false } = this.#options;
    await this.#uptimes.load(this.store);
    const { store, clock, evms } = this;
    const own = { store, clock, uptimes: this.#uptimes, evms, onCommitted: () => this.warp.relayer?.wake() };
    const parts = { ...own, network, networkFile, log, skipsMempoolRules };
    const producer = await Producer.open(parts);
    if (this.#runsEvms) await producer.runEvms();
    return producer;
  }

  /** Contracts may answer differently now. */
  #wake(): void {
    for (const { chain } of this.evms.all) chain.wake();
  }

  /** Ends the EVMs of L1s that the store, which was replaced, does not have. */
  async #keepEvms(): Promise<void> {
    const kept = new Set([this.network.cChainId]);
    for await (const { value } of scanAll(this.store, subnetEvmChains)) kept.add(value.chainId);
    await this.evms.keepOnly(kept);
  }

  async #stop(): Promise<void> {
    await this.evms.each(async ({ controls }) => controls.stop());
    this.warp.relayer?.stop();
    await this.#engine.stop();
    await this.evms.each(async ({ chain, evm }) => {
      await chain.pause();
      await evm.stop();
    });
    await this.store.close();
  }
}
