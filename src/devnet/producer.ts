/**
 * Makes blocks: takes issued transactions into the mempools, builds blocks on the last accepted state, executes them like those of any
 * source, and commits. It is the only one that touches the view, one call at a time. After an error that is thrown here it is of no use:
 * the next one is opened from the store.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "pino";
import { AssetIssuer } from "../asset/builder/asset-issuer.ts";
import type { DevelopmentEvm } from "../evm-node/development-evm.ts";
import { EvmDownError } from "../evm-node/evm-error.ts";
import { EvmIssuer } from "../evm-node/evm-issuer.ts";
import { type NodeChains, openChains, startFromGenesis } from "../ingest/chains.ts";
import { commitChains, executeStep, fetchRows, StopWatch } from "../ingest/execute.ts";
import type { BuildContext, BuiltBlock, ChainIssuer, PendingStatus } from "../mempool/issuer.ts";
import { RuleError } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import { PlatformIssuer } from "../platform/builder/platform-issuer.ts";
import { formatId } from "../primitives/cb58.ts";
import { FirnError } from "../primitives/errors.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../primitives/id.ts";
import { NotPrefetchedError } from "../primitives/view.ts";
import type { Store } from "../store/store.ts";
import { Containers, type NextHeader } from "./containers.ts";
import type { DevnetClock } from "./devnet-clock.ts";
import type { DevnetEvmChain } from "./devnet-evm-chain.ts";
import { EvmIndexing } from "./evm-indexing.ts";
import type { Uptimes } from "./uptimes.ts";

export interface ProducerParts {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  readonly clock: DevnetClock;
  readonly uptimes: Uptimes;
  readonly log: Logger;
  readonly skipsMempoolRules: boolean;
}

/** A transaction as it was issued. */
export interface Issued {
  readonly chainId: Id;
  readonly tx: { readonly id: Id };
  readonly viaWallet: boolean;
}

/** A commit ends when so many rows were changed, those overwritten again included. */
const ROWS_PER_COMMIT = 50_000;
/** After so many blocks others get their turn: requests that are served from the same process. */
const BLOCKS_PER_TURN = 32;
/** Defects of one chain in a row after which the others go on without it until the next round. */
const MOST_FAILURES = 16;

export class Producer {
  readonly chains: NodeChains;
  readonly #parts: ProducerParts;
  readonly #containers: Containers;
  readonly #platform: PlatformIssuer;
  readonly #issuers = new Map<Id, ChainIssuer>();
  #evm: DevelopmentEvm | undefined;
  #evmChain: DevnetEvmChain | undefined;
  #indexing: EvmIndexing | undefined;
  /** the child has sealed a block that is not committed */
  #hasSealed = false;
  /** blocks of C were indexed that were there before, and are not committed */
  #hasIndexed = false;
  #isSound = true;
  /** for the log: told of once they are committed */
  #uncommitted: { chain: string; height: string; kinds: readonly string[] }[] = [];

  private constructor(parts: ProducerParts, chains: NodeChains) {
    this.#parts = parts;
    this.chains = chains;
    this.#containers = new Containers(parts.network);
    this.#platform = new PlatformIssuer(chains.platform);
    this.#issuers.set(PLATFORM_CHAIN_ID, this.#platform);
  }

  static async open(parts: ProducerParts): Promise<Producer> {
    const { store, network, networkFile } = parts;
    // what is built here is verified in full before: when it is issued and when it is built
    const chains = await openChains(store, { network, level: "replay", otherChains: "all" });
    if (!chains.hasState) await startFromGenesis(store, chains, { networkFile, hasVertices: false });
    const producer = new Producer(parts, chains);
    await producer.#loadTip(PLATFORM_CHAIN_ID, chains.platform.state.scalars);
    for (const chain of chains.assetChains) await producer.#loadTip(chain.instance.chainId, chain.tip);
    await producer.#loadTip(network.cChainId, chains.evm.progress!);
    producer.#openAssetIssuers();
    return producer;
  }

  /** From now on the C-chain builds blocks too, and they are indexed. */
  async runEvm(evm: DevelopmentEvm, evmChain: DevnetEvmChain): Promise<void> {
    const { network, store } = this.#parts;
    const { evm: chain, view } = this.chains;
    this.#indexing = await EvmIndexing.open({ network, store, view, evm: evmChain });
    this.#evmChain = evmChain;
    this.#evm = evm;
    this.#issuers.set(network.cChainId, new EvmIssuer({ network, chain, evm }) as ChainIssuer);
  }

  /** undefined: no such chain runs here */
  issuer(chainId: Id): ChainIssuer | undefined {
    return this.#issuers.get(chainId);
  }

  status(chainId: Id, txId: Id): PendingStatus | undefined {
    return this.#issuers.get(chainId)?.status(txId);
  }

  isPendingChain(chainId: Id): boolean {
    return this.#platform.isPendingChain(chainId);
  }

  /** Takes transactions into the mempools, in their order. Returns of each why it was refused, undefined if it was not. */
  async admit(issued: readonly Issued[]): Promise<unknown[]> {
    const unprepared = await this.#prepare(issued);
    const { view } = this.chains;
    const keys = issued.flatMap(({ chainId, tx }) => this.#issuers.get(chainId)?.admissionKeys(tx) ?? []);
    await fetchRows(this.#parts.store, view, keys);
    const outcomes: unknown[] = [];
    for (const one of issued) {
      const outcome: unknown = unprepared.get(one.chainId) ?? (await this.#admitOne(one).catch((error: unknown) => error));
      if (outcome !== undefined && !(outcome instanceof FirnError)) {
        this.#parts.log.error({ err: outcome, txId: formatId(one.tx.id) }, "Could not verify a transaction");
      }
      outcomes.push(outcome);
    }
    return outcomes;
  }

  /**
   * Builds and executes what is due, and commits whenever a batch is full; the rest is left for `commit`. Returns whether there was any.
   * @param chainIds by default all chains
   */
  async build({ chainIds, isOneEach = false }: { chainIds?: ReadonlySet<Id>; isOneEach?: boolean } = {}): Promise<boolean> {
    const failures = new Map<Id, number>();
    const isOfC = chainIds === undefined || chainIds.has(this.#parts.network.cChainId);
    let blocks = isOfC ? await this.#indexMissing(this.chains.evm.progress!.height) : 0;
    let before: number;
    do {
      before = blocks;
      for (const issuer of [...this.#issuers.values()]) {
        if (chainIds !== undefined && !chainIds.has(issuer.chainId)) continue;
        while (await this.#buildNext(issuer, failures)) {
          if (++blocks % BLOCKS_PER_TURN === 0) await nextTurn();
          if (this.chains.view.mark() >= ROWS_PER_COMMIT) await this.commit();
          if (isOneEach) break;
        }
      }
    } while (blocks > before && !isOneEach);
    return blocks > 0;
  }

  /** Everything since the last commit, the clock included. */
  async commit(): Promise<void> {
    const { clock, store } = this.#parts;
    this.#isSound = false;
    clock.save(this.chains.view);
    await commitChains(this.chains, store, new StopWatch());
    this.#isSound = true;
    for (const block of this.#uncommitted.splice(0)) this.#parts.log.info(block, "Accepted block");
    if (this.#hasSealed) this.#evm?.committed();
    if (this.#hasSealed || this.#hasIndexed) this.#evmChain?.wake();
    this.#hasSealed = false;
    this.#hasIndexed = false;
  }

  /** Forgets rows that were fetched for what came to nothing; after a commit, or if there was nothing to commit. */
  rest(): void {
    this.chains.view.evict();
  }

  /** What was built since the last commit is void. */
  async abandon(): Promise<void> {
    if (this.#hasSealed) await this.#evm?.rebuild();
    this.#hasSealed = false;
  }

  /** Whether it is the state of the store and of what was built since: nothing was broken off half-way. */
  get isSound(): boolean {
    return this.#isSound;
  }

  /** When a block is due without any transaction, and of which chains; undefined: never. Unix seconds */
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

  /** Returns why a chain's transactions cannot be taken, of chains that are not up to it: the others can. */
  async #prepare(issued: readonly Issued[]): Promise<Map<Id, unknown>> {
    const failures = new Map<Id, unknown>();
    for (const [chainId, issuer] of this.#issuers) {
      if (issuer.prepare === undefined) continue;
      const txs = issued.filter((one) => one.chainId === chainId).map(({ tx }) => tx);
      if (txs.length > 0) await issuer.prepare(txs).catch((error: unknown) => failures.set(chainId, error));
    }
    return failures;
  }

  /** A transaction that builds on one of the same round reads rows that could not be told before that one was taken. */
  async #admitOne({ chainId, tx, viaWallet }: Issued): Promise<undefined> {
    const issuer = this.#issuers.get(chainId);
    if (issuer === undefined) throw new FirnError("unknown-chain", `the chain ${formatId(chainId)} does not run here`, { chainId });
    const { skipsMempoolRules } = this.#parts;
    for (let isRetry = false; ; isRetry = true) {
      try {
        this.#leavingNothing(() => issuer.admit(tx, this.#context(this.#nextHeader(chainId)), { viaWallet, skipsMempoolRules }));
        return undefined;
      } catch (error) {
        if (!(error instanceof NotPrefetchedError) || isRetry) throw error;
        await fetchRows(this.#parts.store, this.chains.view, issuer.admissionKeys(tx));
      }
    }
  }

  /** Whether there was a block to build. One that fails is a defect: its transactions are given up, so that the next can be built. */
  async #buildNext(issuer: ChainIssuer, failures: Map<Id, number>): Promise<boolean> {
    const { chainId } = issuer;
    while ((failures.get(chainId) ?? 0) < MOST_FAILURES) {
      let txIds: readonly Id[] = [];
      try {
        const header = this.#nextHeader(chainId);
        const built = await this.#buildOne(issuer, header);
        if (built === undefined) return false;
        txIds = built.txIds;
        if (chainId === this.#parts.network.cChainId) this.#hasSealed = true;
        await this.#execute(issuer, built, header);
        return true;
      } catch (error) {
        if (!(error instanceof FirnError) || !this.#isSound) {
          this.#isSound = false;
          throw error;
        }
        if (error instanceof RuleError && txIds.length === 0 && error.txId !== undefined) txIds = [error.txId];
        this.#parts.log.error(
          { err: error, chain: formatId(chainId), txIds: txIds.map(formatId) },
          "Gave up a block that could not be built",
        );
        const isDown = error instanceof EvmDownError;
        await this.#giveUp(issuer, isDown ? [] : txIds, error.message);
        // the next child asks for another round
        if (isDown) return false;
        failures.set(chainId, txIds.length === 0 ? MOST_FAILURES : (failures.get(chainId) ?? 0) + 1);
      }
    }
    return false;
  }

  async #buildOne(issuer: ChainIssuer, header: NextHeader): Promise<BuiltBlock | undefined> {
    await fetchRows(this.#parts.store, this.chains.view, issuer.buildKeys());
    return this.#leavingNothing(() => issuer.build(this.#context(header)));
  }

  /** Admission and building try out what is executed later: of one that breaks half-way, nothing may get into the next commit. */
  #leavingNothing<T>(attempt: () => T): T {
    const { view } = this.chains;
    const mark = view.mark();
    try {
      return attempt();
    } finally {
      view.rollback(mark);
    }
  }

  /** A proposal and its option are one: neither the store nor another block ever sees one without the other. */
  async #execute(issuer: ChainIssuer, built: BuiltBlock, header: NextHeader): Promise<void> {
    const { chainId } = issuer;
    await this.#executeOne(issuer, built, header);
    if (chainId !== PLATFORM_CHAIN_ID || this.chains.platform.state.scalars.height === built.height) return;
    this.#isSound = false;
    const option = await this.#buildOne(issuer, header);
    if (option === undefined || !option.isOption) throw new TypeError(`the proposal at height ${built.height} was not decided`);
    await this.#executeOne(issuer, option, header);
  }

  async #executeOne(issuer: ChainIssuer, built: BuiltBlock, header: NextHeader): Promise<void> {
    const { store, clock, log, network } = this.#parts;
    const { chainId } = issuer;
    const container = this.#containers.wrap(chainId, built, header, ({ bytes }) => this.chains.evm.parse(bytes).parentId);
    const step = this.chains.decode({ kind: "block", chainId, height: built.height, container, acceptedAt: clock.nanoseconds() });
    if (step === "not-yet") throw new TypeError(`chain ${chainId} builds blocks and is not there`);
    const project = chainId === network.cChainId ? await this.#prepareIndex(built) : undefined;
    await fetchRows(store, this.chains.view, step.keysRead());
    await executeStep(step, this.chains.view, store, new StopWatch());
    this.#isSound = false;
    project?.();
    this.#containers.accepted(chainId, container, header);
    issuer.accepted(built);
    if (chainId === PLATFORM_CHAIN_ID) this.#openAssetIssuers();
    this.#isSound = true;
    if (log.isLevelEnabled("info"))
      this.#uncommitted.push({ chain: step.chain, height: built.height.toString(), kinds: step.kinds?.() ?? [] });
  }

  /** Reads what the child says of the block, so that it can be indexed once it is executed. */
  async #prepareIndex({ height, bytes }: BuiltBlock): Promise<(() => void) | undefined> {
    await this.#indexMissing(height - 1n);
    return this.#indexing?.prepare(bytes);
  }

  /** Blocks that are not indexed, genesis among them, as far as the child is there. Returns how many it indexed. */
  async #indexMissing(height: bigint): Promise<number> {
    let count = 0;
    try {
      while (this.#indexing?.isBehind(height) && this.#evm?.health().isUp) {
        const project = await this.#indexing.prepare();
        this.#isSound = false;
        project();
        this.#isSound = true;
        this.#hasIndexed = true;
        if (++count % BLOCKS_PER_TURN === 0 && !this.#hasSealed) await this.commit();
      }
    } catch (error) {
      if (!(error instanceof EvmDownError) || this.#hasSealed) throw error;
    }
    return count;
  }

  async #giveUp(issuer: ChainIssuer, txIds: readonly Id[], reason: string): Promise<void> {
    issuer.drop(txIds, reason);
    // the child has sealed what no commit will hold
    if (issuer.chainId !== this.#parts.network.cChainId) return;
    this.#hasSealed = false;
    await this.commit();
    await this.#evm?.rebuild();
  }

  #nextHeader(chainId: Id): NextHeader {
    return this.#containers.next(chainId, this.#parts.clock.seconds(), this.chains.platform.state.scalars.height);
  }

  #context(header: NextHeader): BuildContext {
    const { network, clock, uptimes } = this.#parts;
    return {
      network,
      level: "full",
      clock: clock.seconds(),
      pChainHeight: header.epoch?.pChainHeight ?? header.pChainHeight,
      prefersCommit: (staker) => uptimes.prefersCommit(this.chains.platform.state, staker),
    };
  }

  /** Asset chains come into being by blocks of P. */
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
