/**
 * Keeps a child running: starts it, notices when it dies, and starts the next one. The delay grows if children die soon after the start.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Child } from "./child.ts";
import { EvmDownError } from "./evm-error.ts";

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 5_000;
/** Longest delay after the end of a child that was running, because its clients wait. */
const LONGEST_DELAY_OF_CLIENTS_MS = 500;
/** A child that lived this long did not die of its start. */
const LONG_LIFE_MS = 1_000;
/** How long clients wait for a child that is starting. */
const PATIENCE_MS = 30_000;

interface SupervisorParts {
  readonly log: Logger;
  /** of the chain */
  readonly name: string;
  /** Resolves with a child that is ready to use. */
  start(): Promise<Child>;
  /** Called when a child is ready: the first one, or the replacement of one that ended. */
  onUp(): void;
}

export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #child: Child | undefined;
  #problem: string | undefined;
  /** called when an attempt to start a child has succeeded or failed */
  #waiting: (() => void)[] = [];
  /** whether the child that is being started must be discarded */
  #isOutdated = false;
  #isIntended = false;
  #starts = 0;
  #hasFailed = false;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#problem = `${parts.name}'s EVM is being started`;
    this.#running = this.#run();
  }

  get child(): Child | undefined {
    return this.#child;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether the child that is being started will be used. */
  get isWanted(): boolean {
    return !this.#isOutdated && !this.isStopping;
  }

  /** Whether the last start failed, so that the next child may take a while. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Number of children started so far. */
  get starts(): number {
    return this.#starts;
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  requireChild(): Child {
    if (this.#child !== undefined) return this.#child;
    throw new EvmDownError(this.#problem ?? `${this.#parts.name}'s EVM is down`);
  }

  /** Returns the child; waits for it if necessary. */
  async available(patienceMs = PATIENCE_MS): Promise<Child> {
    const deadline = performance.now() + patienceMs;
    while (this.#child === undefined && !this.isStopping && performance.now() < deadline) {
      const patience = new AbortController();
      const late = delay(deadline - performance.now(), undefined, { signal: patience.signal, ref: false }).catch(() => {});
      await Promise.race([this.attempt(), late]);
      patience.abort();
    }
    return this.requireChild();
  }

  /** Resolves when the current attempt to start a child, or else the next one, has succeeded or failed. */
  attempt(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Ends the child. Resolves when its replacement is ready or has failed to start. */
  async restart(): Promise<void> {
    if (this.isStopping) return;
    this.#isIntended = true;
    this.#isOutdated = this.#child === undefined;
    const attempt = this.attempt();
    await this.#child?.kill();
    await attempt;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#child?.kill();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let wait = FIRST_DELAY_MS;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const { starts } = this;
      await this.#runOne();
      const isLongLife = performance.now() - startedAt > LONG_LIFE_MS && this.starts > starts;
      const longest = this.starts > starts ? LONGEST_DELAY_OF_CLIENTS_MS : LONGEST_DELAY_MS;
      wait = isLongLife || this.#isIntended ? FIRST_DELAY_MS : Math.min(2 * wait, longest);
      if (!this.#isIntended) await delay(wait, undefined, { signal }).catch(() => {});
    }
    this.#problem = `${this.#parts.name}'s EVM was stopped`;
    this.#attempted();
  }

  /** Starts a child and resolves when it has ended. */
  async #runOne(): Promise<void> {
    const { log } = this.#parts;
    this.#isIntended = false;
    this.#isOutdated = false;
    try {
      const child = await this.#parts.start();
      if (!this.isWanted) return await child.kill();
      log.debug({ pid: child.pid, hardfork: child.hardfork }, "Started the EVM");
      this.#child = child;
      this.#starts++;
      this.#hasFailed = false;
      this.#problem = undefined;
      this.#attempted();
      this.#parts.onUp();
      const reason = await child.exited;
      this.#child = undefined;
      this.#problem = `${this.#parts.name}'s EVM is being restarted: ${reason}`;
      if (!this.isStopping && !this.#isIntended) log.warn({ reason }, "The EVM ended; restarting it");
    } catch (error) {
      if (!this.isWanted) return;
      const isNew = this.#problem !== (error as Error).message;
      this.#problem = (error as Error).message;
      this.#hasFailed = true;
      if (isNew) log.error({ err: error }, "Could not start the EVM");
      this.#attempted();
    }
  }

  #attempted(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
