/** The progress of following: on a terminal one line for all chains that updates itself during long work, elsewhere log lines. */

import type { Logger } from "pino";
import { terminalLine } from "../../base/text/terminal-text.ts";
import type { EvmCommitted } from "../../evm/ingest/evm-ingester.ts";
import type { OpenChain } from "../../evm/ingest/open-chain.ts";

const REFRESH_MS = 200;
const LOG_EVERY_MS = 60_000;
/** a chain that is fewer blocks than this behind its node counts as at its tip */
const NEAR = 8n;
/** rates cover the last few seconds, because a chain's blocks vary over its history */
const RATE_WINDOW_MS = 5000;

interface FollowProgressOptions {
  readonly log: Logger;
  readonly terminal: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };
}

/** What a commit added to a chain. */
export interface Advance {
  readonly height: bigint;
  /** newest block that its nodes have */
  readonly head: bigint;
  readonly blocks: number;
  /** undefined: not counted for each chain */
  readonly transactions?: number;
  /** blocks that were fetched to disk up to now, executed or not; undefined: they are not kept there */
  readonly fetched?: number | undefined;
}

interface ChainProgress {
  readonly name: string;
  height: bigint;
  head: bigint;
  /** of the current window */
  since: number;
  blocks: number;
  transactions: number | undefined;
  fetched: number | undefined;
  /** of them, before the current window */
  fetchedBefore: number;
  /** per second, from the previous window */
  rates: { readonly blocks: number; readonly transactions: number | undefined; readonly fetched: number | undefined } | undefined;
}

export class FollowProgress {
  readonly #options: FollowProgressOptions;
  /** by name; of EVM chains by the number of the chain */
  readonly #chains = new Map<number | string, ChainProgress>();
  #peers: number | undefined;
  #shownAt = 0;
  #isShown = false;

  constructor(options: FollowProgressOptions) {
    this.#options = options;
  }

  /** Counts a commit of an EVM chain. */
  committed({ chain, evmChainId, settings }: OpenChain, committed: EvmCommitted): void {
    const { blocks, transactions, undone, rows, height } = committed;
    const { log } = this.#options;
    const facts = { chain: evmChainId.toString(), height: height.toString(), blocks, transactions, rows };
    if (undone > 0) log.warn({ ...facts, undone }, "Replaced blocks after a reorganisation");
    else log.debug(facts, "Committed batch");
    this.advanced(chain, settings.name, committed);
  }

  /** Number of connected peers. */
  peers(connected: number): void {
    this.#peers = connected;
  }

  advanced(key: number | string, name: string, { height, head, blocks, transactions, fetched }: Advance): void {
    const now = performance.now();
    const known = this.#chains.get(key);
    const progress = known ?? {
      ...{ name, height, head, since: now, blocks: 0, transactions: undefined, fetched, fetchedBefore: fetched ?? 0, rates: undefined },
    };
    if (known === undefined) this.#chains.set(key, progress);
    Object.assign(progress, { height, head, fetched, blocks: progress.blocks + blocks });
    if (transactions !== undefined) progress.transactions = (progress.transactions ?? 0) + transactions;
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
    const { blocks, transactions, fetched, fetchedBefore } = progress;
    const perSecond = (count: number) => Math.max(0, Math.round((count * 1000) / ms));
    progress.rates = {
      blocks: perSecond(blocks),
      transactions: transactions === undefined ? undefined : perSecond(transactions),
      fetched: fetched === undefined ? undefined : perSecond(fetched - fetchedBefore),
    };
    Object.assign(progress, { since: now, blocks: 0, transactions: transactions && 0, fetchedBefore: fetched ?? 0 });
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
      for (const { name, height, head, rates, fetched } of busy) {
        const peers = this.#peers === undefined ? {} : { peers: this.#peers };
        log.info({ name, height: `${height}`, head: `${head}`, fetched, ...peers, ...ratesText(rates) }, "Indexing");
      }
      return;
    }
    this.#isShown = true;
    const peers = this.#peers === undefined ? [] : [`${this.#peers} peers`];
    terminal.write(`\r\u001b[2K${terminalLine([...busy.map(lineOf), ...peers].join("  |  ")).slice(0, (terminal.columns ?? 80) - 1)}`);
  }
}

/** `My L1 120034/4500000  2 %  310 blocks/s  4200 tx/s  235 min left`, of peers with `  9000 fetched, 2500/s` */
function lineOf({ name, height, head, rates, fetched }: ChainProgress): string {
  const share = Math.floor((Number(height) * 100) / Number(head));
  const left = rates !== undefined && rates.blocks > 0 ? `  ${timeText(Number(head - height) / rates.blocks)} left` : "";
  const transactions = rates?.transactions === undefined ? "" : `  ${rates.transactions} tx/s`;
  const speed = rates === undefined ? "" : `  ${rates.blocks} blocks/s${transactions}`;
  const ahead = fetched === undefined ? "" : `  ${fetched} fetched${rates?.fetched === undefined ? "" : `, ${rates.fetched}/s`}`;
  return `${name} ${height}/${head}  ${share} %${speed}${left}${ahead}`;
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
