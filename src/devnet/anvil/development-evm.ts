/**
 * A chain's EVM as a child process (anvil) that Firn starts, watches, and rebuilds from the blocks in its store. While a sealed block
 * is not committed, requests wait.
 */
import type { Logger } from "pino";
import type { ShortId } from "../../base/bytes/id.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import { ReadWriteLock } from "../../base/work/read-write-lock.ts";
import type { StoreReader } from "../../store/store.ts";
import { sumOfBalances } from "./accounts.ts";
import { findBinary } from "./binary.ts";
import type { BlockAnswers } from "./block-answers.ts";
import { BlockTraces } from "./block-traces.ts";
import { boundedCall } from "./calls/bounded-call.ts";
import { ClientCalls } from "./calls/client-calls.ts";
import { FeeHistory } from "./calls/fee-history.ts";
import { forwardCall } from "./calls/forward.ts";
import { withSettledTags } from "./calls/settled-tags.ts";
import type { EvmChainSpec, SealedContents, ShownMembers } from "./chains/evm-chain-spec.ts";
import type { Child } from "./child.ts";
import type { EvmCall } from "./evm-call.ts";
import type { EvmHealth, EvmNode, EvmOptions } from "./evm-node.ts";
import { requirePoolRules } from "./pool/pool-rules.ts";
import { TransactionIssuing } from "./pool/transaction-issuing.ts";
import { TransactionPool } from "./pool/transaction-pool.ts";
import { WarpPrecompile } from "./precompiles/warp-precompile.ts";
import { answerWithAddedGas, resultWithAddedGas, storedAddedGas } from "./sealing/added-gas.ts";
import { AddedMembers } from "./sealing/added-members.ts";
import { ChargedSealing } from "./sealing/charged-sealing.ts";
import { DumpSchedule } from "./sealing/dump-schedule.ts";
import { HeliconBlocks } from "./sealing/helicon-blocks.ts";
import { Rebuilder } from "./sealing/rebuild.ts";
import { Sealing } from "./sealing/sealing.ts";
import { Supervisor } from "./supervisor.ts";

export interface DevelopmentEvmOptions extends EvmOptions {
  /** for dumps of the child's state, and its pid file */
  readonly directory: string;
  readonly spec: EvmChainSpec;
  /** holds the chain's committed blocks; after a revert, those of the restored state */
  readonly store: StoreReader;
  readonly log: Logger;
  /** by default the system clock, which nobody moves */
  readonly clock?: EvmClock;
  /**
   * Asks for a round of block building, because transactions are in the child's pool. Resolves when the client may be answered: if blocks
   * are built at once, after the commit of the round.
   */
  readonly requestRound: () => Promise<void>;
  /**
   * height up to which blocks are indexed, -1 if not even genesis is; a rebuilt child keeps the answers for all blocks above it. By default
   * all are indexed
   */
  readonly indexedHeight?: () => Promise<bigint>;
  /** the first child starts when this has settled; by default at once */
  readonly after?: Promise<unknown>;
}

interface EvmClock {
  /** Unix seconds */
  seconds(): bigint;
  /** the time to which it was last moved by hand, Unix seconds; 0 if it never was */
  readonly movedTo: bigint;
}

/** How long a round waits for a child that is starting: much longer than a successful start takes. */
const ROUND_PATIENCE_MS = 3_000;

const BLOCK_METHODS: ReadonlySet<string> = new Set(["eth_getBlockByNumber", "eth_getBlockByHash"]);

export class DevelopmentEvm implements EvmNode {
  /** makes blocks; nothing else brings the child ahead of the store */
  readonly sealing: Sealing;
  readonly #options: DevelopmentEvmOptions;
  readonly #rebuilder: Rebuilder;
  readonly #supervisor: Supervisor;
  readonly #lock = new ReadWriteLock();
  readonly #pool: TransactionPool;
  readonly #calls: ClientCalls;
  readonly #issuing: TransactionIssuing;
  readonly #schedule: DumpSchedule;
  readonly #charging: ChargedSealing;
  readonly #members: AddedMembers;
  readonly #fees = new FeeHistory();
  readonly #helicon: HeliconBlocks;
  readonly #warp: WarpPrecompile;
  readonly #started: Promise<void>;
  /** of the next block, Unix seconds, not after the clock's; undefined: the clock's */
  nextTimestamp: bigint | undefined;
  /** the next block is made even if it is empty. No node of Avalanche makes one that is */
  isBlockWanted = false;

  /** Starts the child in the background; only what needs the child waits for it. */
  constructor(options: DevelopmentEvmOptions) {
    this.#options = options;
    this.#schedule = new DumpSchedule(options.blocksPerDump);
    const { limits = DEFAULT_LIMITS } = options;
    this.#pool = new TransactionPool(limits);
    const traces = new BlockTraces(options.log);
    this.#charging = new ChargedSealing({ spec: options.spec, pool: this.#pool, traces });
    this.#helicon = new HeliconBlocks(options);
    this.#members = new AddedMembers({ ...options, helicon: this.#helicon });
    this.#warp = new WarpPrecompile(options.spec);
    let onStarted = () => {};
    const lives = new Promise<void>((resolve) => {
      onStarted = resolve;
    });
    this.#rebuilder = new Rebuilder({
      ...options,
      onStarted,
      memoryBytes: limits.evmMemoryBytes,
      traces,
      binary: () => findBinary(options.binary),
      isWanted: () => this.#supervisor.isWanted,
    });
    this.#supervisor = new Supervisor({
      log: options.log,
      name: options.spec.name,
      start: () => this.#start(),
      onUp: () => this.#askForRound(),
    });
    this.sealing = new Sealing({
      ...{ spec: options.spec, log: options.log, baseFeeAt: options.baseFeeAt, supervisor: this.#supervisor, rebuilder: this.#rebuilder },
      ...{ lock: this.#lock, pool: this.#pool, warp: this.#warp, schedule: this.#schedule },
      ...{ charging: this.#charging, helicon: this.#helicon },
      now: () => this.#now(),
      askForRound: () => this.#askForRound(),
    });
    this.#started = Promise.race([lives, this.#supervisor.attempt().then(() => void this.#supervisor.requireChild())]);
    // if nobody awaits the start, the health check reports its failure
    this.#started.catch(() => {});
    const { name } = options.spec;
    const timeOfCalls = () => this.#timeOfCalls();
    this.#calls = new ClientCalls({ supervisor: this.#supervisor, lock: this.#lock, limits, name, log: options.log, timeOfCalls });
    this.#issuing = new TransactionIssuing({
      signing: { chainId: options.spec.evmChainId, allowsUnprotected: options.allowsUnprotectedTxs ?? false },
      ...{ supervisor: this.#supervisor, pool: this.#pool, calls: this.#calls, requestRound: options.requestRound },
      useBaseFee: (rpc) => this.sealing.useBaseFee(rpc),
      hasTxAllowList: options.spec.hasTxAllowList ?? false,
      requirePoolRules: (raw) => this.#isSaevm && requirePoolRules(raw, options.spec),
      messagesIn: (raw) => this.#warp.messagesIn(raw, this.#now()),
    });
  }

  get spec(): EvmChainSpec {
    return this.#options.spec;
  }

  /** Increases when a block may contain warp messages that contracts sent. */
  get warpActivity(): number {
    return this.#warp.activity;
  }

  get webSocketUrl(): string {
    return `ws://${this.#supervisor.requireChild().rpc.url.host}`;
  }

  async baseFee(): Promise<bigint> {
    await this.#supervisor.available();
    return this.sealing.baseFeeAt(this.#now());
  }

  async request(method: string, params: unknown): Promise<unknown> {
    return resultWithAddedGas(this.#options, method, await this.#calls.request(method, params));
  }

  async forward(given: EvmCall, client?: object): Promise<Buffer> {
    const call = this.#options.settles ? await withSettledTags(given, () => this.#helicon.settledHeight()) : given;
    return forwardCall(call, {
      send: async (other) => {
        const answer = await this.#send(boundedCall(other), client);
        if (BLOCK_METHODS.has(other.method ?? "")) return this.#members.addTo(answer, "block");
        return answerWithAddedGas(this.#options, other.method, answer);
      },
      issue: (raw) => this.#issuing.issue(raw, client),
      request: (method, params) => this.request(method, params),
      requestAll: (method, params) => this.#calls.requestAll(method, params, client),
      baseFee: () => this.baseFee(),
      fees: this.#fees,
      addedGas: (height) => storedAddedGas(this.#options, height),
      trace: (other) => this.#calls.send(other, client),
      spec: this.#options.spec,
      store: this.#options.store,
      isSaevm: this.#isSaevm,
    });
  }

  get #isSaevm(): boolean {
    return this.spec.isSaevmAt(this.#now());
  }

  async #send(call: EvmCall, client: object | undefined): Promise<Buffer> {
    const height = async () => BigInt((await this.request("eth_blockNumber", [])) as string);
    const tried = await this.#warp.tried(call, this.#now(), height);
    return this.#warp.shown(call, await this.#calls.send(tried?.call ?? call, client), tried);
  }

  issueUnsigned(transaction: Buffer, sender: ShortId, client?: object): Promise<string> {
    return this.#issuing.issueUnsigned(transaction, sender, client);
  }

  /** Members that the chain's nodes show beside Ethereum's, of a block that may be sealed only. @param sealed undefined for genesis */
  shown(sealed: SealedContents | undefined): Promise<ShownMembers> {
    return this.#members.of(sealed);
  }

  completeHead(message: Buffer): Promise<Buffer> {
    return this.#members.addTo(message, "head");
  }

  started(): Promise<void> {
    return this.#started;
  }

  async ready(): Promise<void> {
    await this.#supervisor.available();
    await this.#lock.unlocked();
  }

  health(): EvmHealth {
    const { problem } = this.#supervisor;
    return problem === undefined ? { isUp: true } : { isUp: false, problem };
  }

  /** Whether the child is running, or starts within a moment; other chains wait meanwhile. */
  async isReachable(): Promise<boolean> {
    const { child, hasFailed } = this.#supervisor;
    // until the sealed block is committed, no new child can be made
    if (child !== undefined || hasFailed || this.#lock.isLocked) return child !== undefined;
    return this.#supervisor.available(ROUND_PATIENCE_MS).then(
      () => true,
      () => false,
    );
  }

  /** The next block's time, Unix seconds: it is not older than its parent. */
  timeOfNext(clock: bigint, parentTime: bigint): bigint {
    const time = this.nextTimestamp ?? clock;
    return time > parentTime ? time : parentTime;
  }

  /** Wishes for the next block were fulfilled, or can no longer be. */
  forgetWishes(): void {
    this.isBlockWanted = false;
    this.nextTimestamp = undefined;
  }

  /** Answers for a sealed block, or for one that was not indexed when the child was made. Throws an EvmDownError if the child failed. */
  async blockAnswers(height: bigint): Promise<BlockAnswers> {
    const kept = this.#charging.answersOf(height) ?? this.#rebuilder.answers.get(height);
    return kept ?? this.#rebuilder.answersFrom(this.#supervisor.requireChild().rpc, height);
  }

  /** Like `request`, but does not wait for the commit of a sealed block. For the code that makes that commit. */
  async requestSealed(method: string, params: unknown): Promise<unknown> {
    return this.#supervisor.requireChild().rpc.request(method, params);
  }

  /**
   * Rebuilds the child from the store, after sealed blocks were discarded or the store was rolled back. Transactions in its pool are sent
   * again, and the next block is as it was asked for, unless `isRolledBack`. Resolves when this succeeded, or failed as health then reports.
   */
  async rebuild({ isRolledBack = false }: { isRolledBack?: boolean } = {}): Promise<void> {
    this.#pool.unseal();
    if (isRolledBack) {
      this.#pool.clear();
      this.forgetWishes();
      this.sealing.forgetNextBaseFee();
    }
    this.#lock.unlock();
    await this.#supervisor.restart();
  }

  /** The sum of all balances in aAVAX, for checks. Reads the whole state. */
  totalBalance(): Promise<bigint> {
    return this.sealing.exclusive(async () => sumOfBalances((await this.#supervisor.available()).rpc));
  }

  async stop(): Promise<void> {
    const canDump = this.#supervisor.child !== undefined && !this.#lock.isLocked;
    if (canDump && this.#schedule.isDueAtEnd) await this.sealing.exclusive(() => this.sealing.dump());
    this.#lock.unlock();
    await this.#supervisor.stop();
    // a dump that was being written is there, or given up
    await this.sealing.exclusive(async () => {});
  }

  async #start(): Promise<Child> {
    await this.#options.after?.catch(() => {});
    // a sealed block will either be committed or discarded
    await this.#lock.unlocked();
    const { child, height, dumpHeight } = await this.#rebuilder.fromStore(this.sealing.hardfork);
    await this.sealing.begin(child);
    this.#schedule.startedWith(Number(height - dumpHeight));
    return child;
  }

  /**
   * The next block's time if it was chosen, or if the clock was moved by hand since the last one: contracts then see it at once. On a node they
   * see the last block's.
   */
  #timeOfCalls(): bigint | undefined {
    const isMoved = (this.#options.clock?.movedTo ?? 0n) > this.sealing.tipTimestamp;
    return this.nextTimestamp ?? (isMoved ? this.#now() : undefined);
  }

  #now(): bigint {
    return this.#options.clock?.seconds() ?? BigInt(Math.floor(Date.now() / 1000));
  }

  #askForRound(): void {
    this.#options.requestRound().catch((err: unknown) => this.#options.log.error({ err }, "A round that the EVM asked for failed"));
  }
}
