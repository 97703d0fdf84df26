/**
 * The EVM chains of a devnet: the C-chain, and the chains of L1s, which start when the block that creates them is committed. Each has an
 * object for as long as the chain exists, across children and reverts.
 */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import type { Change } from "../../base/table/table.ts";
import { evmTips } from "../../chains/atomic/tables.ts";
import { platformChains } from "../../chains/platform/tables.ts";
import { signedTx } from "../../chains/platform/tx/registry.ts";
import { storedTx } from "../../chains/platform/tx/signed.ts";
import { readGenesis } from "../../chains/subnet-evm/problem.ts";
import { evmChains } from "../../evm/index/tables.ts";
import { findChain } from "../../evm/ingest/open-chain.ts";
import { readPlatformTxs } from "../../index/stored-txs.ts";
import type { SubnetEvmRow } from "../../ingest/chains.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import { cChainSpec } from "../anvil/chains/c-chain-spec.ts";
import type { EvmChainSpec } from "../anvil/chains/evm-chain-spec.ts";
import { subnetEvmSpec } from "../anvil/chains/subnet-evm-spec.ts";
import { DevelopmentEvm } from "../anvil/development-evm.ts";
import type { EvmOptions } from "../anvil/evm-node.ts";
import type { DevnetClock } from "../devnet-clock.ts";
import { type EvmControlParts, EvmControls } from "./evm-controls.ts";
import { EvmModes } from "./evm-modes.ts";
import { DevnetEvmChain } from "./index-chain.ts";
import { indexedChain } from "./indexed-height.ts";

interface EvmChainsParts {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly clock: DevnetClock;
  readonly log: Logger;
  readonly dataDirectory: string;
  /** false: no EVM runs */
  readonly options: EvmOptions | false;
  /** whether blocks come at intervals that the network was started with */
  readonly hasBlockTime: boolean;
  /** Has a block made of what a chain's pool holds. */
  requestRound(chainId: Id): Promise<void>;
  task: EvmControlParts["task"];
  /** Call this when answers changed without a block. */
  changed(): void;
  /** Makes a block of a chain, if only an empty one. */
  mine(chainId: Id): Promise<void>;
}

export interface RunningEvm {
  readonly spec: EvmChainSpec;
  readonly evm: DevelopmentEvm;
  readonly chain: DevnetEvmChain;
  readonly modes: EvmModes;
  readonly controls: EvmControls;
}

/** A chain of Subnet-EVM's VM that was created in this devnet. */
export interface L1 {
  readonly chainId: Id;
  readonly chainName: string;
  readonly subnetId: Id;
  /** undefined: it does not run */
  readonly running: RunningEvm | undefined;
  /** why it does not run */
  readonly problem: string | undefined;
}

export class EvmChains {
  readonly #parts: EvmChainsParts;
  readonly #running = new Map<Id, RunningEvm>();
  readonly #l1s = new Map<Id, L1>();
  #onStarted: (running: RunningEvm) => Promise<void> = async () => {};

  constructor(parts: EvmChainsParts) {
    this.#parts = parts;
  }

  running(chainId: Id): RunningEvm | undefined {
    return this.#running.get(chainId);
  }

  get all(): readonly RunningEvm[] {
    return [...this.#running.values()];
  }

  /** in order of creation */
  get l1s(): readonly L1[] {
    return [...this.#l1s.values()];
  }

  /** @param act called with every chain that runs, and with each that starts later */
  async watch(act: (running: RunningEvm) => Promise<void>): Promise<void> {
    this.#onStarted = act;
    for (const running of this.all) await act(running);
  }

  /** Why no other L1 could run now. */
  problemOfAnother(): string | undefined {
    const { options } = this.#parts;
    if (options === false) return "this network runs without an EVM";
    const { evmL1s } = options.limits ?? DEFAULT_LIMITS;
    const count = this.l1s.filter(({ running }) => running !== undefined).length;
    return count < evmL1s ? undefined : `${evmL1s} L1s run here, which is the limit evmL1s; raise it with --limits`;
  }

  async startCChain(): Promise<void> {
    if (this.#parts.options === false) return;
    await this.#start(cChainSpec(this.#parts.network), this.#parts.options);
  }

  /** Returns the chain, which is started if it was not; undefined if it cannot run. */
  async openL1(row: SubnetEvmRow): Promise<RunningEvm | undefined> {
    const { chainId } = row;
    const known = this.#l1s.get(chainId);
    if (known !== undefined) return known.running;
    const { options, log } = this.#parts;
    const { chainName, subnetId, read } = await this.#created(row);
    const problem = "problem" in read ? read.problem : this.problemOfAnother();
    const isFit = problem === undefined && "genesis" in read && options !== false;
    const running = isFit ? await this.#start(this.#specOf(row, { chainName, subnetId, genesis: read.genesis }), options) : undefined;
    this.#l1s.set(chainId, { chainId, chainName, subnetId, running, problem });
    const facts = { chain: formatId(chainId), chainName };
    if (running === undefined) log.warn({ ...facts, problem }, "The chain of an L1 does not run");
    else log.info({ ...facts, evmChainId: `${running.spec.evmChainId}` }, "Started the chain of an L1");
    return running;
  }

  /** The changes by which another state of the store has the same modes as now, of the chains that it has. */
  async modeChanges(other: StoreReader): Promise<Change[]> {
    const changes: Change[] = [];
    for (const { spec, modes } of this.all) {
      const { chainId } = spec;
      if ((await other.get(evmTips, { chainId })) !== undefined) changes.push(...(await modes.changesOf(other)));
    }
    return changes;
  }

  /** Forgets L1s that the store no longer has, and ends their EVMs. */
  async keepOnly(chainIds: ReadonlySet<Id>): Promise<void> {
    for (const { chainId, running } of this.l1s) {
      // one that did not run may run now
      if (chainIds.has(chainId) && running !== undefined) continue;
      this.#l1s.delete(chainId);
      this.#running.delete(chainId);
      running?.controls.stop();
      await running?.chain.pause();
      await running?.evm.stop();
      await rm(this.#directory(chainId), { recursive: true, force: true });
    }
  }

  /** Called with each of them that is running. */
  async each(act: (running: RunningEvm) => Promise<void>): Promise<void> {
    await Promise.all(this.all.map(act));
  }

  async #start(spec: EvmChainSpec, options: EvmOptions): Promise<RunningEvm> {
    const { store, network, clock, log, requestRound } = this.#parts;
    const { chainId, evmChainId } = spec;
    const modes = new EvmModes(chainId);
    await modes.load(store);
    const { chain: number, startHeight } = await findChain(store, evmChainId);
    // its number must be taken before another chain looks for one
    if (startHeight === undefined) {
      await store.commit([{ table: evmChains, key: { chain: number }, value: { evmChainId, startHeight: 0n } } as Change]);
    }
    const cChain = this.#running.get(network.cChainId);
    const evm = new DevelopmentEvm({
      ...options,
      directory: this.#directory(chainId),
      spec,
      store,
      clock,
      log,
      // a client waits for its transaction's block, unless that comes at intervals or when somebody asks for it
      requestRound: async () => (controls.isAutomatic ? requestRound(chainId) : undefined),
      indexedHeight: async () => (await indexedChain(store, evmChainId)).height,
      // the network answers once the C-chain does, so that comes first
      ...(cChain && { after: cChain.evm.started() }),
    });
    const chain = new DevnetEvmChain({ evm, spec, store, clock, log });
    const controls = this.#controls(spec, evm, modes);
    const running = { spec, evm, chain, modes, controls };
    this.#running.set(chainId, running);
    controls.start();
    await this.#onStarted(running);
    return running;
  }

  #controls({ chainId, name }: EvmChainSpec, evm: DevelopmentEvm, modes: EvmModes): EvmControls {
    const { hasBlockTime, task, changed, mine, log } = this.#parts;
    return new EvmControls({
      ...{ modes, hasBlockTime, task, changed, evm },
      mine: () => mine(chainId),
      onProblem: (err) => log.warn({ err }, `Could not make a block of ${name} at its interval`),
    });
  }

  #specOf({ chainId }: SubnetEvmRow, l1: NonNullable<EvmChainSpec["l1"]>): EvmChainSpec {
    return subnetEvmSpec({ chainId, network: this.#parts.network, ...l1 });
  }

  async #created({ chainId, runs }: SubnetEvmRow) {
    const { store, network } = this.#parts;
    const [row, [tx]] = await Promise.all([store.get(platformChains, { chainId }), readPlatformTxs(store, [chainId])]);
    const { unsigned } = storedTx(signedTx, tx!.bytes);
    if (unsigned.kind !== "CreateChainTx") throw new TypeError(`${formatId(chainId)} creates no chain`);
    // whether its chain ID was free was decided when it was created
    const read = readGenesis(unsigned.genesisData, network, () => !runs);
    return { chainName: Buffer.from(row!.name, "latin1").toString(), subnetId: row!.subnetId, read };
  }

  #directory(chainId: Id): string {
    const { dataDirectory, network } = this.#parts;
    return chainId === network.cChainId ? join(dataDirectory, "c-chain") : join(dataDirectory, "l1s", formatId(chainId));
  }
}
