/**
 * Stores what the nodes of a followed network last reported, as `source_tips` and `source_state`. Health and `firn status` compute the
 * index's lag from it.
 */
import type { Logger } from "pino";
import { sourceState, sourceTips } from "../index/tables.ts";
import type { Change } from "../primitives/table.ts";
import type { SourceStatus } from "../source/source.ts";
import { HEARTBEAT_SECONDS, LiveRows } from "../store/live-rows.ts";
import type { Store } from "../store/store.ts";

const NOTHING: SourceStatus = { seenAt: 0n, tips: new Map(), upstreams: [] };

export class SourceLog {
  readonly #rows: LiveRows<SourceStatus>;
  #status = NOTHING;
  #problem: string | undefined;

  constructor(store: Store, log: Logger) {
    this.#rows = new LiveRows({ store, written: NOTHING, changes: rowsOf, isDue: differ, log });
  }

  update(status: SourceStatus): void {
    this.#status = status;
    this.#rows.current = { ...status, problem: this.#problem ?? status.problem };
  }

  /** Reports why nothing is ingested, whatever the nodes say; undefined: ingest continues. */
  tell(problem: string | undefined): void {
    this.#problem = problem;
    this.update(this.#status);
  }

  close(): Promise<void> {
    return this.#rows.close();
  }
}

function rowsOf({ seenAt, tips, problem = "", upstreams }: SourceStatus): Change[] {
  const state = { table: sourceState, key: { slot: 0 }, value: { seenAt, problem, upstreams: JSON.stringify(upstreams) } };
  return [state, ...[...tips].map(([chainId, value]) => ({ table: sourceTips, key: { chainId }, value }))] as Change[];
}

function differ(now: SourceStatus, written: SourceStatus): boolean {
  return (
    now.problem !== written.problem ||
    now.seenAt - written.seenAt >= BigInt(HEARTBEAT_SECONDS) ||
    [...now.tips].some(([chainId, { height }]) => written.tips.get(chainId)?.height !== height)
  );
}
