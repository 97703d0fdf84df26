/**
 * The C-chain's EVM as a child process (anvil) that Firn starts, watches and rebuilds from the blocks in its store. Requests wait while
 * a block is sealed that is not committed yet.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { encodeEvmBlock } from "../atomic/evm-block.ts";
import { type AtomicTx, encodeExtraData } from "../atomic/tx.ts";
import type { NetworkInstance } from "../network/network.ts";
import { FirnError } from "../primitives/errors.ts";
import { keccak256 } from "../primitives/hash.ts";
import type { ShortId } from "../primitives/id.ts";
import type { StoreReader } from "../store/store.ts";
import { type Accounts, readAccounts, sumOfBalances } from "./accounts.ts";
import { findBinary } from "./binary.ts";
import { type BlockAnswers, readBlockAnswers } from "./block-answers.ts";
import type { Child } from "./child.ts";
import { DumpSchedule } from "./dump-schedule.ts";
import { baseFeeAt, type Hardfork, hardforkAt } from "./era.ts";
import { EvmDownError, EvmRequestError } from "./evm-error.ts";
import type { EvmHealth, EvmNode, EvmOptions } from "./evm-node.ts";
import { forwardBody } from "./forward.ts";
import { Gate } from "./gate.ts";
import { encodeHeader, fromHex } from "./header.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";
import { Rebuilder } from "./rebuild.ts";
import { rawTransaction, sealBlock, setBaseFee, unseal } from "./seal.ts";
import { Supervisor } from "./supervisor.ts";
import { TransactionPool } from "./transaction-pool.ts";

export interface DevelopmentEvmOptions extends EvmOptions {
  /** for dumps of the child's state and its pid file */
  readonly directory: string;
  readonly network: NetworkInstance;
  /** holds the C-chain's committed blocks; after a revert, those of the restored state */
  readonly store: StoreReader;
  readonly log: Logger;
  /** by default the machine's */
  readonly clock?: { seconds(): bigint };
  /**
   * There are transactions in the child's pool: asks for a round. Resolves when the client may be answered, that is after the commit of
   * the round if blocks are built at once.
   */
  readonly requestRound: () => Promise<void>;
  /** up to where blocks are indexed; -1: not even genesis is. A child is made so that it knows all of those above. By default all are */
  readonly indexedHeight?: () => Promise<bigint>;
}

export interface SealedBlock {
  readonly bytes: Buffer;
  readonly height: bigint;
}

/** A round waits so long for a child that is being started: much longer than that takes if it can be started at all. */
const ROUND_PATIENCE_MS = 3_000;
/** A question is put to so many children, or again to one that did not answer. */
const MOST_ATTEMPTS = 4;
const DEATH_NOTICE_MS = 100;
/** the type of transactions with blobs, which the C-chain does not take */
const BLOB_TYPE = "0x03";

export class DevelopmentEvm implements EvmNode {
  readonly #options: DevelopmentEvmOptions;
  readonly #rebuilder: Rebuilder;
  readonly #supervisor: Supervisor;
  readonly #gate = new Gate();
  readonly #pool = new TransactionPool();
  readonly #schedule: DumpSchedule;
  /** of the next block; undefined before the first one is planned */
  #hardfork: Hardfork | undefined;
  /** settles when what needs the child for itself is over */
  #last: Promise<unknown> = Promise.resolve();
  /** that the child knows of the next block */
  #baseFee = 0n;
  #isPostponed = false;

  /** Starts the child in the background: nothing waits for it but what needs it. */
  constructor(options: DevelopmentEvmOptions) {
    this.#options = options;
    this.#schedule = new DumpSchedule(options.blocksPerDump);
    this.#rebuilder = new Rebuilder({ ...options, binary: () => findBinary(options.binary), isWanted: () => this.#supervisor.isWanted });
    this.#supervisor = new Supervisor({ log: options.log, start: () => this.#start(), onUp: () => this.#askForRound() });
  }

  get webSocketUrl(): string {
    return `ws://127.0.0.1:${this.#supervisor.requireChild().rpc.port}`;
  }

  request(method: string, params: unknown): Promise<unknown> {
    return this.#ask((rpc) => rpc.request(method, params));
  }

  forward(body: string): Promise<string> {
    return forwardBody(body, { send: (text) => this.#ask((rpc) => rpc.send(text)), issue: (raw) => this.#issue(raw) });
  }

  async ready(): Promise<void> {
    await this.#supervisor.available();
    await this.#gate.opened();
  }

  health(): EvmHealth {
    const { problem } = this.#supervisor;
    return problem === undefined ? { isUp: true } : { isUp: false, problem };
  }

  /** Whether the child is there, perhaps after a moment: other chains wait meanwhile. */
  async isReachable(): Promise<boolean> {
    const { child, hasFailed } = this.#supervisor;
    // another child comes only after the commit of what this one sealed
    if (child !== undefined || hasFailed || this.#gate.isClosed) return child !== undefined;
    return this.#supervisor.available(ROUND_PATIENCE_MS).then(
      () => true,
      () => false,
    );
  }

  /** Whether the child's pool may hold what the next block can take. */
  get hasPooled(): boolean {
    return this.#pool.hasNew;
  }

  /** aAVAX per gas of a block with this time */
  baseFeeAt(timestamp: bigint): bigint {
    return this.#options.baseFeeAt?.(timestamp) ?? baseFeeAt(this.#options.network, timestamp);
  }

  /** On the last block, sealed ones included. A child that does not answer is ended. */
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
   * Seals a block; requests wait from now on until it is committed. undefined: there is none, since the child's pool had nothing for it
   * after all. Throws an EvmDownError if the child failed: then nothing is sealed, and the next child asks for another round.
   */
  seal(timestamp: bigint, atomicTxs: readonly AtomicTx[]): Promise<SealedBlock | undefined> {
    return this.#exclusive(async () => {
      const wasOpen = !this.#gate.isClosed;
      let sealed: SealedBlock | undefined;
      try {
        const child = await this.#childOf(hardforkAt(this.#options.network, timestamp), wasOpen);
        if (child === undefined) return undefined;
        await this.#gate.close();
        sealed = await this.#seal(child.rpc, timestamp, atomicTxs);
      } catch (error) {
        // what it holds now is anybody's guess
        this.#pool.unseal();
        await this.#supervisor.child?.kill();
        throw error instanceof EvmRequestError ? new EvmDownError(`the C-chain's EVM refused: ${error.message}`, { cause: error }) : error;
      } finally {
        if (sealed === undefined && wasOpen) this.#gate.open();
      }
      return sealed;
    });
  }

  /** Of a sealed block, or of one that was not indexed when the child was made. Throws an EvmDownError if the child failed. */
  async blockAnswers(height: bigint): Promise<BlockAnswers> {
    return this.#rebuilder.answers.get(height) ?? readBlockAnswers(this.#supervisor.requireChild().rpc, height);
  }

  /** As `request`, but at once: also while a block is sealed that is not committed. For who makes that commit. */
  async requestSealed(method: string, params: unknown): Promise<unknown> {
    return this.#supervisor.requireChild().rpc.request(method, params);
  }

  /** The blocks that were sealed are committed: requests are answered again. To be called after every commit with a block of C. */
  committed(): void {
    this.#pool.committed();
    this.#gate.open();
    if (this.#isPostponed) this.#askForRound();
    this.#isPostponed = false;
    if (this.#schedule.isDue) void this.#exclusive(() => this.#dump());
  }

  /**
   * What was sealed since the last commit is void, or the store went back: the child is made anew from the store. Transactions in its pool
   * are sent again unless `forgetsPool`. Resolves when that is done, or has failed as health then says.
   */
  async rebuild({ forgetsPool = false }: { forgetsPool?: boolean } = {}): Promise<void> {
    this.#pool.unseal();
    if (forgetsPool) this.#pool.clear();
    this.#gate.open();
    await this.#supervisor.restart();
  }

  /** aAVAX in all accounts of the child. For checks: it goes through the whole state. */
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
    const { network } = this.#options;
    // what is sealed and not committed will be in the store, or is void
    await this.#gate.opened();
    const now = this.#now();
    const { child, height, dumpHeight } = await this.#rebuilder.fromStore(this.#hardfork ?? hardforkAt(network, now));
    this.#baseFee = this.baseFeeAt(now);
    await setBaseFee(child.rpc, this.#baseFee);
    await this.#pool.sendAgain(child.rpc);
    this.#schedule.startedWith(Number(height - dumpHeight));
    return child;
  }

  /** undefined: it takes another child, which can only be built after the commit of what this one sealed. */
  async #childOf(hardfork: Hardfork, canRestart: boolean): Promise<Child | undefined> {
    this.#hardfork = hardfork;
    const child = canRestart ? await this.#supervisor.available() : this.#supervisor.requireChild();
    if (child.hardfork === hardfork) return child;
    this.#isPostponed = !canRestart;
    if (!canRestart) return undefined;
    await this.#supervisor.restart();
    return this.#supervisor.available();
  }

  async #seal(rpc: JsonRpcClient, timestamp: bigint, atomicTxs: readonly AtomicTx[]): Promise<SealedBlock | undefined> {
    const { avaxAssetId } = this.#options.network;
    this.#baseFee = this.baseFeeAt(timestamp);
    const block = await sealBlock(rpc, { timestamp, baseFee: this.#baseFee, atomicTxs, avaxAssetId });
    const hashes = block.transactions.map((tx) => (typeof tx === "string" ? tx : tx.hash));
    if (hashes.length === 0 && atomicTxs.length === 0) await unseal(rpc);
    const transactions = await Promise.all(hashes.map(async (hash) => fromHex(this.#pool.get(hash) ?? (await rawTransaction(rpc, hash)))));
    const bytes = encodeEvmBlock({ header: encodeHeader(block), transactions, extraData: encodeExtraData(atomicTxs) });
    this.#pool.seal(hashes);
    await this.#pool.settle(rpc);
    if (hashes.length === 0 && atomicTxs.length === 0) return undefined;
    this.#schedule.sealed({ transactions: hashes.length, gasUsed: Number(block.gasUsed) });
    return { bytes, height: BigInt(block.number) };
  }

  /** A dump that could not be made costs time later, nothing else. */
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

  /** Takes a signed transaction into the child's pool and has a block made. */
  async #issue(signed: string): Promise<string> {
    const raw = signed.toLowerCase();
    if (raw.startsWith(BLOB_TYPE)) throw new FirnError("no-blobs", "transaction type not supported");
    const hash = `0x${keccak256(fromHex(raw)).toString("hex")}`;
    const release = this.#pool.reserve(raw);
    try {
      await this.#ask((rpc, attempt) => this.#send(rpc, raw, attempt));
      this.#pool.add(hash, raw);
    } finally {
      release();
    }
    await this.#roundFor(hash);
    return hash;
  }

  async #send(rpc: JsonRpcClient, raw: string, attempt: number): Promise<void> {
    const baseFee = this.baseFeeAt(this.#now());
    // an upgrade may have passed since the last block
    if (baseFee !== this.#baseFee) await setBaseFee(rpc, baseFee);
    this.#baseFee = baseFee;
    try {
      await rpc.call("eth_sendRawTransaction", raw);
    } catch (error) {
      const isThere = attempt > 1 && error instanceof EvmRequestError && /already imported/.test(error.message);
      if (!isThere) throw error;
    }
  }

  /** A round in which the child died made no block of its transactions. */
  async #roundFor(hash: string): Promise<void> {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const { starts } = this.#supervisor;
      await this.#options.requestRound();
      const isSameChild = this.#supervisor.child !== undefined && this.#supervisor.starts === starts;
      if (isSameChild || this.#pool.get(hash) === undefined) return;
      await this.#supervisor.available();
    }
  }

  /** If the child dies while it is asked, the next one is asked. */
  async #ask<T>(question: (rpc: JsonRpcClient, attempt: number) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await this.#supervisor.available();
      const asked = this.#supervisor.child;
      try {
        return await this.#gate.pass(() => question(this.#supervisor.requireChild().rpc, attempt));
      } catch (error) {
        if (!(error instanceof EvmDownError) || attempt === MOST_ATTEMPTS || this.#supervisor.isStopping) throw error;
        // its end may be noticed later than that it does not answer
        await Promise.race([asked?.exited, delay(DEATH_NOTICE_MS, undefined, { ref: false })]);
      }
    }
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
