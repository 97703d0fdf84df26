/**
 * Brings a child ahead of the store, by one task at a time: seals blocks, edits accounts, drops transactions. Until what was sealed is
 * committed or discarded, requests wait.
 */
import type { Logger } from "pino";
import type { ShortId } from "../../../base/bytes/id.ts";
import type { Change } from "../../../base/table/table.ts";
import type { ReadWriteLock } from "../../../base/work/read-write-lock.ts";
import { type AtomicTx, encodeExtraData } from "../../../chains/atomic/tx.ts";
import { type Accounts, readAccounts } from "../accounts.ts";
import type { Hardfork } from "../chains/era.ts";
import type { EvmChainSpec } from "../chains/evm-chain-spec.ts";
import type { Child } from "../child.ts";
import { EvmDownError, EvmRequestError } from "../evm-error.ts";
import { type BlockJson, encodeHeader, fromHex, idOf } from "../header.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";
import type { TransactionPool } from "../pool/transaction-pool.ts";
import type { VerifyWarp, WarpPrecompile } from "../precompiles/warp-precompile.ts";
import type { Supervisor } from "../supervisor.ts";
import { evmSenders } from "../tables.ts";
import { rowsOfAddedGas } from "./added-gas.ts";
import type { ChargedSealing } from "./charged-sealing.ts";
import type { DumpSchedule } from "./dump-schedule.ts";
import { type EvmEdit, makeEdits, requireRisingNonces, rowsOfEdits, stateAfterEdits, stateAtBlock } from "./evm-edits.ts";
import type { HeliconBlocks } from "./helicon-blocks.ts";
import type { Rebuilder } from "./rebuild.ts";
import { latestBlock, rawTransaction, setBaseFee, unseal } from "./seal.ts";

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

interface SealedBlock {
  readonly bytes: Buffer;
  readonly height: bigint;
  /** of the edits before it, and of senders and gas that its bytes do not tell; to be committed with it */
  readonly rows: readonly Change[];
}

/** One transaction, or those of a sender. */
export interface DroppedTransactions {
  /** `0x…` */
  readonly hash?: string;
  readonly sender?: ShortId;
}

interface SealingParts {
  readonly spec: EvmChainSpec;
  readonly log: Logger;
  readonly supervisor: Supervisor;
  readonly rebuilder: Rebuilder;
  /** closed while a sealed block is not committed */
  readonly lock: ReadWriteLock;
  readonly pool: TransactionPool;
  readonly warp: WarpPrecompile;
  readonly charging: ChargedSealing;
  readonly helicon: HeliconBlocks;
  readonly schedule: DumpSchedule;
  /** the base fee of blocks of a time, instead of the chain's own */
  readonly baseFeeAt?: ((timestamp: bigint) => bigint) | undefined;
  /** the network's time, Unix seconds */
  now(): bigint;
  askForRound(): void;
}

/** After this many failed seals in a row, the pool's transactions are suspected. */
const MOST_FAILED_SEALS = 3;

export class Sealing {
  readonly #parts: SealingParts;
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
  /** `0x…`, of the last block */
  #tipHash = "";

  constructor(parts: SealingParts) {
    this.#parts = parts;
  }

  /** The hardfork of the next block. */
  get hardfork(): Hardfork {
    return this.#hardfork ?? this.#parts.spec.hardforkAt(this.#parts.now());
  }

  /** Whether the child's pool may hold transactions for the next block. */
  get hasPooled(): boolean {
    return this.#parts.pool.hasNew;
  }

  /** of the last block, Unix seconds */
  get tipTimestamp(): bigint {
    return this.#tipTimestamp;
  }

  /** Prepares a child that was just made for its next block. */
  async begin({ rpc, state }: Child): Promise<void> {
    const { pool, warp, charging, helicon, now } = this.#parts;
    charging.forget();
    await helicon.begin(state.height);
    this.#baseFee = this.baseFeeAt(now());
    await setBaseFee(rpc, this.#baseFee);
    const { timestamp, hash } = await latestBlock(rpc);
    this.#tipTimestamp = BigInt(timestamp);
    this.#tipHash = hash;
    await warp.look(rpc);
    await pool.sendAgain(rpc);
  }

  /** The base fee of a block with this time, in aAVAX per gas. */
  baseFeeAt(timestamp: bigint): bigint {
    const { spec, helicon, baseFeeAt } = this.#parts;
    return this.#nextBaseFee ?? baseFeeAt?.(timestamp) ?? helicon.baseFeeAt(timestamp) ?? spec.baseFeeAt(timestamp);
  }

  /** Reads accounts at the last block, even if that is not committed. A child that does not answer is killed. */
  async accounts(addresses: readonly ShortId[]): Promise<Accounts> {
    if (addresses.length === 0) return new Map();
    const child = this.#parts.supervisor.requireChild();
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
      const child = await this.#childOf(this.#parts.spec.hardforkAt(timestamp), canRestart);
      if (child === undefined) return undefined;
      await this.#parts.lock.lock();
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
      const child = canRestart ? await this.#parts.supervisor.available() : this.#parts.supervisor.requireChild();
      await this.#parts.lock.lock();
      const rows = await this.#edit(child, edits);
      await this.#parts.pool.settle(child.rpc, { movesNonces: true });
      return rows;
    });
  }

  /** Forgets transactions that wait for a block, by default all; returns whether there were any. Nobody may seal meanwhile. */
  drop({ hash, sender }: DroppedTransactions = {}): Promise<boolean> {
    return this.exclusive(async () => {
      const { rpc } = await this.#parts.supervisor.available();
      if (hash === undefined) return this.#parts.pool.dropOf(rpc, sender);
      await rpc.call("anvil_dropTransaction", hash);
      return this.#parts.pool.drop(hash);
    });
  }

  /** The base fee of the next block, whenever that comes. A restart or a revert before it forgets this. */
  async setNextBaseFee(baseFee: bigint): Promise<void> {
    this.#nextBaseFee = baseFee;
    await this.useBaseFee((await this.#parts.supervisor.available()).rpc);
  }

  /** Call this before a new child is made. */
  forgetNextBaseFee(): void {
    this.#nextBaseFee = undefined;
  }

  /** Call this after every commit with a block of this chain, or with edits: they are committed, and requests are answered again. */
  committed(): void {
    this.#parts.pool.committed();
    this.#parts.charging.forget();
    this.#parts.helicon.committed();
    this.#parts.lock.unlock();
    if (this.#isPostponed) this.#parts.askForRound();
    this.#isPostponed = false;
    if (this.#parts.schedule.isDue) void this.exclusive(() => this.dump());
  }

  /** Returns a child with this hardfork; undefined if a new one is needed, which can only be built after the sealed block's commit. */
  async #childOf(hardfork: Hardfork, canRestart: boolean): Promise<Child | undefined> {
    this.#hardfork = hardfork;
    const child = canRestart ? await this.#parts.supervisor.available() : this.#parts.supervisor.requireChild();
    if (child.hardfork === hardfork) return child;
    this.#isPostponed = !canRestart;
    if (!canRestart) return undefined;
    await this.#parts.supervisor.restart();
    return this.#parts.supervisor.available();
  }

  /**
   * Runs work that brings the child ahead of the store, and alone. If it fails, or returns undefined, nothing was done.
   * @param work `canRestart`: the store has everything, so a child can be made
   */
  #ahead<T>(work: (canRestart: boolean) => Promise<T>): Promise<T> {
    return this.exclusive(async () => {
      const wasOpen = !this.#parts.lock.isLocked;
      let done: T | undefined;
      try {
        done = await work(wasOpen);
        return done;
      } catch (error) {
        // the child's state is unknown now
        this.#parts.pool.unseal();
        await this.#parts.supervisor.child?.kill();
        this.#narrowPool();
        throw error instanceof EvmRequestError
          ? new EvmDownError(`${this.#parts.spec.name}'s EVM refused: ${error.message}`, { cause: error })
          : error;
      } finally {
        if (done === undefined && wasOpen) this.#parts.lock.unlock();
      }
    });
  }

  /** Returns the rows to be committed. */
  async #edit(child: Child, edits: readonly EvmEdit[]): Promise<readonly Change[]> {
    await makeEdits(child.rpc, edits);
    const rows = rowsOfEdits(this.#parts.spec.chainId, child.state, edits);
    child.state = stateAfterEdits(child.state, edits);
    this.#parts.schedule.edited(edits.length);
    return rows;
  }

  async #seal(child: Child, { timestamp, atomicTxs, mayBeEmpty, edits, verifyWarp }: SealOptions): Promise<SealedBlock | undefined> {
    const { rpc } = child;
    const { spec, pool, warp, charging } = this.#parts;
    const { avaxAssetId } = spec;
    this.#baseFee = this.baseFeeAt(timestamp);
    this.#failedSeals++;
    // an atomic transaction may use up what the transaction needs
    const alone = atomicTxs.length === 0 ? await pool.takeAlone(rpc, this.#baseFee) : undefined;
    const next = { height: child.state.height + 1n, timestamp, transaction: alone, verify: verifyWarp };
    const rows = await this.#edit(child, [...edits, ...warp.editsBefore(next)]);
    const { block, added } = await charging.seal(rpc, { timestamp, baseFee: this.#baseFee, atomicTxs, avaxAssetId });
    this.#requireOwn(child, block);
    const hashes = block.transactions.map((tx) => (typeof tx === "string" ? tx : tx.hash));
    if (alone !== undefined && hashes.length !== 1) throw new EvmDownError("the EVM did not take a transaction with warp messages");
    const isForNothing = hashes.length === 0 && atomicTxs.length === 0 && rows.length === 0 && !mayBeEmpty;
    if (isForNothing) await unseal(rpc);
    const transactions = await Promise.all(hashes.map(async (hash) => fromHex(pool.get(hash)?.raw ?? (await rawTransaction(rpc, hash)))));
    const bytes = spec.encode({ header: encodeHeader(block, spec.name), transactions, extraData: encodeExtraData(atomicTxs) });
    const height = BigInt(block.number);
    const senders = this.#sendersOf(height, hashes);
    pool.seal(hashes);
    await pool.rejoin(rpc);
    await pool.settle(rpc, { movesNonces: atomicTxs.length > 0 });
    this.#failedSeals = 0;
    if (pool.isWithholding) {
      await pool.widen(rpc);
      this.#parts.askForRound();
    }
    if (isForNothing) return undefined;
    this.#nextBaseFee = undefined;
    const prices = this.#parts.helicon.sealed(height, timestamp);
    await this.useBaseFee(rpc);
    warp.sealed(block.logsBloom);
    child.state = stateAtBlock(height, idOf(block.hash));
    this.#tipTimestamp = timestamp;
    this.#tipHash = block.hash;
    this.#parts.schedule.sealed({ transactions: hashes.length, gasUsed: Number(block.gasUsed) });
    return { bytes, height, rows: [...rows, ...senders, ...rowsOfAddedGas(spec.chainId, height, added), ...prices] };
  }

  /** Whoever else reaches the child can have it make blocks, which are in no store. A new child has only those of the store. */
  #requireOwn({ state: { height } }: Child, { number, parentHash }: BlockJson): void {
    if (BigInt(number) === height + 1n && parentHash === this.#tipHash) return;
    const { log, spec } = this.#parts;
    const message = `${spec.name}'s EVM has blocks after block ${height} that Firn did not order`;
    log.error(`${message}; it is made again without them`);
    throw new EvmDownError(message);
  }

  /** Rows that tell who sent the unsigned transactions of a block. */
  #sendersOf(height: bigint, hashes: readonly string[]): Change[] {
    const { chainId } = this.#parts.spec;
    return hashes.flatMap((hash, index) => {
      const sender = this.#parts.pool.get(hash)?.sender;
      return sender === undefined ? [] : [{ table: evmSenders, key: { chainId, height, index }, value: { sender } } as Change];
    });
  }

  /**
   * Some transactions make the child run out of memory on every block that contains them. This searches for such a transaction, so that the
   * chain can continue without it.
   */
  #narrowPool(): void {
    if ((!this.#parts.pool.isNarrowed && this.#failedSeals < MOST_FAILED_SEALS) || this.#failedSeals === 0) return;
    const hash = this.#parts.pool.narrow();
    if (hash !== undefined) this.#parts.log.error({ hash }, "Dropped a transaction: the EVM crashes on every block that has it");
    this.#failedSeals = 0;
  }

  /** A dump that fails only makes the next start slower. */
  async dump(): Promise<void> {
    try {
      const child = await this.#parts.supervisor.available();
      const startedAt = performance.now();
      await this.#parts.rebuilder.writeDump(child);
      this.#parts.schedule.dumped(performance.now() - startedAt);
    } catch (error) {
      if (!this.#parts.supervisor.isStopping) this.#parts.log.warn({ err: error }, "Could not dump the EVM's state");
    }
  }

  async useBaseFee(rpc: JsonRpcClient): Promise<void> {
    const baseFee = this.baseFeeAt(this.#parts.now());
    // an upgrade may have activated since the last block
    if (baseFee !== this.#baseFee) await setBaseFee(rpc, baseFee);
    this.#baseFee = baseFee;
  }

  /** Runs the work when nothing else does. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => {});
    return done;
  }
}
