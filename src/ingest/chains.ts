/**
 * All chains of a store over one view: P, X and C from genesis on, and other chains of assets and of Subnet-EVM from the P block that
 * creates them, if the source has their blocks. Serving processes also open them, to verify issued transactions against the committed state.
 */

import { type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { RuleLevel } from "../base/errors/rule-level.ts";
import type { SignaturesAhead } from "../base/signatures/signatures-ahead.ts";
import type { Row, Table, TableValue } from "../base/table/table.ts";
import { NotPrefetchedError, View } from "../base/table/view.ts";
import { AssetChain, type AssetInstance } from "../chains/asset/chain.ts";
import { assetChainState, assetChains } from "../chains/asset/tables.ts";
import { CChain } from "../chains/atomic/chain.ts";
import { evmTips } from "../chains/atomic/tables.ts";
import { PlatformChain } from "../chains/platform/chain.ts";
import type { PlatformFacts } from "../chains/platform/facts.ts";
import { parseGenesis } from "../chains/platform/genesis/genesis.ts";
import { platformChain, platformSubnets, platformValidatorDiffs } from "../chains/platform/tables.ts";
import { RECENT_HEIGHTS } from "../chains/platform/validator-sets.ts";
import { parseSubnetEvmBlock } from "../chains/subnet-evm/block.ts";
import { SubnetEvmChain } from "../chains/subnet-evm/chain.ts";
import { isSubnetEvm, readGenesis } from "../chains/subnet-evm/problem.ts";
import { subnetEvmChains } from "../chains/subnet-evm/tables.ts";
import type { Ranges } from "../index/packed-list.ts";
import { platformIndexResidentTables } from "../index/platform.ts";
import { PrimaryIndex } from "../index/primary/primary-index.ts";
import type { Fetch, Projection } from "../index/primary/projection.ts";
import { projections as allProjections } from "../index/primary/projections.ts";
import { storeSource } from "../index/tables.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { BlockItem, Progress, SourceItem } from "../sources/source.ts";
import { formatChange } from "../store/format.ts";
import { type Store, type StoreReader, scanAll, sideBySide } from "../store/store.ts";
import { ingestProgress } from "../store/tables.ts";
import { AssetSteps } from "./asset-steps.ts";
import { ContainerRules } from "./container-rules.ts";
import { EvmSteps } from "./evm-steps.ts";
import { IngestLog } from "./ingest-log.ts";
import { isAssetChain } from "./network-instance.ts";
import { PlatformSteps } from "./platform-steps.ts";
import { sharedMemoryStep } from "./shared-memory-step.ts";
import { type BlockStep, type Chains, fetchRows, type Step } from "./steps.ts";
import { SubnetEvmSteps } from "./subnet-evm-steps.ts";

interface ParsedBlock {
  readonly id: Id;
  readonly height: bigint;
  readonly parentId: Id;
}

export type SubnetEvmRow = TableValue<typeof subnetEvmChains>;
type CreatedChain = PlatformFacts["createdChains"][number];

const NANOSECONDS = 1_000_000_000n;

interface ChainOptions {
  network: NetworkInstance;
  level: RuleLevel;
  /** Chains other than P, X and C to execute. `all`: every chain that is created with a valid genesis. */
  otherChains?: readonly Id[] | "all";
  /** projections of the Data API's index; by default all, none if the chains will not ingest */
  projections?: readonly Projection[];
  /** recovers signers on other threads; of no use at level `replay` */
  signatures?: SignaturesAhead | undefined;
}

/** Tables whose rows the view must hold before the chains are made. */
export function residentTablesOf({ projections = allProjections }: Pick<ChainOptions, "projections">): readonly Table[] {
  return [
    ...PlatformChain.residentTables,
    ...AssetChain.residentTables,
    ...CChain.residentTables,
    subnetEvmChains,
    ...platformIndexResidentTables,
    ingestProgress,
    ...projections.flatMap((projection) => projection.residentTables),
  ];
}

/** Loads all chains from the store. An empty store has none yet; call `startFromGenesis`. */
export async function openChains(reader: StoreReader, options: ChainOptions): Promise<NodeChains> {
  const view = new View();
  const load = async (table: Table) => {
    for await (const { key, value } of scanAll(reader, table)) view.load(table, key, value);
    view.setResident(table);
  };
  await Promise.all(residentTablesOf(options).map(load));
  const chains = new NodeChains(view, options);
  if (chains.hasState) {
    chains.platform.initialize(await recentDiffs(reader, chains));
    await loadContainers(reader, chains);
  }
  return chains;
}

/** Writes genesis into an empty store in one commit. `hasVertices`: the X-chain's vertices will follow. */
export async function startFromGenesis(
  store: Store,
  chains: NodeChains,
  { networkFile, hasVertices }: { networkFile: Uint8Array; hasVertices: boolean },
): Promise<void> {
  const { view, network } = chains;
  chains.genesis({ hasVertices });
  await chains.flush((keys) => fetchRows(store, view, keys), store);
  view.put(storeSource, { slot: 0 }, { network: networkFile, genesis: network.genesisBytes });
  await store.commit([formatChange(network), ...view.drain()]);
  view.evict();
  await loadContainers(store, chains);
}

async function loadContainers(reader: StoreReader, { progress, containerRules }: NodeChains): Promise<void> {
  await Promise.all([...progress.heights].map(([chainId, height]) => containerRules.load(reader, chainId, height)));
}

/** Changes of validator sets at the heights at which warp messages may be verified. */
async function recentDiffs(reader: StoreReader, { view, platform }: NodeChains): Promise<Row<typeof platformValidatorDiffs>[]> {
  const tip = platform.state.scalars.height;
  const height = tip > RECENT_HEIGHTS ? tip - RECENT_HEIGHTS : 0n;
  const read = async (subnetId: Id) => {
    const ofSubnet: Row<typeof platformValidatorDiffs>[] = [];
    for await (const row of scanAll(reader, platformValidatorDiffs, { subnetId }, { from: { height } })) ofSubnet.push(row);
    return ofSubnet;
  };
  const rows: Row<typeof platformValidatorDiffs>[] = [];
  const subnets = [PRIMARY_NETWORK_ID, ...[...view.rows(platformSubnets)].map(({ key }) => key.subnetId)];
  for await (const ofSubnet of sideBySide(subnets, read)) for (const row of ofSubnet) rows.push(row);
  return rows;
}

export class NodeChains implements Chains {
  readonly view: View;
  readonly network: NetworkInstance;
  readonly platform: PlatformChain;
  readonly evm: CChain;
  readonly containerRules: ContainerRules;
  readonly #level: RuleLevel;
  readonly #otherChains: ReadonlySet<Id> | "all";
  readonly #log: IngestLog;
  readonly #index: PrimaryIndex;
  readonly #signatures: SignaturesAhead | undefined;
  readonly #platformSteps: PlatformSteps;
  readonly #evmSteps: EvmSteps;
  readonly #assets = new Map<Id, AssetSteps>();
  readonly #subnetEvms = new Map<Id, SubnetEvmSteps>();

  constructor(view: View, { network, level, otherChains = [], projections = allProjections, signatures }: ChainOptions) {
    this.view = view;
    this.network = network;
    this.platform = new PlatformChain(network, view);
    this.evm = new CChain(network, view);
    this.containerRules = new ContainerRules(network, this.platform);
    this.#level = level;
    this.#otherChains = otherChains === "all" ? otherChains : new Set(otherChains);
    this.#log = new IngestLog(view);
    this.#index = new PrimaryIndex(view, network, projections);
    this.#signatures = level === "full" ? signatures : undefined;
    this.#platformSteps = new PlatformSteps(this.platform, view, this.#log, { index: this.#index, signatures: this.#signatures });
    this.#evmSteps = new EvmSteps(this.evm, network, view, this.#log, this.#index);
    for (const { key, value } of view.rows(assetChains)) this.#openAssetChain({ chain: key.chain, ...value });
    for (const { value } of view.rows(subnetEvmChains)) if (value.runs) this.#openSubnetEvm(value);
  }

  get hasState(): boolean {
    return this.view.get(platformChain, { slot: 0 }) !== undefined;
  }

  /** X and the other asset chains executed here */
  get assetChains(): AssetChain[] {
    return [...this.#assets.values()].map(({ chain }) => chain);
  }

  /** undefined if the chain is not an asset chain or not executed here */
  assetChain(chainId: Id): AssetChain | undefined {
    return this.#assets.get(chainId)?.chain;
  }

  /** the chains of Subnet-EVM that run here, in no order */
  get subnetEvmChains(): SubnetEvmChain[] {
    return [...this.#subnetEvms.values()].map(({ chain }) => chain);
  }

  /** the chains of Subnet-EVM in order of creation, including those that cannot run */
  get subnetEvms(): SubnetEvmRow[] {
    return [...this.view.rows(subnetEvmChains)].sort((a, b) => a.key.chain - b.key.chain).map(({ value }) => value);
  }

  /** The newest block of an EVM chain that runs here. */
  evmTip(chainId: Id): TableValue<typeof evmTips> {
    return this.view.get(evmTips, { chainId })!;
  }

  get progress(): Progress {
    const heights = new Map<Id, bigint>([[PLATFORM_CHAIN_ID, this.platform.state.scalars.height]]);
    const vertices = new Map<Id, bigint>();
    for (const [chainId, { chain }] of this.#assets) {
      if (chain.height !== undefined) heights.set(chainId, chain.height);
      vertices.set(chainId, this.view.get(assetChainState, { chain: chain.instance.chain })!.vertexCount);
    }
    const lastAccepted = new Map<Id, Id>([[PLATFORM_CHAIN_ID, this.platform.state.scalars.lastAccepted]]);
    for (const [chainId, { chain }] of this.#assets) lastAccepted.set(chainId, chain.tip.lastAccepted);
    if (this.evm.progress !== undefined) {
      heights.set(this.network.cChainId, this.evm.progress.height);
      lastAccepted.set(this.network.cChainId, this.evm.progress.lastAccepted);
    }
    for (const [chainId, { chain }] of this.#subnetEvms) {
      heights.set(chainId, chain.tip.height);
      lastAccepted.set(chainId, chain.tip.lastAccepted);
    }
    return { heights, vertices, sharedMemoryOperations: this.#log.progress.sharedMemoryOperations, lastAccepted };
  }

  decode(item: SourceItem): Step | "not-yet" {
    if (item.kind === "shared-memory")
      return sharedMemoryStep(item, { view: this.view, log: this.#log, index: this.#index, platform: this.platform });
    if (item.kind === "vertex") return this.#assets.get(item.chainId)?.vertexStep(item, this.#level) ?? "not-yet";
    const step = this.#blockStep(item);
    if (step === undefined) return "not-yet";
    return this.#level === "full" ? this.containerRules.checked(item, step) : step;
  }

  /** undefined if the block's chain is created by an earlier item */
  #blockStep(item: BlockItem): BlockStep | undefined {
    if (item.chainId === PLATFORM_CHAIN_ID)
      return this.#platformSteps.step(item, this.#level, (facts, acceptedAt) => this.#startCreated(facts, acceptedAt));
    if (item.chainId === this.network.cChainId) return this.#evmSteps.step(item, this.#level);
    return this.#assets.get(item.chainId)?.blockStep(item, this.#level) ?? this.#subnetEvms.get(item.chainId)?.step(item);
  }

  /** Parses a block of a chain other than P. @param bytes without its proposervm wrapper; undefined if no such chain runs here */
  parserOf(chainId: Id): ((bytes: Uint8Array) => ParsedBlock) | undefined {
    if (chainId === this.network.cChainId) return (bytes) => this.evm.parse(bytes);
    if (this.#subnetEvms.has(chainId)) return parseSubnetEvmBlock;
    const chain = this.assetChain(chainId);
    return chain && ((bytes) => chain.parse(bytes));
  }

  flush(fetch: Fetch, ranges: Ranges): Promise<void> {
    return this.#index.flush(fetch, ranges);
  }

  genesis({ hasVertices }: { hasVertices: boolean }): void {
    const { createdChains, timestamp } = this.#platformSteps.genesis();
    this.platform.initialize();
    for (const created of createdChains) {
      if (created.chainId === this.network.cChainId) this.evm.genesis(created.genesis);
      else if (created.chainId === this.network.xChainId)
        this.#createAssetChain(created, timestamp * NANOSECONDS, { startsAsDag: hasVertices });
    }
  }

  #startCreated({ createdChains }: PlatformFacts, acceptedAt: bigint): void {
    for (const created of createdChains) {
      if (isSubnetEvm(created) && (this.#otherChains === "all" || this.#otherChains.has(created.chainId))) this.#createSubnetEvm(created);
      if (!isAssetChain(created)) continue;
      if (this.#otherChains === "all") this.#tryToCreateAssetChain(created, acceptedAt);
      else if (this.#otherChains.has(created.chainId)) this.#createAssetChain(created, acceptedAt, { startsAsDag: false });
    }
  }

  /**
   * The P-chain accepts any bytes as a chain's genesis. If a chain cannot start, it is ignored, and the block that creates it is still
   * valid.
   */
  #tryToCreateAssetChain(created: CreatedChain, acceptedAt: bigint): void {
    try {
      this.view.whole(() => this.#createAssetChain(created, acceptedAt, { startsAsDag: false }));
    } catch (error) {
      if (!(error instanceof FirnError) || error instanceof NotPrefetchedError) throw error;
    }
  }

  #createAssetChain(created: CreatedChain, acceptedAt: bigint, { startsAsDag }: { startsAsDag: boolean }): void {
    const { chainId, fxIds, genesis } = created;
    const steps = this.#openAssetChain({ chain: this.#assets.size, chainId, fxIds });
    // undone together with the block that creates it
    this.view.onRollback(() => this.#assets.delete(chainId));
    steps.genesis(genesis, { acceptedAt, startsAsDag });
  }

  /** A chain that cannot run has a row too: it is part of what the block did here. */
  #createSubnetEvm({ chainId, genesis: bytes }: CreatedChain): void {
    const taken = new Set([this.#cEvmChainId(), ...this.subnetEvmChains.map(({ evmChainId }) => evmChainId)]);
    const read = readGenesis(bytes, this.network, (evmChainId) => taken.has(evmChainId));
    const chain = [...this.view.rows(subnetEvmChains)].length;
    if ("problem" in read) {
      this.view.put(subnetEvmChains, { chain }, { chainId, evmChainId: 0n, runs: false });
      return;
    }
    const { evmChainId, timestamp } = read.genesis;
    this.view.put(subnetEvmChains, { chain }, { chainId, evmChainId, runs: true });
    this.view.onRollback(() => this.#subnetEvms.delete(chainId));
    this.#openSubnetEvm({ chainId, evmChainId }).genesis(timestamp);
  }

  #openSubnetEvm(instance: { readonly chainId: Id; readonly evmChainId: bigint }): SubnetEvmChain {
    const chain = new SubnetEvmChain(instance, this.view);
    this.#subnetEvms.set(instance.chainId, new SubnetEvmSteps(chain, this.view, this.#log));
    return chain;
  }

  #cEvmChainId(): bigint {
    const { unsigned } = parseGenesis(this.network.genesisBytes).chains.find(({ id }) => id === this.network.cChainId)!;
    const { config } = JSON.parse(Buffer.from(unsigned.genesisData).toString("utf8")) as { config?: { chainId?: number } };
    return BigInt(config?.chainId ?? 0);
  }

  #openAssetChain(instance: AssetInstance): AssetSteps {
    const isX = instance.chainId === this.network.xChainId;
    const chain = new AssetChain(this.network, this.view, isX ? { ...instance, alias: "X" } : instance);
    const index = isX ? this.#index : undefined;
    const steps = new AssetSteps(chain, this.network, this.view, this.#log, { index, signatures: this.#signatures });
    this.#assets.set(instance.chainId, steps);
    return steps;
  }
}
