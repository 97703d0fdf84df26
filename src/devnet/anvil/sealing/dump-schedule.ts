/**
 * Decides when to dump the child's state. Sealing the blocks since the last dump again should take about half a second; but a dump contains
 * the whole history and stops the chain while it is written, so the longer one takes, the rarer they are.
 */

/** blocks plus transactions */
const WORK_PER_DUMP = 256;
const GAS_PER_WORK = 500_000;
const EDITS_PER_WORK = 4;
const WORK_PER_DUMP_MS = 20;
/** At shutdown, a dump is written only if it speeds up the next start: a child started from a dump knows no past states. */
const WORK_PER_LAST_DUMP = 64;

export class DumpSchedule {
  readonly #blocksPerDump: number | undefined;
  #blocks = 0;
  #work = 0;
  #lastMs = 0;

  /** @param blocksPerDump fixed number of blocks and edits between dumps, whatever they contain */
  constructor(blocksPerDump?: number) {
    this.#blocksPerDump = blocksPerDump;
  }

  get isDue(): boolean {
    if (this.#blocksPerDump !== undefined) return this.#blocks >= this.#blocksPerDump;
    return this.#work >= WORK_PER_DUMP + this.#lastMs * WORK_PER_DUMP_MS;
  }

  get isDueAtEnd(): boolean {
    return this.#work >= WORK_PER_LAST_DUMP;
  }

  sealed({ transactions, gasUsed }: { transactions: number; gasUsed: number }): void {
    this.#blocks++;
    this.#work += 1 + transactions + gasUsed / GAS_PER_WORK;
  }

  edited(edits: number): void {
    if (edits > 0) this.#blocks++;
    this.#work += edits / EDITS_PER_WORK;
  }

  dumped(milliseconds: number): void {
    this.#lastMs = milliseconds;
    this.startedWith(0);
  }

  /** @param blocks number of blocks since the dump that the child was started from */
  startedWith(blocks: number): void {
    this.#blocks = blocks;
    this.#work = blocks;
  }
}
