/**
 * The one loop that makes blocks. Everything that changes the state is a task, one after the other; transactions that are issued while
 * one runs make the next round together: they are taken into the mempools, blocks are built of them, and one commit holds all of it.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "pino";
import type { PendingStatus } from "../mempool/issuer.ts";
import { formatId } from "../primitives/cb58.ts";
import { FirnError } from "../primitives/errors.ts";
import type { Id } from "../primitives/id.ts";
import type { DevnetClock } from "./devnet-clock.ts";
import type { Issued, Producer } from "./producer.ts";

export interface EngineOptions {
  /** from what is committed */
  readonly open: () => Promise<Producer>;
  readonly clock: DevnetClock;
  /** undefined: blocks are built at once */
  readonly blockTimeMs: number | undefined;
  readonly log: Logger;
}

const NANOSECONDS = 1_000_000_000n;
/** What one round takes of the queue: bounds how long a commit lasts. */
const MOST_PER_ROUND = 2048;
/** After which what was due, and gave no block, is tried again. */
const RETRY_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Waiting extends Issued {
  resolve(txId: Id): void;
  reject(reason: unknown): void;
}

export class Engine {
  readonly #options: EngineOptions;
  /** from the first task on */
  #producer: Producer | undefined;
  #queue: Waiting[] = [];
  /** chains that have to be asked for a block: to ask the C-chain costs a request */
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

  /** Begins to build what is due. */
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
   * Resolves with the next round, which takes all that is queued when it begins.
   * @param chainId has something to build that was not issued here
   */
  requestRound(chainId?: Id): Promise<void> {
    if (chainId !== undefined) this.#requested.add(chainId);
    this.#nextRound ??= this.#takeRound();
    return this.#nextRound;
  }

  /** Runs after all tasks before it. One that fails half-way leaves chains that are ahead of the store: they are opened anew. */
  task<T>(work: (producer: Producer) => Promise<T>): Promise<T> {
    if (this.#hasStopped) return Promise.reject(stopped());
    const task = this.#tail.then(async () => {
      const producer = this.#producer?.isSound ? this.#producer : await this.reopen();
      try {
        return await work(producer);
      } catch (error) {
        if (producer.isSound) throw error;
        this.#options.log.error({ err: error }, "Gave up what was not committed");
        await producer.abandon();
        await this.reopen();
        throw error;
      } finally {
        this.#schedule();
      }
    });
    this.#tail = task.catch(() => {});
    return task;
  }

  /** Within a task: goes on from what is committed. What waited in the mempools is forgotten. */
  async reopen(): Promise<Producer> {
    this.forget();
    this.#producer = await this.#options.open();
    return this.#producer;
  }

  /** Within a task: the store holds another state than it did. */
  forget(): void {
    this.#producer = undefined;
  }

  /** Within a task: moves the clock forward, and stops on the way wherever a block is due without any transaction. */
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
        // as far as it came
        await producer.commit();
        throw stopped();
      }
      if (hasBuilt) continue;
      log.error({ at: next.at.toString(), chains: [...next.chainIds].map(formatId) }, "Gave up what was due, since no block came of it");
      break;
    }
    forward(clock, to);
    await producer.build();
    await producer.commit();
  }

  /** Ends after the task that runs; those that wait are refused. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    clearInterval(this.#ticks);
    clearTimeout(this.#timer);
    await this.#tail;
    clearTimeout(this.#timer);
  }

  async #takeRound(): Promise<void> {
    let hasBegun = false;
    try {
      await this.task(async (producer) => {
        await this.#gather();
        hasBegun = true;
        this.#nextRound = undefined;
        await this.#round(producer);
      });
    } catch (error) {
      if (!hasBegun) {
        // there is no network to go on with
        this.#nextRound = undefined;
        for (const { reject } of this.#queue.splice(0)) reject(error);
      }
      throw error;
    }
  }

  async #round(producer: Producer): Promise<void> {
    const issued = this.#queue.splice(0, MOST_PER_ROUND);
    try {
      const outcomes = await producer.admit(issued);
      if (this.#options.blockTimeMs === undefined) await this.#buildNow(producer, issued);
      producer.rest();
      for (const [index, { tx, resolve, reject }] of issued.entries()) {
        if (outcomes[index] === undefined) resolve(tx.id);
        else reject(outcomes[index]);
      }
    } catch (error) {
      for (const { reject } of issued) reject(error);
      throw error;
    } finally {
      if (this.#queue.length > 0) this.requestRound().catch(() => {});
    }
  }

  /**
   * What arrives at other sockets comes along as long as each turn of the event loop brings more: without that a round would be of one
   * transaction, and cost as much as one of many.
   */
  async #gather(): Promise<void> {
    let queued: number;
    do {
      queued = this.#queue.length;
      await nextTurn();
    } while (this.#queue.length > queued && this.#queue.length < MOST_PER_ROUND);
  }

  async #buildNow(producer: Producer, issued: readonly Issued[]): Promise<void> {
    const chainIds = this.#requested;
    this.#requested = new Set();
    for (const { chainId } of issued) chainIds.add(chainId);
    for (const chainId of producer.nextChange()?.chainIds ?? []) chainIds.add(chainId);
    if (await producer.build({ chainIds })) await producer.commit();
  }

  /** One block of each chain that has one. */
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

  /** Wakes up when something is due by itself. */
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

/** The clock may be past it by now. */
function forward(clock: DevnetClock, to: bigint): void {
  if (clock.nanoseconds() < to * NANOSECONDS) clock.set(to * NANOSECONDS);
}
