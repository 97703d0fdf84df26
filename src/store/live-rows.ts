/**
 * Writes rows about the current state of others, such as a node's newest block: within about a second after a change, and regularly as a
 * sign of life. They have their own commits, so that they continue while blocks take long. What cannot be written is written next time.
 */
import type { Logger } from "pino";
import type { Change } from "../primitives/table.ts";
import type { Store } from "./store.ts";

/** A process that follows a chain writes at least this often while its nodes answer. */
export const HEARTBEAT_SECONDS = 10;
/** A few signs of life may be late. */
const SILENT_AFTER_SECONDS = 3 * HEARTBEAT_SECONDS;
const WRITE_EVERY_MS = 1000;

/** Seconds since the last sign of life (`seenAt`, Unix seconds); 0 while they are regular. */
export function silentSeconds(seenAt: bigint): number {
  const seconds = Math.floor(Date.now() / 1000) - Number(seenAt);
  return seconds > SILENT_AFTER_SECONDS ? seconds : 0;
}

export interface LiveRowsOptions<V> {
  readonly store: Store;
  /** what the store says now */
  readonly written: V;
  readonly changes: (value: V) => readonly Change[];
  readonly isDue: (value: V, written: V) => boolean;
  readonly log: Logger;
}

export class LiveRows<V> {
  readonly #options: LiveRowsOptions<V>;
  readonly #timer: NodeJS.Timeout;
  current: V;
  #written: V;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: LiveRowsOptions<V>) {
    this.#options = options;
    this.current = options.written;
    this.#written = options.written;
    this.#timer = setInterval(() => this.writeIfDue(), WRITE_EVERY_MS);
    this.#timer.unref();
  }

  writeIfDue(): void {
    if (this.#options.isDue(this.current, this.#written)) this.#writing = this.#writing.then(() => this.#write());
  }

  /** The last change is written; nothing is afterwards. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.#write();
  }

  async #write(): Promise<void> {
    const value = this.current;
    if (value === this.#written) return;
    try {
      await this.#options.store.commit(this.#options.changes(value));
      this.#written = value;
    } catch (error) {
      this.#options.log.warn({ err: error }, "Could not write what the nodes of a chain said");
    }
  }
}
