/**
 * Makes blocks: admits issued transactions to the mempools, builds blocks on the last accepted state, executes them like those of any
 * source, and commits. Nothing else uses the view, and calls must not overlap. After an error thrown here the producer is unusable; open a
 * new one from the store.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "pino";
import { AssetIssuer } from "../asset/builder/asset-issuer.ts";
import type { DevelopmentEvm } from "../c-chain/development-evm/development-evm.ts";
import type { EvmEdit } from "../c-chain/development-evm/evm-edits.ts";
import { EvmDownError } from "../c-chain/development-evm/evm-error.ts";
import { EvmIssuer } from "../c-chain/development-evm/evm-issuer.ts";
import { type NodeChains, openChains, startFromGenesis } from "../ingest/chains.ts";
import { commitChains, executeStep, fetchRows, StopWatch } from "../ingest/execute.ts";
import type { BuildContext, BuiltBlock, ChainIssuer, PendingStatus } from "../mempool/issuer.ts";
import { RuleError } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import { PlatformIssuer } from "../platform/builder/platform-issuer.ts";
import { formatId } from "../primitives/cb58.ts";
import { FirnError } from "../primitives/errors.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../primitives/id.ts";
import type { Change } from "../primitives/table.ts";
import type { Store } from "../store/store.ts";
import { type Admission, admitAll, type Issued } from "./admission.ts";
import { EvmProduction } from "./c-chain/evm-production.ts";
import type { DevnetEvmChain } from "./c-chain/index-chain.ts";
import { Containers, type NextHeader } from "./containers.ts";
import type { DevnetClock } from "./devnet-clock.ts";
import type { Uptimes } from "./uptimes.ts";
import { WholeSections } from "./whole-sections.ts";

export interface ProducerParts {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  readonly clock: DevnetClock;
  readonly uptimes: Uptimes;
  /** whether the C-chain makes a block only when it is asked for one */
  holdsEvmBlocks(): boolean;
  readonly log: Logger;
  readonly skipsMempoolRules: boolean;
  /** called after every commit */
  onCommitted(): void;
}

export interface BuildOptions {
  readonly chainIds?: ReadonlySet<Id>;
  readonly isOneEach?: boolean;
  readonly wantsEvmBlock?: boolean;
}

/** A commit ends after this many row changes, counting rows that are overwritten again. */
const ROWS_PER_COMMIT = 50_000;
/** After this many blocks the event loop runs, for requests that this process serves. */
const BLOCKS_PER_TURN = 32;
/** After this many consecutive defects of one chain, the others continue without it until the next round. */
const MOST_FAILURES = 16;

export class Producer {
  readonly chains: NodeChains;
  readonly #parts: ProducerParts;
  readonly #containers: Containers;
  readonly #platform: PlatformIssuer;
  readonly #issuers = new Map<Id, ChainIssuer>();
  /** the C-chain's, once it runs */
  #evm: EvmProduction | undefined;
  #evmIssuer: EvmIssuer | undefined;
  readonly #sections = new WholeSections();
  /** for the log, which reports blocks once they are committed */
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
    // blocks built here were fully verified before: when issued and when built
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
    const { spec } = evm;
    this.#evm = await EvmProduction.open(
      { evm, sections: this.#sections, commit: () => this.commit() },
      { spec, store, view, evm: evmChain },
    );
    const holdsBlocks = () => this.#parts.holdsEvmBlocks();
    this.#evmIssuer = new EvmIssuer({ network, chain, evm, platform: this.chains.platform, holdsBlocks });
    this.#issuers.set(network.cChainId, this.#evmIssuer as ChainIssuer);
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
    const context = (chainId: Id) => this.#context(this.#nextHeader(chainId));
    return admitAll(issued, { store, log, skipsMempoolRules, view: this.chains.view, issuers: this.#issuers, context });
  }

  /**
   * Builds and executes what is due, and commits whenever a batch is full; `commit` commits the rest. Returns whether anything was built.
   * @param chainIds by default all chains
   * @param wantsEvmBlock the C-chain makes a block even if nothing is due; if its EVM does not work, it makes none
   */
  async build({ chainIds, isOneEach = false, wantsEvmBlock = false }: BuildOptions = {}): Promise<boolean> {
    this.#evmIssuer?.wantBlock(wantsEvmBlock);
    const failures = new Map<Id, number>();
    const isOfC = chainIds === undefined || chainIds.has(this.#parts.network.cChainId);
    let blocks = isOfC ? ((await this.#evm?.indexMissing(this.chains.evm.progress!.height)) ?? 0) : 0;
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
    this.#evmIssuer?.wantBlock(false);
    return blocks > 0;
  }

  /** Builds a block of the C-chain, if only an empty one. Throws an EvmDownError if its EVM does not work. */
  async buildEvmBlock(): Promise<void> {
    const { height } = this.chains.evm.progress!;
    await this.build({ chainIds: new Set([this.#parts.network.cChainId]), wantsEvmBlock: true });
    if (this.chains.evm.progress!.height === height)
      throw new EvmDownError("the C-chain's EVM makes no blocks at present; health says why");
  }

  /** Edits accounts of the C-chain's EVM between two blocks; `commit` commits that. Throws an EvmDownError if the EVM does not work. */
  async editEvm(edits: readonly EvmEdit[]): Promise<void> {
    const [issuer, production] = [this.#evmIssuer, this.#evm];
    if (issuer === undefined || production === undefined) throw new EvmDownError("the C-chain's EVM does not run");
    const project = await production.prepareEdits(edits);
    await this.#sections.run(async () => {
      this.#write(await issuer.edit(edits));
      production.changed();
      project();
    }, isRefusal);
  }

  /** Throws if the C-chain's next block may not have this time, Unix seconds. */
  checkNextEvmTimestamp(timestamp: bigint): void {
    const last = this.chains.evm.progress?.timestamp ?? 0n;
    if (timestamp >= last) return;
    // Hardhat's words
    throw new FirnError("time-backwards", `Timestamp ${timestamp} is lower than the previous block's timestamp ${last}`);
  }

  /** @param timestamp of the C-chain's next block, Unix seconds, not after the clock's */
  setNextEvmTimestamp(timestamp: bigint): void {
    this.#evmIssuer?.setNextTimestamp(timestamp);
  }

  /** Commits everything since the last commit, including the clock. */
  async commit(): Promise<void> {
    const { clock, store } = this.#parts;
    await this.#sections.run(async () => {
      clock.save(this.chains.view);
      await commitChains(this.chains, store, new StopWatch());
    });
    for (const block of this.#uncommitted.splice(0)) this.#parts.log.info(block, "Accepted block");
    this.#evm?.committed();
    this.#parts.onCommitted();
  }

  /** The P-chain's height at which the next block of a chain verifies warp messages. */
  warpHeight(chainId: Id): bigint {
    return this.#context(this.#nextHeader(chainId)).pChainHeight;
  }

  /** Evicts fetched rows that are no longer needed. Call it after a commit, or if there was nothing to commit. */
  rest(): void {
    this.chains.view.evict();
  }

  /** Discards what was built since the last commit. */
  async abandon(): Promise<void> {
    await this.#evm?.abandon();
  }

  /** Whether the view holds the store's state plus complete changes, so that the producer can still be used. */
  get isSound(): boolean {
    return this.#sections.areWhole;
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

  /**
   * Returns whether there was a block to build. If building fails, which is a defect, its transactions are dropped so that the next block
   * can be built.
   */
  async #buildNext(issuer: ChainIssuer, failures: Map<Id, number>): Promise<boolean> {
    const { chainId } = issuer;
    while ((failures.get(chainId) ?? 0) < MOST_FAILURES) {
      let txIds: readonly Id[] = [];
      try {
        const attempt = this.#sections.run(async () => {
          const header = this.#nextHeader(chainId);
          const built = await this.#buildOne(issuer, header);
          if (built === undefined) return false;
          txIds = built.txIds;
          if (chainId === this.#parts.network.cChainId) this.#evm?.changed();
          await this.#execute(issuer, built, header);
          return true;
        }, isRefusal);
        return await attempt;
      } catch (error) {
        if (!isRefusal(error) || !this.isSound) throw error;
        if (error instanceof RuleError && txIds.length === 0 && error.txId !== undefined) txIds = [error.txId];
        this.#parts.log.error(
          { err: error, chain: formatId(chainId), txIds: txIds.map(formatId) },
          "Dropped a block that could not be built",
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
    return this.chains.view.tryOut(() => issuer.build(this.#context(header)));
  }

  /** Executes a proposal together with its option, so that neither the store nor another block ever sees only one of them. */
  async #execute(issuer: ChainIssuer, built: BuiltBlock, header: NextHeader): Promise<void> {
    const { chainId } = issuer;
    await this.#executeOne(issuer, built, header);
    if (chainId !== PLATFORM_CHAIN_ID || this.chains.platform.state.scalars.height === built.height) return;
    await this.#sections.run(async () => {
      const option = await this.#buildOne(issuer, header);
      if (option === undefined || !option.isOption) throw new TypeError(`the proposal at height ${built.height} was not decided`);
      await this.#executeOne(issuer, option, header);
    });
  }

  async #executeOne(issuer: ChainIssuer, built: BuiltBlock, header: NextHeader): Promise<void> {
    const { store, clock, log, network } = this.#parts;
    const { chainId } = issuer;
    const container = this.#containers.wrap(chainId, built, header, ({ bytes }) => this.chains.evm.parse(bytes).parentId);
    const step = this.chains.decode({ kind: "block", chainId, height: built.height, container, acceptedAt: clock.nanoseconds() });
    if (step === "not-yet") throw new TypeError(`chain ${chainId} builds blocks and is not there`);
    const project = chainId === network.cChainId ? await this.#evm?.prepare(built) : undefined;
    await fetchRows(store, this.chains.view, step.keysRead());
    await executeStep(step, this.chains.view, store, new StopWatch());
    await this.#sections.run(() => {
      project?.();
      this.#write(built.rows ?? []);
      this.#containers.accepted(chainId, container, header);
      issuer.accepted(built);
      if (chainId === PLATFORM_CHAIN_ID) this.#openAssetIssuers();
    });
    if (log.isLevelEnabled("info"))
      this.#uncommitted.push({ chain: step.chain, height: built.height.toString(), kinds: step.kinds?.() ?? [] });
  }

  #write(rows: readonly Change[]): void {
    for (const { table, key, value } of rows) this.chains.view.writeUnread(table, key, value);
  }

  async #giveUp(issuer: ChainIssuer, txIds: readonly Id[], reason: string): Promise<void> {
    issuer.drop(txIds, reason);
    if (issuer.chainId === this.#parts.network.cChainId) await this.#evm?.giveUp();
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

function isRefusal(error: unknown): error is FirnError {
  return error instanceof FirnError;
}
