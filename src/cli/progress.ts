/** The progress of ingest: on a terminal one line that updates itself, elsewhere structured log lines; and a summary at the end. */
import type { Logger } from "pino";
import type { Committed } from "../ingest/ingester.ts";
import type { ChainsState } from "../ingest/steps.ts";
import { formatId } from "../primitives/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../primitives/id.ts";

const REFRESH_MS = 200;
const LOG_EVERY_MS = 10_000;

export interface ProgressOptions {
  readonly log: Logger;
  readonly terminal: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };
  /** share of the source that was read, from 0 to 1 */
  readonly fractionRead: () => number | undefined;
}

export class IngestProgress {
  readonly #options: ProgressOptions;
  readonly #startedAt = performance.now();
  #shownAt = 0;
  #blocks = 0;
  #transactions = 0;
  #heights = "";

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  committed({ blocks, transactions, rows, ms }: Committed, state: ChainsState): void {
    const { log, terminal } = this.#options;
    this.#blocks += blocks;
    this.#transactions += transactions;
    this.#heights = heightsText(state);
    log.debug({ blocks, transactions, rows, ms }, "Committed batch");
    const now = performance.now();
    if (now - this.#shownAt < (terminal.isTTY ? REFRESH_MS : LOG_EVERY_MS)) return;
    this.#shownAt = now;
    if (terminal.isTTY) terminal.write(`\r\u001b[2K${this.#line().slice(0, (terminal.columns ?? 80) - 1)}`);
    else log.info({ heights: this.#heights, blocks: this.#blocks, transactions: this.#transactions, ...this.#rates() }, "Ingesting");
  }

  /** Clears the line on a terminal. */
  end(): void {
    if (this.#options.terminal.isTTY) this.#options.terminal.write("\r\u001b[2K");
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
