/** The progress of ingest: on a terminal one line that updates itself, elsewhere structured log lines; and a summary at the end. */

import { formatId } from "../base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import type { Committed } from "../ingest/ingester.ts";
import type { ChainsState } from "../ingest/steps.ts";
import { ProgressLine, type ProgressPlace } from "./progress-line.ts";

interface ProgressOptions extends ProgressPlace {
  /** share of the source that was read, from 0 to 1 */
  readonly fractionRead: () => number | undefined;
}

export class IngestProgress {
  readonly #options: ProgressOptions;
  readonly #startedAt = performance.now();
  readonly #shown: ProgressLine;
  #blocks = 0;
  #transactions = 0;
  #heights = "";

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#shown = new ProgressLine(options);
  }

  committed({ blocks, transactions, rows, ms }: Committed, state: ChainsState): void {
    this.#blocks += blocks;
    this.#transactions += transactions;
    this.#heights = heightsText(state);
    this.#options.log.debug({ blocks, transactions, rows, ms }, "Committed batch");
    this.#shown.show({
      line: () => this.#line(),
      message: "Ingesting",
      facts: () => ({ heights: this.#heights, blocks: this.#blocks, transactions: this.#transactions, ...this.#rates() }),
    });
  }

  /** Clears the line on a terminal. */
  end(): void {
    this.#shown.end();
  }

  summary(state: ChainsState): string {
    const { seconds, blocksPerSecond, transactionsPerSecond } = this.#rates();
    const work = `${this.#blocks} blocks, ${this.#transactions} transactions in ${seconds} s`;
    return `${work} (${blocksPerSecond} blocks/s, ${transactionsPerSecond} transactions/s); store at ${heightsText(state)}`;
  }

  #line(): string {
    const { blocksPerSecond, transactionsPerSecond } = this.#rates();
    return `${this.#heights}  ${blocksPerSecond} blocks/s  ${transactionsPerSecond} tx/s  ${this.#timeLeft()}`;
  }

  #rates() {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    return {
      seconds: Number(seconds.toFixed(1)),
      blocksPerSecond: Math.round(this.#blocks / seconds),
      transactionsPerSecond: Math.round(this.#transactions / seconds),
    };
  }

  #timeLeft(): string {
    const fraction = this.#options.fractionRead();
    if (fraction === undefined || fraction === 0) return "";
    const elapsed = (performance.now() - this.#startedAt) / 1000;
    return `${Math.round((elapsed * (1 - fraction)) / fraction)} s left`;
  }
}

/** "P 225, X 233, C 25" */
export function heightsText({ progress, network }: ChainsState): string {
  const names = new Map([
    [PLATFORM_CHAIN_ID, "P"],
    [network.xChainId, "X"],
    [network.cChainId, "C"],
  ]);
  return [...progress.heights].map(([chainId, height]) => `${names.get(chainId) ?? formatId(chainId)} ${height}`).join(", ");
}
