/**
 * Keeps the row that says what the nodes of a chain said last (`evm_upstreams`): a new head or a problem within about a second, a sign of life
 * every ten. In commits of its own, so that it goes on while blocks are long in coming. What cannot be written is written next time.
 */
import type { Logger } from "pino";
import { evmChainStates, evmUpstreams } from "../../index/evm/tables.ts";
import type { Change, TableValue } from "../../primitives/table.ts";
import type { EvmBatch } from "../../source/evm/evm-source.ts";
import type { Store } from "../../store/store.ts";

/** Whoever follows a chain writes at least this often, if its nodes answer. */
export const HEARTBEAT_SECONDS = 10;
const WRITE_EVERY_MS = 1000;

type Upstream = TableValue<typeof evmUpstreams>;
const NOTHING: Upstream = { headHeight: 0n, headTimestamp: 0n, seenAt: 0n, problem: "" };

export class UpstreamLog {
  readonly #store: Store;
  readonly #key: { readonly chain: number };
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #current: Upstream;
  #written: Upstream;
  /** newest block that is indexed */
  #indexed: bigint;
  #writing: Promise<void> = Promise.resolve();

  private constructor(store: Store, chain: number, log: Logger, written: Upstream, indexed: bigint) {
    this.#store = store;
    this.#key = { chain };
    this.#log = log;
    this.#current = written;
    this.#written = written;
    this.#indexed = indexed;
    this.#timer = setInterval(() => this.#writeIfDue(), WRITE_EVERY_MS);
    this.#timer.unref();
  }

  static async open(store: Store, chain: number, log: Logger): Promise<UpstreamLog> {
    const indexed = (await store.get(evmChainStates, { chain }))?.height ?? -1n;
    return new UpstreamLog(store, chain, log, (await store.get(evmUpstreams, { chain })) ?? NOTHING, indexed);
  }

  get problem(): string {
    return this.#current.problem;
  }

  /** A node named its newest block. A problem is over if there is nothing to index beyond what is. */
  head({ height, timestamp }: EvmBatch["head"]): void {
    const problem = height <= this.#indexed ? "" : this.#current.problem;
    this.#current = { headHeight: height, headTimestamp: timestamp, seenAt: BigInt(Math.floor(Date.now() / 1000)), problem };
    // blocks are there soon: until then it must be known how far they are behind
    if (this.#written === NOTHING) this.#writeIfDue();
  }

  /** Blocks up to this height are indexed now: whatever was wrong is over. */
  committed(height: bigint, head: EvmBatch["head"]): void {
    this.#indexed = height;
    this.#current = { ...this.#current, problem: "" };
    this.head(head);
  }

  /** @param problem a sentence for people */
  tell(problem: string): void {
    this.#current = { ...this.#current, problem };
  }

  /** The last change is written; nothing is afterwards. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    if (this.#current !== this.#written) await this.#write();
  }

  #writeIfDue(): void {
    const { headHeight, problem, seenAt } = this.#written;
    const isDue =
      this.#current.headHeight !== headHeight ||
      this.#current.problem !== problem ||
      this.#current.seenAt - seenAt >= BigInt(HEARTBEAT_SECONDS);
    if (isDue) this.#writing = this.#writing.then(() => this.#write());
  }

  async #write(): Promise<void> {
    const value = this.#current;
    if (value === this.#written) return;
    try {
      await this.#store.commit([{ table: evmUpstreams, key: this.#key, value } as Change]);
      this.#written = value;
    } catch (error) {
      this.#log.warn({ err: error, chain: this.#key.chain }, "Could not write what the nodes of a chain said");
    }
  }
}
