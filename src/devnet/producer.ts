/**
 * Makes blocks: admits issued transactions to the mempools, builds blocks on the last accepted state, executes them like those of any
 * source, and commits. Nothing else uses the view, and calls must not overlap. After an error thrown here the producer is unusable; open a
 * new one from the store.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "pino";
import { type Id, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import { AssetIssuer } from "../chains/asset/builder/asset-issuer.ts";
import type { BuildContext, ChainIssuer, PendingStatus } from "../chains/mempool/issuer.ts";
import { PlatformIssuer } from "../chains/platform/builder/platform-issuer.ts";
import { type NodeChains, openChains, startFromGenesis } from "../ingest/chains.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { Store } from "../store/store.ts";
import { type Admission, admitAll, type Issued } from "./admission.ts";
import { EvmDownError } from "./anvil/evm-error.ts";
import type { EvmEdit } from "./anvil/sealing/evm-edits.ts";
import { withChild } from "./anvil/with-child.ts";
import { BlockMaker, isRefusal } from "./block-maker.ts";
import { Containers } from "./containers.ts";
import type { DevnetClock } from "./devnet-clock.ts";
import type { EvmChains } from "./evm/evm-chains.ts";
import { type EvmProduction, RunningEvms } from "./evm/running-evms.ts";
import { ProducerCommits, WholeSections } from "./producer-commits.ts";
import type { Uptimes } from "./uptimes.ts";

interface ProducerParts {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  readonly clock: DevnetClock;
  readonly uptimes: Uptimes;
  /** runs the EVMs of chains that P-chain blocks create */
  readonly evms: EvmChains;
  readonly log: Logger;
  readonly skipsMempoolRules: boolean;
  /** called after every commit */
  onCommitted(): void;
}

interface BuildOptions {
  readonly chainIds?: ReadonlySet<Id>;
  readonly isOneEach?: boolean;
  readonly wantsEvmBlock?: boolean;
}

/** A commit ends after this many row changes, counting rows that are overwritten again. */
const ROWS_PER_COMMIT = 50_000;
/** After this many blocks the event loop runs, for requests that this process serves. */
const BLOCKS_PER_TURN = 32;

export class Producer {
  readonly chains: NodeChains;
  readonly #parts: ProducerParts;
  readonly #containers: Containers;
  readonly #platform: PlatformIssuer;
  readonly #issuers = new Map<Id, ChainIssuer>();
  /** of the chains whose EVMs run */
  readonly #evms = new Map<Id, EvmProduction>();
  readonly #running: RunningEvms;
  readonly #sections = new WholeSections();
  readonly #commits: ProducerCommits;
  readonly #maker: BlockMaker;

  private constructor(parts: ProducerParts, chains: NodeChains) {
    this.#parts = parts;
    this.chains = chains;
    this.#containers = new Containers(parts.network);
    const sections = this.#sections;
    this.#commits = new ProducerCommits({
      ...{ ...parts, chains, sections },
      onWritten: () => {
        for (const production of this.#evms.values()) production.committed();
      },
    });
    this.#maker = new BlockMaker({
      ...{ ...parts, chains, sections, containers: this.#containers, commits: this.#commits, evms: this.#evms },
      onPlatformBlock: () => this.#openAssetIssuers(),
    });
    this.#running = new RunningEvms({
      ...{ ...parts, chains, sections, containers: this.#containers, productions: this.#evms, issuers: this.#issuers },
      commit: () => this.commit(),
    });
    this.#platform = new PlatformIssuer(chains.platform);
    this.#issuers.set(PLATFORM_CHAIN_ID, this.#platform);
  }

  static async open(parts: ProducerParts): Promise<Producer> {
    const { store, network, networkFile } = parts;
    // blocks built here were fully verified before: when issued and when built
    const chains = await openChains(store, { network, level: "replay", otherChains: "all" });
    if (!chains.hasState) await startFromGenesis(store, chains, { networkFile, hasVertices: false });
    const producer = new Producer(parts, chains);
    await producer.#loadTip(PLATFORM_CHAIN_ID, chains.platform.state.scalars);
    for (const chain of chains.assetChains) await producer.#loadTip(chain.instance.chainId, chain.tip);
    await producer.#loadTip(network.cChainId, chains.evm.progress!);
    for (const { chainId, tip } of chains.subnetEvmChains) await producer.#loadTip(chainId, tip);
    producer.#openAssetIssuers();
    return producer;
  }

  /** From now on the chains of EVMs build blocks too, and they are indexed. */
  runEvms(): Promise<void> {
    return this.#running.start();
  }

  /** undefined if no such chain runs here */
  issuer(chainId: Id): ChainIssuer | undefined {
    return this.#issuers.get(chainId);
  }

  status(chainId: Id, txId: Id): PendingStatus | undefined {
    return this.#issuers.get(chainId)?.status(txId);
  }

  isPendingChain(chainId: Id): boolean {
    return this.#platform.isPendingChain(chainId);
  }

  /** Admits transactions to the mempools, in order. */
  admit(issued: readonly Issued[]): Promise<Admission[]> {
    const { store, log, skipsMempoolRules } = this.#parts;
    const context = (chainId: Id) => this.#context(chainId);
    return admitAll(issued, { store, log, skipsMempoolRules, view: this.chains.view, issuers: this.#issuers, context });
  }

  /**
   * Builds and executes what is due, and commits whenever a batch is full; `commit` commits the rest. Returns whether anything was built.
   * @param chainIds by default all chains
   * @param wantsEvmBlock EVM chains make a block even if nothing is due; one whose EVM does not work makes none
   */
  async build({ chainIds, isOneEach = false, wantsEvmBlock = false }: BuildOptions = {}): Promise<boolean> {
    const evms = this.#parts.evms.all.filter(({ spec }) => chainIds === undefined || chainIds.has(spec.chainId));
    for (const { evm } of evms) evm.isBlockWanted = wantsEvmBlock;
    const failures = new Map<Id, number>();
    let blocks = 0;
    for (const [chainId, production] of this.#evms) {
      const isAsked = chainIds === undefined || chainIds.has(chainId);
      if (isAsked) blocks += await production.indexMissing(this.chains.evmTip(chainId).height);
    }
    let before: number;
    do {
      before = blocks;
      for (const issuer of [...this.#issuers.values()]) {
        if (chainIds !== undefined && !chainIds.has(issuer.chainId)) continue;
        while (await this.#maker.makeNext(issuer, failures)) {
          if (++blocks % BLOCKS_PER_TURN === 0) await nextTurn();
          if (this.chains.view.mark() >= ROWS_PER_COMMIT) await this.commit();
          if (isOneEach) break;
        }
      }
    } while (blocks > before && !isOneEach);
    for (const { evm } of evms) evm.isBlockWanted = false;
    return blocks > 0;
  }

  /** Builds a block of an EVM chain, if only an empty one. Throws an EvmDownError if its EVM does not work. */
  async buildEvmBlock(chainId: Id): Promise<void> {
    const { height } = this.chains.evmTip(chainId);
    await this.build({ chainIds: new Set([chainId]), wantsEvmBlock: true });
    if (this.chains.evmTip(chainId).height > height) return;
    const name = this.#parts.evms.running(chainId)?.spec.name ?? "the C-chain";
    throw new EvmDownError(`${name}'s EVM makes no blocks at present; health says why`);
  }

  /** Edits accounts of an EVM between two blocks; `commit` commits that. Throws an EvmDownError if the EVM does not work. */
  async editEvm(chainId: Id, edits: readonly EvmEdit[]): Promise<void> {
    const running = this.#parts.evms.running(chainId);
    if (running === undefined) throw new EvmDownError("the C-chain's EVM does not run");
    const { evm, spec } = running;
    const production = this.#evms.get(chainId)!;
    const project = await production.prepareEdits(edits);
    await this.#sections.run(async () => {
      const rows = await withChild(evm, () => evm.sealing.edit(edits));
      if (rows === undefined) throw new EvmDownError(evm.health().problem ?? `${spec.name}'s EVM did not answer`);
      this.#commits.add(rows);
      production.changed();
      project();
    }, isRefusal);
  }

  /** Throws if the next block of an EVM chain may not have this time, Unix seconds. */
  checkNextEvmTimestamp(chainId: Id, timestamp: bigint): void {
    const last = this.chains.evmTip(chainId).timestamp;
    if (timestamp >= last) return;
    // Hardhat's words
    throw new FirnError("time-backwards", `Timestamp ${timestamp} is lower than the previous block's timestamp ${last}`);
  }

  /** @param timestamp of the next block of an EVM chain, Unix seconds, not after the clock's */
  setNextEvmTimestamp(chainId: Id, timestamp: bigint): void {
    const running = this.#parts.evms.running(chainId);
    if (running !== undefined) running.evm.nextTimestamp = timestamp;
  }

  /** Commits everything since the last commit, including the clock. */
  async commit(): Promise<void> {
    const { written } = await this.#commits.begin();
    await written;
    await this.#running.openL1s();
    this.#parts.onCommitted();
  }

  /**
   * Begins to commit everything since the last commit, once that is done. Until `done`, only blocks of asset chains may be built: others need
   * what the store has.
   */
  async beginCommit(): Promise<{ readonly done: Promise<void> }> {
    const { written } = await this.#commits.begin();
    const done = written.then(() => this.#parts.onCommitted());
    // who awaits it is told
    done.catch(() => {});
    return { done };
  }

  /** Resolves when no commit is under way; if the last one failed, the producer is unsound. */
  settled(): Promise<void> {
    return this.#commits.settled();
  }

  /** Whether blocks of these chains may be built while a commit is under way. */
  mayOverlap(chainIds: Iterable<Id>): boolean {
    return [...chainIds].every((chainId) => this.#issuers.get(chainId) instanceof AssetIssuer);
  }

  /** Runs work whose blocks are committed all or not at all: after an error, the producer is unusable. It must not commit. */
  whole<T>(work: () => Promise<T>): Promise<T> {
    return this.#sections.run(work);
  }

  /** The P-chain's height at which the next block of a chain verifies warp messages. */
  warpHeight(chainId: Id): bigint {
    return this.#context(chainId).pChainHeight;
  }

  /** Evicts fetched rows that are no longer needed. Call it after a commit, or if there was nothing to commit. */
  rest(): void {
    this.chains.view.evict();
  }

  /** Discards what was built since the last commit. */
  async abandon(): Promise<void> {
    for (const production of this.#evms.values()) await production.abandon();
  }

  /** Whether the view holds the store's state plus complete changes, so that the producer can still be used. */
  get isSound(): boolean {
    return this.#commits.areSound;
  }

  /** When and on which chains a block is due without a transaction, in Unix seconds; undefined: never. */
  nextChange(): { at: bigint; chainIds: ReadonlySet<Id> } | undefined {
    const clock = this.#parts.clock.seconds();
    const chainIds = new Set<Id>();
    let next: bigint | undefined;
    for (const issuer of this.#issuers.values()) {
      const at = issuer.nextChange(clock);
      if (at === undefined || (next !== undefined && at > next)) continue;
      if (at !== next) chainIds.clear();
      chainIds.add(issuer.chainId);
      next = at;
    }
    return next === undefined ? undefined : { at: next, chainIds };
  }

  /** For a chain's next block. */
  #context(chainId: Id): BuildContext {
    return this.#maker.context(this.#maker.nextHeader(chainId));
  }

  /** Opens issuers for asset chains that P-chain blocks have created. */
  #openAssetIssuers(): void {
    for (const chain of this.chains.assetChains) {
      const { chainId } = chain.instance;
      if (this.#issuers.has(chainId)) continue;
      this.#issuers.set(chainId, new AssetIssuer(chain, this.chains.view) as ChainIssuer);
      const { lastAccepted, timestamp } = chain.tip;
      if (!this.#containers.has(chainId)) this.#containers.start(chainId, lastAccepted, timestamp);
    }
  }

  #loadTip(chainId: Id, { height, timestamp }: { height: bigint; timestamp: bigint }): Promise<void> {
    return this.#containers.load(this.#parts.store, chainId, height, timestamp);
  }
}
