/**
 * Stores what the nodes of a followed network last reported, as `source_tips`, `source_state` and `source_queues`. Health, metrics and
 * `firn status` read it.
 */
import type { Logger } from "pino";
import type { Id } from "../base/bytes/id.ts";
import type { Change } from "../base/table/table.ts";
import { sourceQueues, sourceState, sourceTips } from "../index/tables.ts";
import type { SourceStatus } from "../sources/source.ts";
import { LiveRows, nodesJson } from "../store/live-rows.ts";
import type { Store } from "../store/store.ts";

interface Heard extends SourceStatus {
  /** items that wait for another chain, by chain */
  readonly waiting: ReadonlyMap<Id, number>;
}

const NOTHING: Heard = { seenAt: 0n, tips: new Map(), upstreams: [], prefetched: new Map(), waiting: new Map() };

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
