/**
 * When the child's state is worth a dump. Sealing again what was sealed since the last one is to take about half a second; but a dump holds the
 * whole history and stops the chain while it is written: the longer one takes, the less often there is one.
 */

/** blocks and transactions */
const WORK_PER_DUMP = 256;
const GAS_PER_WORK = 500_000;
const WORK_PER_DUMP_MS = 20;
/** At the end a dump is written only if it saves some time at the next start: one knows nothing of past states. */
const WORK_PER_LAST_DUMP = 64;

export class DumpSchedule {
  readonly #blocksPerDump: number | undefined;
  #blocks = 0;
  #work = 0;
  #lastMs = 0;

  /** @param blocksPerDump fixed, whatever is in them */
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

  dumped(milliseconds: number): void {
    this.#lastMs = milliseconds;
    this.startedWith(0);
  }

  /** @param blocks since the dump that the child was started from */
  startedWith(blocks: number): void {
    this.#blocks = blocks;
    this.#work = blocks;
  }
}
