import { join } from "node:path";
import { cChainGenesis } from "../evm-node/c-chain-genesis.ts";
import { DevelopmentEvm } from "../evm-node/development-evm.ts";
import type { PendingStatus } from "../mempool/issuer.ts";
import { RuleError } from "../network/execution.ts";
import { formatTime } from "../network/go-time.ts";
import type { NetworkInstance } from "../network/network.ts";
import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../primitives/id.ts";
import { formatNodeId } from "../primitives/node-id.ts";
import { openStore } from "../store/open.ts";
import { ReplaceableStore } from "../store/replaceable-store.ts";
import type { Devnet, DevnetOptions, Snapshot } from "./devnet.ts";
import { DevnetClock, systemWallClock } from "./devnet-clock.ts";
import { DevnetEvmChain } from "./devnet-evm-chain.ts";
import { Engine } from "./engine.ts";
import { indexedChain } from "./evm-indexed.ts";
import { pay } from "./faucet/faucet.ts";
import { Producer } from "./producer.ts";
import { Snapshots } from "./snapshots.ts";
import { Uptimes } from "./uptimes.ts";

const NANOSECONDS = 1_000_000_000n;

export class LocalDevnet implements Devnet {
  readonly store: ReplaceableStore;
  readonly network: NetworkInstance;
  readonly clock: DevnetClock;
  readonly #options: DevnetOptions;
  readonly #snapshots: Snapshots;
  readonly #uptimes = new Uptimes();
  readonly #engine: Engine;
  #evm: DevelopmentEvm | undefined;
  #evmChain: DevnetEvmChain | undefined;
  #generation = 0;
  #payments: Promise<unknown> = Promise.resolve();
  #stopping: Promise<void> | undefined;

  static async open(options: DevnetOptions): Promise<LocalDevnet> {
    const { dataDirectory, network, isTemporary = false } = options;
    const store = new ReplaceableStore(await openStore({ directory: dataDirectory, mode: "write", network, isTemporary }));
    const clock = new DevnetClock(options.wallClock ?? systemWallClock);
    try {
      const devnet = new LocalDevnet(options, store, clock);
      await devnet.#start();
      return devnet;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  private constructor(options: DevnetOptions, store: ReplaceableStore, clock: DevnetClock) {
    const { blockTimeMs, log, dataDirectory, isTemporary = false } = options;
    this.#options = options;
    this.store = store;
    this.network = options.network;
    this.clock = clock;
    this.#snapshots = new Snapshots(dataDirectory, { isTemporary });
    this.#engine = new Engine({ open: () => this.#openProducer(), clock, blockTimeMs, log });
  }

  get generation(): number {
    return this.#generation;
  }

  get evm(): DevelopmentEvm | undefined {
    return this.#evm;
  }

  get evmChain(): DevnetEvmChain | undefined {
    return this.#evmChain;
  }

  issue(chainId: Id, bytes: Uint8Array, { viaWallet = false } = {}): Promise<Id> {
    return this.#engine.issue(chainId, bytes, viaWallet);
  }

  status(chainId: Id, txId: Id): PendingStatus | undefined {
    return this.#engine.status(chainId, txId);
  }

  isPendingChain(chainId: Id): boolean {
    return this.#engine.isPendingChain(chainId);
  }

  advanceTime(seconds: bigint): Promise<void> {
    return this.#moveClock((now) => now + seconds);
  }

  setTime(to: bigint): Promise<void> {
    return this.#moveClock(() => to);
  }

  uptime(subnetId: Id, nodeId: NodeId): number {
    return this.#uptimes.get(subnetId, nodeId);
  }

  setUptime(nodeId: NodeId, millionths: number, subnetId: Id = PRIMARY_NETWORK_ID): Promise<void> {
    return this.#engine.task(async (producer) => {
      this.#uptimes.put(producer.chains.view, subnetId, nodeId, millionths);
      await producer.commit();
      this.#generation++;
      this.#options.log.info({ nodeId: formatNodeId(nodeId), percent: millionths / 10_000 }, "Set uptime");
    });
  }

  mine(): Promise<void> {
    return this.#engine.task(async (producer) => {
      await producer.build();
      await producer.commit();
    });
  }

  /** One after the other: each spends what the one before it left. */
  fund(address: string, amount: bigint): Promise<string> {
    const { store, network, clock, evm } = this;
    const accept = async (chainId: Id, bytes: Uint8Array) => {
      const txId = await this.issue(chainId, bytes);
      if (this.status(chainId, txId)?.kind === "processing") await this.mine();
      return txId;
    };
    const attempt = () => pay({ store, network, clock, evm, accept }, address, amount);
    const payment = this.#payments.then(attempt).catch(async (error: unknown) => {
      if (!(error instanceof RuleError)) throw error;
      // somebody else used the key just then: what is left after that block may do
      await this.mine();
      return attempt();
    });
    this.#payments = payment.catch(() => {});
    return payment;
  }

  snapshot(): Promise<string> {
    return this.#engine.task(async ({ chains }) => {
      const id = await this.#snapshots.take(this.store, this.clock.nanoseconds(), chains.progress.heights);
      this.#options.log.info({ id }, "Took a snapshot");
      return id;
    });
  }

  revert(snapshotId: string): Promise<void> {
    return this.#engine.task(async () => {
      const clockChange = this.clock.changeTo(this.#snapshots.timeOf(snapshotId));
      await this.#evmChain?.pause();
      await this.#snapshots.restore(snapshotId, this.store, [clockChange], () => {
        this.#engine.forget();
        this.#generation++;
      });
      await this.clock.load(this.store);
      await this.#engine.reopen();
      await this.#evm?.rebuild({ forgetsPool: true });
      await this.#evmChain?.resume();
      this.#options.log.info({ id: snapshotId, clock: formatTime(this.clock.seconds()) }, "Reverted to a snapshot");
    });
  }

  async snapshots(): Promise<readonly Snapshot[]> {
    return this.#snapshots.list();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #start(): Promise<void> {
    const { dataDirectory, network, log, evm, startTime } = this.#options;
    const isKept = await this.clock.load(this.store);
    if (!isKept && startTime !== undefined) this.clock.set(startTime * NANOSECONDS);
    await this.#engine.task(async (producer) => {
      const { timestamp } = producer.chains.platform.state;
      if (this.clock.seconds() < timestamp) this.clock.set(timestamp * NANOSECONDS);
      if (!isKept) await producer.commit();
      if (evm === false) return;
      const requestRound = () => this.#evmRound();
      const { store } = this;
      const evmChainId = BigInt(cChainGenesis(network).chainId);
      this.#evm = new DevelopmentEvm({
        ...evm,
        directory: join(dataDirectory, "c-chain"),
        network,
        store,
        clock: this.clock,
        log,
        requestRound,
        indexedHeight: async () => (await indexedChain(store, evmChainId)).height,
      });
      this.#evmChain = new DevnetEvmChain({ evm: this.#evm, network, store, clock: this.clock, log });
      await producer.runEvm(this.#evm, this.#evmChain);
    });
    this.#engine.start();
  }

  #moveClock(to: (now: bigint) => bigint): Promise<void> {
    return this.#engine.task(async (producer) => {
      await this.#engine.walk(producer, to(this.clock.seconds()));
      this.#evmChain?.wake();
      this.#options.log.info({ to: formatTime(this.clock.seconds()) }, "Moved the clock");
    });
  }

  async #openProducer(): Promise<Producer> {
    const { network, networkFile, log, skipsMempoolRules = false } = this.#options;
    await this.#uptimes.load(this.store);
    const parts = { store: this.store, network, networkFile, clock: this.clock, uptimes: this.#uptimes, log, skipsMempoolRules };
    const producer = await Producer.open(parts);
    if (this.#evm !== undefined) await producer.runEvm(this.#evm, this.#evmChain!);
    return producer;
  }

  /** A client of the child waits for its transaction's block, unless blocks come at their own time. */
  async #evmRound(): Promise<void> {
    if (this.#options.blockTimeMs === undefined) await this.#engine.requestRound(this.network.cChainId);
  }

  async #stop(): Promise<void> {
    await this.#engine.stop();
    await this.#evmChain?.pause();
    await this.#evm?.stop();
    await this.store.close();
  }
}
