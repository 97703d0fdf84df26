/** Commits what a producer executed, one commit after the other, and reports its blocks once they are committed. */
import type { Logger } from "pino";
import type { Change } from "../base/table/table.ts";
import type { NodeChains } from "../ingest/chains.ts";
import { endBatch, type Step, StopWatch, startCommit } from "../ingest/steps.ts";
import type { Store } from "../store/store.ts";
import type { DevnetClock } from "./devnet-clock.ts";

/** Tracks whether work that must not be left half-done was interrupted. */
export class WholeSections {
  /** entered and not yet completed */
  #open = 0;

  get areWhole(): boolean {
    return this.#open === 0;
  }

  /**
   * Runs a section that must not be left half-done.
   * @param leavesNothing tells errors after which nothing is half-done, unless a nested section was
   */
  async run<T>(work: () => T | Promise<T>, leavesNothing: (error: unknown) => boolean = () => false): Promise<T> {
    this.#open++;
    try {
      const result = await work();
      this.#open--;
      return result;
    } catch (error) {
      if (leavesNothing(error)) this.#open--;
      throw error;
    }
  }
}

interface ProducerCommitParts {
  readonly store: Store;
  readonly clock: DevnetClock;
  readonly log: Logger;
  readonly chains: NodeChains;
  readonly sections: WholeSections;
  /** called after every commit, before whoever waits for it goes on */
  onWritten(): void;
}

export class ProducerCommits {
  readonly #parts: ProducerCommitParts;
  /** the one that was begun last */
  #last: Promise<void> = Promise.resolve();
  #hasFailed = false;
  /** for the log */
  #uncommitted: { chain: string; height: string; kinds: readonly string[] }[] = [];

  constructor(parts: ProducerCommitParts) {
    this.#parts = parts;
  }

  /** Adds rows to the next commit. */
  add(rows: readonly Change[]): void {
    for (const { table, key, value } of rows) this.#parts.chains.view.writeUnread(table, key, value);
  }

  /** Has a block logged once it is committed. */
  report(step: Step, height: bigint): void {
    if (!this.#parts.log.isLevelEnabled("info")) return;
    this.#uncommitted.push({ chain: step.chain, height: height.toString(), kinds: step.kinds?.() ?? [] });
  }

  /** Begins to commit everything since the last commit, the clock too, once that is done. */
  async begin(): Promise<{ readonly written: Promise<void> }> {
    const { clock, store, chains, sections, log } = this.#parts;
    const started = await sections.run(async () => {
      await this.#last;
      clock.save(chains.view);
      await endBatch(chains, store, new StopWatch());
      return startCommit(chains, store);
    });
    const blocks = this.#uncommitted.splice(0);
    const written = started.done.then(
      () => {
        for (const block of blocks) log.info(block, "Accepted block");
        this.#parts.onWritten();
      },
      (error: unknown) => {
        this.#hasFailed = true;
        throw error;
      },
    );
    this.#last = written;
    written.catch(() => {});
    return { written };
  }

  /** Resolves when none is under way, also if the last one failed. */
  async settled(): Promise<void> {
    await this.#last.catch(() => {});
  }

  /** Whether the view holds the store's state plus complete changes. */
  get areSound(): boolean {
    return this.#parts.sections.areWhole && !this.#hasFailed;
  }
}
