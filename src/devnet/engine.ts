/**
 * The loop that makes blocks. Every change of the state is a task, and tasks run one after the other. Transactions issued during one round
 * form the next: they enter the mempools, blocks are built from them, and one commit holds them all. A round of asset chains does not wait
 * for the commit of the one before; every other task does.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "pino";
import { formatId } from "../base/bytes/cb58.ts";
import type { Id } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { PendingStatus } from "../chains/mempool/issuer.ts";
import type { Admission, Issued } from "./admission.ts";
import type { DevnetClock } from "./devnet-clock.ts";
import type { Producer } from "./producer.ts";

interface EngineOptions {
  /** opens a producer on the committed state */
  readonly open: () => Promise<Producer>;
  /** called when the clock was moved, which may make no block */
  onMoved(): void;
  readonly clock: DevnetClock;
  /** undefined: blocks are built at once */
  readonly blockTimeMs: number | undefined;
  readonly log: Logger;
}

const NANOSECONDS = 1_000_000_000n;
/** Most transactions per round, to limit the duration of a commit. */
const MOST_PER_ROUND = 2048;
/** Delay before work that was due but produced no block is tried again. */
const RETRY_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Waiting extends Issued {
  resolve(txId: Id): void;
  reject(reason: unknown): void;
}

export class Engine {
  readonly #options: EngineOptions;
  /** set by the first task */
  #producer: Producer | undefined;
  #queue: Waiting[] = [];
  /** chains that must be asked for a block; asking the C-chain costs a request */
  #requested = new Set<Id>();
  /** settles with the last task */
  #tail: Promise<unknown> = Promise.resolve();
  #nextRound: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ticks: NodeJS.Timeout | undefined;
  #isTicking = false;
  #hasStopped = false;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Starts building what is due. */
  start(): void {
    const { blockTimeMs } = this.#options;
    if (blockTimeMs === undefined) this.requestRound().catch(() => {});
    else this.#ticks = setInterval(() => this.#tick(), blockTimeMs).unref();
  }

  async issue(chainId: Id, bytes: Uint8Array, viaWallet: boolean): Promise<Id> {
    const producer = this.#producer ?? (await this.task(async (opened) => opened));
    const issuer = producer.issuer(chainId);
    if (issuer === undefined) throw new FirnError("unknown-chain", `the chain ${formatId(chainId)} does not run here`, { chainId });
    const tx = issuer.parse(bytes);
    return new Promise((resolve, reject) => {
      this.#queue.push({ chainId, tx, viaWallet, resolve, reject });
      this.requestRound().catch(reject);
    });
  }

  status(chainId: Id, txId: Id): PendingStatus | undefined {
    return this.#producer?.status(chainId, txId);
  }

  isPendingChain(chainId: Id): boolean {
    return this.#producer?.isPendingChain(chainId) ?? false;
  }

  /**
   * Resolves with the next round, which takes everything queued at its start.
   * @param chainId a chain that can build something that was not issued here
   */
  requestRound(chainId?: Id): Promise<void> {
    if (chainId !== undefined) this.#requested.add(chainId);
    this.#nextRound ??= this.#takeRound();
    return this.#nextRound;
  }

  /** Runs after all earlier tasks and their commits. If a task fails half-way, the chains may be ahead of the store, so they are reopened. */
  task<T>(work: (producer: Producer) => Promise<T>): Promise<T> {
    return this.#task(async (producer) => {
      await producer.settled();
      return work(producer.isSound ? producer : await this.#drop(producer));
    });
  }

  /** Like `task`, but the commit of the last round may be under way. */
  #task<T>(work: (producer: Producer) => Promise<T>): Promise<T> {
    if (this.#hasStopped) return Promise.reject(stopped());
    const task = this.#tail.then(async () => {
      const producer = this.#producer ?? (await this.reopen());
      try {
        return await work(producer);
      } catch (error) {
        const last = this.#producer ?? producer;
        if (last.isSound) throw error;
        this.#options.log.error({ err: error }, "Dropped uncommitted blocks");
        await this.#drop(last);
        throw error;
      } finally {
        this.#schedule();
      }
    });
    this.#tail = task.catch(() => {});
    return task;
  }

  /** Reopens the chains from the committed state, without the blocks that were not committed. */
  async #drop(producer: Producer): Promise<Producer> {
    await producer.settled();
    await producer.abandon();
    return this.reopen();
  }

  /** Only within a task: reopens the chains from the committed state. The mempools are emptied. */
  async reopen(): Promise<Producer> {
    this.forget();
    this.#producer = await this.#options.open();
    return this.#producer;
  }

  /** Only within a task: the store's state was replaced. */
  forget(): void {
    this.#producer = undefined;
  }

  /** Only within a task: moves the clock forward, stopping wherever a block is due without a transaction. */
  async walk(producer: Producer, to: bigint): Promise<void> {
    const { clock, log } = this.#options;
    if (to < clock.seconds()) {
      throw new FirnError(
        "time-backwards",
        `the clock is at ${clock.seconds()} and does not go back to ${to}; revert to a snapshot instead`,
      );
    }
    for (;;) {
      const next = producer.nextChange();
      if (next === undefined || next.at > to) break;
      forward(clock, next.at);
      const hasBuilt = await producer.build({ chainIds: next.chainIds });
      if (this.#hasStopped) {
        // commits what was built so far
        await producer.commit();
        throw stopped();
      }
      if (hasBuilt) continue;
      log.error({ at: next.at.toString(), chains: [...next.chainIds].map(formatId) }, "Dropped due work that produced no block");
      break;
    }
    forward(clock, to);
    clock.moved(to);
    await producer.build();
    await producer.commit();
    this.#options.onMoved();
  }

  /** Ends after the running task; waiting tasks are refused. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    clearInterval(this.#ticks);
    clearTimeout(this.#timer);
    await this.#tail;
    await this.#producer?.settled();
    clearTimeout(this.#timer);
  }

  async #takeRound(): Promise<void> {
    let hasBegun = false;
    try {
      const { done } = await this.#task(async (opened) => {
        await this.#gather();
        hasBegun = true;
        this.#nextRound = undefined;
        return this.#round(opened);
      });
      await done;
    } catch (error) {
      if (!hasBegun) {
        // the network cannot continue
        this.#nextRound = undefined;
        for (const { reject } of this.#queue.splice(0)) reject(error);
      }
      throw error;
    }
  }

  /** Resolves once the next round can begin; `done` when everything of this one is committed and answered. */
  async #round(opened: Producer): Promise<{ readonly done: Promise<void> }> {
    const issued = this.#queue.splice(0, MOST_PER_ROUND);
    const chainIds = this.#roundChains(opened, issued);
    try {
      const overlaps = opened.mayOverlap(chainIds);
      if (!overlaps) await opened.settled();
      const producer = opened.isSound ? opened : await this.#drop(opened);
      const admissions = await producer.admit(issued);
      let done = Promise.resolve();
      if (this.#options.blockTimeMs === undefined && (await producer.build({ chainIds }))) {
        if (overlaps) ({ done } = await producer.beginCommit());
        else await producer.commit();
      }
      producer.rest();
      const answered = this.#answer(issued, admissions, done);
      // who awaits it is told
      answered.catch(() => {});
      return { done: answered };
    } catch (error) {
      for (const chainId of chainIds) this.#requested.add(chainId);
      for (const { reject } of issued) reject(error);
      throw error;
    } finally {
      if (this.#queue.length > 0) this.requestRound().catch(() => {});
    }
  }

  async #answer(issued: readonly Waiting[], admissions: readonly Admission[], committed: Promise<void>): Promise<void> {
    try {
      await committed;
    } catch (error) {
      for (const { reject } of issued) reject(error);
      throw error;
    }
    for (const [index, { tx, resolve, reject }] of issued.entries()) {
      const admission = admissions[index]!;
      if (admission.kind === "admitted") resolve(tx.id);
      else reject(admission.error);
    }
  }

  /** The chains that a round builds blocks of: those of its transactions, those that were asked for, and those where one is due. */
  #roundChains(producer: Producer, issued: readonly Issued[]): Set<Id> {
    const chainIds = this.#requested;
    this.#requested = new Set();
    for (const { chainId } of issued) chainIds.add(chainId);
    const next = producer.nextChange();
    if (next !== undefined && next.at <= this.#options.clock.seconds()) for (const chainId of next.chainIds) chainIds.add(chainId);
    return chainIds;
  }

  /**
   * Waits as long as each turn of the event loop brings more transactions from other sockets. Otherwise a round would hold a single
   * transaction, at the cost of many.
   */
  async #gather(): Promise<void> {
    let queued: number;
    do {
      queued = this.#queue.length;
      await nextTurn();
    } while (this.#queue.length > queued && this.#queue.length < MOST_PER_ROUND);
  }

  /** Builds one block of each chain that has something to build. */
  #tick(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    const tick = this.task(async (producer) => {
      if (await producer.build({ isOneEach: true })) await producer.commit();
      producer.rest();
    });
    tick
      .catch(() => {})
      .finally(() => {
        this.#isTicking = false;
      });
  }

  /** Sets a timer for the next time that something is due without a transaction. */
  #schedule(): void {
    const { blockTimeMs, clock } = this.#options;
    clearTimeout(this.#timer);
    if (this.#hasStopped || blockTimeMs !== undefined) return;
    const next = this.#producer?.nextChange();
    if (next === undefined) return;
    const dueMs = Number(next.at * 1000n - clock.nanoseconds() / 1_000_000n);
    this.#timer = setTimeout(() => this.start(), dueMs > 0 ? Math.min(dueMs, LONGEST_TIMER_MS) : RETRY_MS).unref();
  }
}

function stopped(): FirnError {
  return new FirnError("stopped", "the network was stopped");
}

/** Sets the clock, unless it is already past that time. */
function forward(clock: DevnetClock, to: bigint): void {
  if (clock.nanoseconds() < to * NANOSECONDS) clock.set(to * NANOSECONDS);
}
