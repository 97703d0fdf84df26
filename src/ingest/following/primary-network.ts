/**
 * Follows a primary network: ingests from its nodes until it is stopped. Any other end of ingest is reported in one sentence, shown by
 * health, and retried at growing intervals; meanwhile the store stays at the last good block and is served.
 */

import type { Logger } from "pino";
import type { Id } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { Change } from "../../base/table/table.ts";
import { pause } from "../../base/work/pause.ts";
import { sourceQueues, sourceState, sourceTips } from "../../index/tables.ts";
import { publicGenesis } from "../../network/presets.ts";
import { isUnknownFormat } from "../../network/unknown-format.ts";
import type { LiveSource, SourceStatus } from "../../sources/source.ts";
import { LiveRows, nodesJson } from "../../store/live-rows.ts";
import type { Store } from "../../store/store.ts";
import { type IngestSourceOptions, ingestSource } from "../ingest-source.ts";
import { RefusedError } from "../refusal.ts";

interface Heard extends SourceStatus {
  /** items that wait for another chain, by chain */
  readonly waiting: ReadonlyMap<Id, number>;
}

const NOTHING: Heard = { seenAt: 0n, tips: new Map(), upstreams: [], prefetched: new Map(), waiting: new Map() };

/**
 * Stores what the nodes of a followed network last reported, as `source_tips`, `source_state` and `source_queues`. Health, metrics and
 * `firn status` read it.
 */
export class SourceLog {
  readonly #rows: LiveRows<Heard>;
  #status: SourceStatus = NOTHING;
  #waiting: ReadonlyMap<Id, number> = NOTHING.waiting;
  #problem: string | undefined;

  constructor(store: Store, log: Logger) {
    this.#rows = new LiveRows({ store, written: NOTHING, changes: rowsOf, isDue: differ, log });
  }

  update(status: SourceStatus): void {
    this.#status = status;
    this.#rows.current = { ...status, problem: this.#problem ?? status.problem, waiting: this.#waiting };
  }

  /** Reports why nothing is ingested, whatever the nodes say; undefined: ingest continues. */
  tell(problem: string | undefined): void {
    this.#problem = problem;
    this.update(this.#status);
  }

  /** Reports how many items wait for another chain. */
  queues(waiting: ReadonlyMap<Id, number>): void {
    this.#waiting = waiting;
  }

  close(): Promise<void> {
    return this.#rows.close();
  }
}

function rowsOf({ seenAt, tips, problem = "", upstreams, prefetched, waiting }: Heard): Change[] {
  const state = { table: sourceState, key: { slot: 0 }, value: { seenAt, problem, upstreams: nodesJson(upstreams) } };
  const queues = [...prefetched].map(([chainId, blocks]) => {
    return { table: sourceQueues, key: { chainId }, value: { prefetched: blocks, waiting: waiting.get(chainId) ?? 0 } };
  });
  return [state, ...[...tips].map(([chainId, value]) => ({ table: sourceTips, key: { chainId }, value })), ...queues] as Change[];
}

function differ(now: Heard, written: Heard): boolean {
  return (
    now.problem !== written.problem ||
    now.upstreams.some(({ state }, place) => state !== written.upstreams[place]?.state) ||
    [...now.tips].some(([chainId, { height }]) => written.tips.get(chainId)?.height !== height)
  );
}

interface FollowPrimaryOptions extends Omit<IngestSourceOptions, "source" | "signal"> {
  readonly source: LiveSource;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** milliseconds until ingest is retried after its first failure; default 1,000 */
  readonly firstRetryMs?: number;
}

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 300_000;
const LOOK_EVERY_MS = 500;

/** Resolves when it was stopped and everything is committed. */
export async function followPrimary({ firstRetryMs = FIRST_RETRY_MS, ...options }: FollowPrimaryOptions): Promise<void> {
  const { source, store, log, signal, onCommit } = options;
  const sourceLog = new SourceLog(store, log);
  const looking = setInterval(() => sourceLog.update(source.status()), LOOK_EVERY_MS);
  let retryMs = firstRetryMs;
  const ingest = () =>
    ingestSource({
      ...options,
      onQueues: (waiting) => sourceLog.queues(waiting),
      onCommit(committed, state) {
        retryMs = firstRetryMs;
        sourceLog.tell(undefined);
        onCommit?.(committed, state);
      },
    });
  try {
    while (!signal.aborted) {
      try {
        await ingest();
      } catch (error) {
        if (signal.aborted) return;
        const problem = sentenceOf(error as Error, source);
        sourceLog.tell(problem);
        log.error(error instanceof FirnError ? { reason: problem } : { err: error }, "Stopped ingesting the network; trying again");
        await pause(retryMs, signal);
        retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
      }
    }
  } finally {
    clearInterval(looking);
    sourceLog.update(source.status());
    await sourceLog.close();
  }
}

/** No node tells which staking and fee rules it was started with: a block that breaks those that Firn assumes may be right. */
function sentenceOf(error: Error, { network }: LiveSource): string {
  const isOfRules = error instanceof RefusedError && !isUnknownFormat(error);
  if (!isOfRules || publicGenesis(network.networkId) !== undefined) return error.message;
  return `${error.message}; if the network's nodes were started with other staking or fee rules, name these in a network.json with --network <file>`;
}
