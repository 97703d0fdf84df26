/** Keeps the row with the state of a chain's nodes (`evm_upstreams`): the newest head, a problem, or a sign of life. */
import type { Logger } from "pino";
import type { Change, TableValue } from "../../primitives/table.ts";
import { HEARTBEAT_SECONDS, LiveRows } from "../../store/live-rows.ts";
import type { Store } from "../../store/store.ts";
import { evmChainStates, evmUpstreams } from "../index/tables.ts";
import type { EvmBatch } from "../source/evm-source.ts";

type Upstream = TableValue<typeof evmUpstreams>;
const NOTHING: Upstream = { headHeight: 0n, headTimestamp: 0n, seenAt: 0n, problem: "" };

export class UpstreamLog {
  readonly #row: LiveRows<Upstream>;
  /** newest indexed block */
  #indexed: bigint;

  private constructor(store: Store, chain: number, log: Logger, written: Upstream, indexed: bigint) {
    this.#row = new LiveRows({
      store,
      written,
      log: log.child({ chain }),
      changes: (value) => [{ table: evmUpstreams, key: { chain }, value } as Change],
      isDue: (value, { headHeight, problem, seenAt }) =>
        value.headHeight !== headHeight || value.problem !== problem || value.seenAt - seenAt >= BigInt(HEARTBEAT_SECONDS),
    });
    this.#indexed = indexed;
  }

  static async open(store: Store, chain: number, log: Logger): Promise<UpstreamLog> {
    const indexed = (await store.get(evmChainStates, { chain }))?.height ?? -1n;
    return new UpstreamLog(store, chain, log, (await store.get(evmUpstreams, { chain })) ?? NOTHING, indexed);
  }

  get problem(): string {
    return this.#row.current.problem;
  }

  /** Notes the newest block of a node. A problem is over if everything up to it is indexed. */
  head({ height, timestamp }: EvmBatch["head"]): void {
    const isFirst = this.#row.current === NOTHING;
    const problem = height <= this.#indexed ? "" : this.problem;
    this.#row.current = { headHeight: height, headTimestamp: timestamp, seenAt: BigInt(Math.floor(Date.now() / 1000)), problem };
    // Write the first head at once: blocks follow soon, and freshness needs it.
    if (isFirst) this.#row.writeIfDue();
  }

  /** Notes that blocks up to this height are indexed, so any problem is over. */
  committed(height: bigint, head: EvmBatch["head"]): void {
    this.#indexed = height;
    this.head(head);
    this.tell("");
  }

  /** @param problem a sentence for people */
  tell(problem: string): void {
    this.#row.current = { ...this.#row.current, problem };
  }

  /** Writes the last change; nothing is written afterwards. */
  close(): Promise<void> {
    return this.#row.close();
  }
}
