/** What following tells while it runs: one line for all chains that renews itself on a terminal while there is much to do, log lines elsewhere. */
import type { Logger } from "pino";
import type { EvmCommitted } from "../ingest/evm/evm-ingester.ts";
import type { OpenChain } from "../ingest/evm/open-chain.ts";

const REFRESH_MS = 200;
const LOG_EVERY_MS = 10_000;
/** fewer blocks than this behind its node, a chain is at its tip */
const NEAR = 8n;
/** rates are of the last moments, since a chain's blocks differ from one end to the other */
const RATE_WINDOW_MS = 5000;

export interface FollowProgressOptions {
  readonly log: Logger;
  readonly terminal: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };
}

interface ChainProgress {
  readonly name: string;
  height: bigint;
  head: bigint;
  /** of the present window */
  since: number;
  blocks: number;
  transactions: number;
  /** per second, of the window before */
  rates: { readonly blocks: number; readonly transactions: number } | undefined;
}

export class FollowProgress {
  readonly #options: FollowProgressOptions;
  readonly #chains = new Map<number, ChainProgress>();
  #shownAt = 0;
  #isShown = false;

  constructor(options: FollowProgressOptions) {
    this.#options = options;
  }

  committed({ chain, evmChainId, settings }: OpenChain, committed: EvmCommitted): void {
    const { blocks, transactions, undone, rows, height, head } = committed;
    const { log } = this.#options;
    const now = performance.now();
    const known = this.#chains.get(chain);
    const progress = known ?? { name: settings.name, height, head, since: now, blocks: 0, transactions: 0, rates: undefined };
    if (known === undefined) this.#chains.set(chain, progress);
    Object.assign(progress, { height, head, blocks: progress.blocks + blocks, transactions: progress.transactions + transactions });
    const facts = { chain: evmChainId.toString(), height: height.toString(), blocks, transactions, rows };
    if (undone > 0) log.warn({ ...facts, undone }, "Replaced blocks that a reorganisation took back");
    else log.debug(facts, "Committed batch");
    this.#measure(progress, now);
    this.#show(now);
  }

  /** Clears the line on a terminal. */
  end(): void {
    if (this.#isShown) this.#options.terminal.write("\r\u001b[2K");
    this.#isShown = false;
  }

  #measure(progress: ChainProgress, now: number): void {
    const ms = now - progress.since;
    if (ms < (progress.rates === undefined ? REFRESH_MS : RATE_WINDOW_MS)) return;
    progress.rates = { blocks: Math.round((progress.blocks * 1000) / ms), transactions: Math.round((progress.transactions * 1000) / ms) };
    Object.assign(progress, { since: now, blocks: 0, transactions: 0 });
  }

  #show(now: number): void {
    const { log, terminal } = this.#options;
    const busy = [...this.#chains.values()].filter(({ height, head }) => head - height >= NEAR);
    if (busy.length === 0) {
      this.end();
      return;
    }
    if (now - this.#shownAt < (terminal.isTTY ? REFRESH_MS : LOG_EVERY_MS)) return;
    this.#shownAt = now;
    if (!terminal.isTTY) {
      for (const { name, height, head, rates } of busy) {
        log.info({ name, height: height.toString(), head: head.toString(), ...ratesText(rates) }, "Indexing");
      }
      return;
    }
    this.#isShown = true;
    terminal.write(
      `\r\u001b[2K${busy
        .map(lineOf)
        .join("  |  ")
        .slice(0, (terminal.columns ?? 80) - 1)}`,
    );
  }
}

/** `My L1 120034/4500000  2 %  310 blocks/s  4200 tx/s  235 min left` */
function lineOf({ name, height, head, rates }: ChainProgress): string {
  const share = Math.floor((Number(height) * 100) / Number(head));
  const left = rates !== undefined && rates.blocks > 0 ? `  ${timeText(Number(head - height) / rates.blocks)} left` : "";
  const speed = rates === undefined ? "" : `  ${rates.blocks} blocks/s  ${rates.transactions} tx/s`;
  return `${name} ${height}/${head}  ${share} %${speed}${left}`;
}

function ratesText(rates: ChainProgress["rates"]): object {
  return rates === undefined ? {} : { blocksPerSecond: rates.blocks, transactionsPerSecond: rates.transactions };
}

function timeText(seconds: number): string {
  return seconds < 120
    ? `${Math.round(seconds)} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`;
}
