/**
 * A chain's EVM as a child process (anvil) that Firn starts, watches, and rebuilds from the blocks in its store. While a sealed block
 * is not committed, requests wait.
 */
import type { Logger } from "pino";
import { DEFAULT_LIMITS } from "../../limits/limits.ts";
import type { ShortId } from "../../primitives/id.ts";
import type { Change } from "../../primitives/table.ts";
import type { StoreReader } from "../../store/store.ts";
import { type AtomicTx, encodeExtraData } from "../atomic/tx.ts";
import { type Accounts, readAccounts, sumOfBalances } from "./accounts.ts";
import { AddedMembers } from "./added-members.ts";
import { findBinary } from "./binary.ts";
import { type BlockAnswers, readBlockAnswers } from "./block-answers.ts";
import { BlockTraces } from "./block-traces.ts";
import { boundedCall } from "./bounded-call.ts";
import type { Child } from "./child.ts";
import { ClientCalls } from "./client-calls.ts";
import { DumpSchedule } from "./dump-schedule.ts";
import type { Hardfork } from "./era.ts";
import type { EvmCall } from "./evm-call.ts";
import type { EvmChainSpec } from "./evm-chain-spec.ts";
import { type EvmEdit, makeEdits, requireRisingNonces, rowsOfEdits, stateAfterEdits, stateAtBlock } from "./evm-edits.ts";
import { EvmDownError, EvmRequestError } from "./evm-error.ts";
import type { EvmHealth, EvmNode, EvmOptions } from "./evm-node.ts";
import { forwardCall } from "./forward.ts";
import { Gate } from "./gate.ts";
import { encodeHeader, fromHex, idOf } from "./header.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";
import { type VerifyWarp, WarpPrecompile } from "./precompiles/warp-precompile.ts";
import { Rebuilder } from "./rebuild.ts";
import { latestBlock, rawTransaction, sealBlock, setBaseFee, unseal } from "./seal.ts";
import { Supervisor } from "./supervisor.ts";
import { evmSenders } from "./tables.ts";
import { TransactionIssuing } from "./transaction-issuing.ts";
import { TransactionPool } from "./transaction-pool.ts";

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

export interface EvmClock {
  /** Unix seconds */
  seconds(): bigint;
  /** the time to which it was last moved by hand, Unix seconds; 0 if it never was */
  readonly movedTo: bigint;
}

interface SealOptions {
  /** Unix seconds */
  readonly timestamp: bigint;
  readonly atomicTxs: readonly AtomicTx[];
  readonly mayBeEmpty: boolean;
  /** made before the block; with them it may be empty */
  readonly edits: readonly EvmEdit[];
  /** verifies the warp messages of the block's transactions; undefined: none is valid */
  readonly verifyWarp?: VerifyWarp | undefined;
}

export interface SealedBlock {
  readonly bytes: Buffer;
  readonly height: bigint;
  /** of the edits before it, and of senders whom its bytes do not tell; to be committed with it */
  readonly rows: readonly Change[];
}

/** One transaction, or those of a sender. */
export interface DroppedTransactions {
  /** `0x…` */
  readonly hash?: string;
  readonly sender?: ShortId;
}

/** How long a round waits for a child that is starting: much longer than a successful start takes. */
const ROUND_PATIENCE_MS = 3_000;
/** After this many failed seals in a row, the pool's transactions are suspected. */
const MOST_FAILED_SEALS = 3;

const BLOCK_METHODS: ReadonlySet<string> = new Set(["eth_getBlockByNumber", "eth_getBlockByHash"]);

export class DevelopmentEvm implements EvmNode {
  readonly #options: DevelopmentEvmOptions;
  readonly #rebuilder: Rebuilder;
  readonly #supervisor: Supervisor;
  readonly #gate = new Gate();
  readonly #pool: TransactionPool;
  readonly #calls: ClientCalls;
  readonly #issuing: TransactionIssuing;
  readonly #schedule: DumpSchedule;
  readonly #traces: BlockTraces;
  readonly #members: AddedMembers;
  readonly #warp: WarpPrecompile;
  readonly #started: Promise<void>;
  /** of the next block; undefined before the first block is planned */
  #hardfork: Hardfork | undefined;
  /** settles when the last task that needs the child exclusively is done */
  #last: Promise<unknown> = Promise.resolve();
  /** the next block's base fee that the child was told */
  #baseFee = 0n;
  /** what a test wants it to be */
  #nextBaseFee: bigint | undefined;
  #isPostponed = false;
  /** blocks in a row whose sealing failed */
  #failedSeals = 0;
  /** of the last block, Unix seconds */
  #tipTimestamp = 0n;
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
    this.#traces = new BlockTraces(options.log);
    this.#members = new AddedMembers(options);
    this.#warp = new WarpPrecompile(options.spec);
    let onStarted = () => {};
    const lives = new Promise<void>((resolve) => {
      onStarted = resolve;
    });
    this.#rebuilder = new Rebuilder({
      ...options,
      onStarted,
      memoryBytes: limits.evmMemoryBytes,
      traces: this.#traces,
      binary: () => findBinary(options.binary),
      isWanted: () => this.#supervisor.isWanted,
    });
    this.#supervisor = new Supervisor({
      log: options.log,
      name: options.spec.name,
      start: () => this.#start(),
      onUp: () => this.#askForRound(),
    });
    this.#started = Promise.race([lives, this.#supervisor.attempt().then(() => void this.#supervisor.requireChild())]);
    // if nobody awaits the start, the health check reports its failure
    this.#started.catch(() => {});
    const { name } = options.spec;
    const timeOfCalls = () => this.#timeOfCalls();
    this.#calls = new ClientCalls({ supervisor: this.#supervisor, gate: this.#gate, limits, name, log: options.log, timeOfCalls });
    this.#issuing = new TransactionIssuing({
      signing: { chainId: options.spec.evmChainId, allowsUnprotected: options.allowsUnprotectedTxs ?? false },
      ...{ supervisor: this.#supervisor, pool: this.#pool, calls: this.#calls, requestRound: options.requestRound },
      useBaseFee: (rpc) => this.#useBaseFee(rpc),
      hasTxAllowList: options.spec.hasTxAllowList ?? false,
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
    return `ws://127.0.0.1:${this.#supervisor.requireChild().rpc.port}`;
  }

  async request(method: string, params: unknown): Promise<unknown> {
    return this.#calls.request(method, params);
  }

  forward(call: EvmCall, client?: object): Promise<Buffer> {
    return forwardCall(call, {
      send: async (other) => {
        const answer = await this.#send(boundedCall(other), client);
        return BLOCK_METHODS.has(other.method ?? "") ? this.#members.addTo(answer, "block") : answer;
      },
      issue: (raw) => this.#issuing.issue(raw, client),
      request: (method, params) => this.#calls.request(method, params),
      trace: (other) => this.#calls.send(other, client),
      spec: this.#options.spec,
      store: this.#options.store,
    });
  }

  async #send(call: EvmCall, client: object | undefined): Promise<Buffer> {
    const height = async () => BigInt((await this.request("eth_blockNumber", [])) as string);
    const tried = await this.#warp.tried(call, this.#now(), height);
    return this.#warp.shown(call, await this.#calls.send(tried?.call ?? call, client), tried);
  }

  issueUnsigned(transaction: Buffer, sender: ShortId, client?: object): Promise<string> {
    return this.#issuing.issueUnsigned(transaction, sender, client);
  }

  completeHead(message: Buffer): Promise<Buffer> {
    return this.#members.addTo(message, "head");
  }

  started(): Promise<void> {
    return this.#started;
  }

  async ready(): Promise<void> {
    await this.#supervisor.available();
    await this.#gate.opened();
  }

  health(): EvmHealth {
    const { problem } = this.#supervisor;
    return problem === undefined ? { isUp: true } : { isUp: false, problem };
  }

  /** Whether the child is running, or starts within a moment; other chains wait meanwhile. */
  async isReachable(): Promise<boolean> {
    const { child, hasFailed } = this.#supervisor;
    // until the sealed block is committed, no new child can be made
    if (child !== undefined || hasFailed || this.#gate.isClosed) return child !== undefined;
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

  /** What was asked of the next block was done, or can no longer be. */
  forgetWishes(): void {
    this.isBlockWanted = false;
    this.nextTimestamp = undefined;
  }

  /** Whether the child's pool may hold transactions for the next block. */
  get hasPooled(): boolean {
    return this.#pool.hasNew;
  }

  /** The base fee of a block with this time, in aAVAX per gas. */
  baseFeeAt(timestamp: bigint): bigint {
    return this.#nextBaseFee ?? this.#options.baseFeeAt?.(timestamp) ?? this.#options.spec.baseFeeAt(timestamp);
  }

  /** Reads accounts at the last block, even if that is not committed. A child that does not answer is killed. */
  async accounts(addresses: readonly ShortId[]): Promise<Accounts> {
    if (addresses.length === 0) return new Map();
    const child = this.#supervisor.requireChild();
    try {
      return await readAccounts(child.rpc, addresses);
    } catch (error) {
      if (error instanceof EvmDownError) await child.kill();
      throw error;
    }
  }

  /**
   * Seals a block; requests then wait until it is committed. Returns undefined if the child's pool turned out to have nothing for it, unless it
   * may be empty. Throws an EvmDownError if the child failed: then nothing is sealed, and the next child asks for another round.
   * @param options `edits`: of accounts, made before the block. Their rows are to be committed with it
   */
  seal(timestamp: bigint, atomicTxs: readonly AtomicTx[], { mayBeEmpty = false, edits = [], verifyWarp }: Partial<SealOptions> = {}) {
    return this.#ahead<SealedBlock | undefined>(async (canRestart) => {
      const child = await this.#childOf(this.#options.spec.hardforkAt(timestamp), canRestart);
      if (child === undefined) return undefined;
      await this.#gate.close();
      return this.#seal(child, { timestamp, atomicTxs, mayBeEmpty, edits, verifyWarp });
    });
  }

  /**
   * Edits accounts without a block; requests then wait until the returned rows are committed. Throws an EvmDownError if the child failed:
   * then nothing is edited. Refuses nonces that go back.
   */
  async edit(edits: readonly EvmEdit[]): Promise<readonly Change[]> {
    requireRisingNonces(edits, await this.accounts(edits.filter(({ kind }) => kind === "nonce").map(({ address }) => address)));
    return this.#ahead(async (canRestart) => {
      const child = canRestart ? await this.#supervisor.available() : this.#supervisor.requireChild();
      await this.#gate.close();
      const rows = await this.#edit(child, edits);
      await this.#pool.settle(child.rpc, { movesNonces: true });
      return rows;
    });
  }

  /** Forgets transactions that wait for a block, by default all; returns whether there were any. Nobody may seal meanwhile. */
  drop({ hash, sender }: DroppedTransactions = {}): Promise<boolean> {
    return this.#exclusive(async () => {
      const { rpc } = await this.#supervisor.available();
      if (hash === undefined) return this.#pool.dropOf(rpc, sender);
      await rpc.call("anvil_dropTransaction", hash);
      return this.#pool.drop(hash);
    });
  }

  /** The base fee of the next block, whenever that comes. A restart before it forgets this. */
  async setNextBaseFee(baseFee: bigint): Promise<void> {
    this.#nextBaseFee = baseFee;
    await this.#useBaseFee((await this.#supervisor.available()).rpc);
  }

  /** Answers for a sealed block, or for one that was not indexed when the child was made. Throws an EvmDownError if the child failed. */
  async blockAnswers(height: bigint): Promise<BlockAnswers> {
    return this.#rebuilder.answers.get(height) ?? readBlockAnswers(this.#supervisor.requireChild().rpc, height, this.#traces);
  }

  /** Like `request`, but does not wait for the commit of a sealed block. For the code that makes that commit. */
  async requestSealed(method: string, params: unknown): Promise<unknown> {
    return this.#supervisor.requireChild().rpc.request(method, params);
  }

  /** Call this after every commit with a block of this chain, or with edits: they are committed, and requests are answered again. */
  committed(): void {
    this.#pool.committed();
    this.#gate.open();
    if (this.#isPostponed) this.#askForRound();
    this.#isPostponed = false;
    if (this.#schedule.isDue) void this.#exclusive(() => this.#dump());
  }

  /**
   * Rebuilds the child from the store, after sealed blocks were discarded or the store was rolled back. Transactions in its pool are sent
   * again unless `forgetsPool`. Resolves when this succeeded, or failed as health then reports.
   */
  async rebuild({ forgetsPool = false }: { forgetsPool?: boolean } = {}): Promise<void> {
    this.#pool.unseal();
    if (forgetsPool) this.#pool.clear();
    this.#gate.open();
    await this.#supervisor.restart();
  }

  /** The sum of all balances in aAVAX, for checks. Reads the whole state. */
  totalBalance(): Promise<bigint> {
    return this.#exclusive(async () => sumOfBalances((await this.#supervisor.available()).rpc));
  }

  async stop(): Promise<void> {
    const canDump = this.#supervisor.child !== undefined && !this.#gate.isClosed;
    if (canDump && this.#schedule.isDueAtEnd) await this.#exclusive(() => this.#dump());
    this.#gate.open();
    await this.#supervisor.stop();
  }

  async #start(): Promise<Child> {
    const { spec, after } = this.#options;
    await after?.catch(() => {});
    // a sealed block will either be committed or discarded
    await this.#gate.opened();
    const now = this.#now();
    const { child, height, dumpHeight } = await this.#rebuilder.fromStore(this.#hardfork ?? spec.hardforkAt(now));
    this.#baseFee = this.baseFeeAt(now);
    await setBaseFee(child.rpc, this.#baseFee);
    this.#tipTimestamp = BigInt((await latestBlock(child.rpc)).timestamp);
    await this.#warp.look(child.rpc);
    await this.#pool.sendAgain(child.rpc);
    this.#schedule.startedWith(Number(height - dumpHeight));
    return child;
  }

  /** Returns a child with this hardfork; undefined if a new one is needed, which can only be built after the sealed block's commit. */
  async #childOf(hardfork: Hardfork, canRestart: boolean): Promise<Child | undefined> {
    this.#hardfork = hardfork;
    const child = canRestart ? await this.#supervisor.available() : this.#supervisor.requireChild();
    if (child.hardfork === hardfork) return child;
    this.#isPostponed = !canRestart;
    if (!canRestart) return undefined;
    await this.#supervisor.restart();
    return this.#supervisor.available();
  }

  /**
   * Runs work that brings the child ahead of the store, and alone. If it fails, or returns undefined, nothing was done.
   * @param work `canRestart`: the store has everything, so a child can be made
   */
  #ahead<T>(work: (canRestart: boolean) => Promise<T>): Promise<T> {
    return this.#exclusive(async () => {
      const wasOpen = !this.#gate.isClosed;
      let done: T | undefined;
      try {
        done = await work(wasOpen);
        return done;
      } catch (error) {
        // the child's state is unknown now
        this.#pool.unseal();
        await this.#supervisor.child?.kill();
        this.#narrowPool();
        throw error instanceof EvmRequestError
          ? new EvmDownError(`${this.#options.spec.name}'s EVM refused: ${error.message}`, { cause: error })
          : error;
      } finally {
        if (done === undefined && wasOpen) this.#gate.open();
      }
    });
  }

  /** Returns the rows to be committed. */
  async #edit(child: Child, edits: readonly EvmEdit[]): Promise<readonly Change[]> {
    await makeEdits(child.rpc, edits);
    const rows = rowsOfEdits(this.#options.spec.chainId, child.state, edits);
    child.state = stateAfterEdits(child.state, edits);
    this.#schedule.edited(edits.length);
    return rows;
  }

  async #seal(child: Child, { timestamp, atomicTxs, mayBeEmpty, edits, verifyWarp }: SealOptions): Promise<SealedBlock | undefined> {
    const { rpc } = child;
    const { spec } = this.#options;
    const { avaxAssetId } = spec;
    this.#baseFee = this.baseFeeAt(timestamp);
    this.#failedSeals++;
    // an atomic transaction may use up what the transaction needs
    const alone = atomicTxs.length === 0 ? await this.#pool.takeAlone(rpc, this.#baseFee) : undefined;
    const next = { height: child.state.height + 1n, timestamp, transaction: alone, verify: verifyWarp };
    const rows = await this.#edit(child, [...edits, ...this.#warp.editsBefore(next)]);
    const block = await sealBlock(rpc, { timestamp, baseFee: this.#baseFee, atomicTxs, avaxAssetId });
    const hashes = block.transactions.map((tx) => (typeof tx === "string" ? tx : tx.hash));
    if (alone !== undefined && hashes.length !== 1) throw new EvmDownError("the EVM did not take a transaction with warp messages");
    const isForNothing = hashes.length === 0 && atomicTxs.length === 0 && rows.length === 0 && !mayBeEmpty;
    if (isForNothing) await unseal(rpc);
    const transactions = await Promise.all(
      hashes.map(async (hash) => fromHex(this.#pool.get(hash)?.raw ?? (await rawTransaction(rpc, hash)))),
    );
    const bytes = spec.encode({ header: encodeHeader(block, spec.name), transactions, extraData: encodeExtraData(atomicTxs) });
    const height = BigInt(block.number);
    const senders = this.#sendersOf(height, hashes);
    this.#pool.seal(hashes);
    await this.#pool.rejoin(rpc);
    await this.#pool.settle(rpc, { movesNonces: atomicTxs.length > 0 });
    this.#failedSeals = 0;
    if (this.#pool.isNarrowed) {
      await this.#pool.widen(rpc);
      this.#askForRound();
    }
    if (isForNothing) return undefined;
    this.#nextBaseFee = undefined;
    await this.#useBaseFee(rpc);
    this.#warp.sealed(block.logsBloom);
    child.state = stateAtBlock(height, idOf(block.hash));
    this.#tipTimestamp = timestamp;
    this.#schedule.sealed({ transactions: hashes.length, gasUsed: Number(block.gasUsed) });
    return { bytes, height, rows: [...rows, ...senders] };
  }

  /** Rows that tell who sent the unsigned transactions of a block. */
  #sendersOf(height: bigint, hashes: readonly string[]): Change[] {
    const { chainId } = this.#options.spec;
    return hashes.flatMap((hash, index) => {
      const sender = this.#pool.get(hash)?.sender;
      return sender === undefined ? [] : [{ table: evmSenders, key: { chainId, height, index }, value: { sender } } as Change];
    });
  }

  /**
   * Some transactions make the child run out of memory on every block that contains them. This searches for such a transaction, so that the
   * chain can continue without it.
   */
  #narrowPool(): void {
    if ((!this.#pool.isNarrowed && this.#failedSeals < MOST_FAILED_SEALS) || this.#failedSeals === 0) return;
    const hash = this.#pool.narrow();
    if (hash !== undefined) this.#options.log.error({ hash }, "Dropped a transaction: the EVM crashes on every block that has it");
    this.#failedSeals = 0;
  }

  /** A dump that fails only makes the next start slower. */
  async #dump(): Promise<void> {
    try {
      const child = await this.#supervisor.available();
      const startedAt = performance.now();
      await this.#rebuilder.writeDump(child);
      this.#schedule.dumped(performance.now() - startedAt);
    } catch (error) {
      if (!this.#supervisor.isStopping) this.#options.log.warn({ err: error }, "Could not dump the EVM's state");
    }
  }

  async #useBaseFee(rpc: JsonRpcClient): Promise<void> {
    const baseFee = this.baseFeeAt(this.#now());
    // an upgrade may have activated since the last block
    if (baseFee !== this.#baseFee) await setBaseFee(rpc, baseFee);
    this.#baseFee = baseFee;
  }

  /**
   * The next block's time if it was chosen, or if the clock was moved by hand since the last one: contracts then see it at once. On a node they
   * see the last block's.
   */
  #timeOfCalls(): bigint | undefined {
    const isMoved = (this.#options.clock?.movedTo ?? 0n) > this.#tipTimestamp;
    return this.nextTimestamp ?? (isMoved ? this.#now() : undefined);
  }

  #now(): bigint {
    return this.#options.clock?.seconds() ?? BigInt(Math.floor(Date.now() / 1000));
  }

  #askForRound(): void {
    this.#options.requestRound().catch((err: unknown) => this.#options.log.error({ err }, "A round that the EVM asked for failed"));
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => {});
    return done;
  }
}
