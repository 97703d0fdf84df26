/**
 * Writes rows about the current state of others, such as a node's newest block: within about a second after a change, and regularly as a
 * sign of life. They have their own commits, so that they continue while blocks take long. A row that cannot be written is tried again at growing
 * intervals.
 */
import type { Logger } from "pino";
import { FirnError } from "../base/errors/errors.ts";
import type { Change } from "../base/table/table.ts";
import type { Store } from "./store.ts";

/** A process that follows a chain writes at least this often while its nodes answer. */
export const HEARTBEAT_SECONDS = 10;
/** A few signs of life may be late. */
const SILENT_AFTER_SECONDS = 3 * HEARTBEAT_SECONDS;
const WRITE_EVERY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/**
 * Seconds since the last sign of life (`seenAt`, Unix seconds); 0 while they are regular. One from the future was written before the clock
 * was set back: a process that lives would have written another.
 */
export function silentSeconds(seenAt: bigint): number {
  const seconds = Math.abs(Math.floor(Date.now() / 1000) - Number(seenAt));
  return seconds > SILENT_AFTER_SECONDS ? seconds : 0;
}

/** of a text in a row */
const MOST_BYTES = 0xff_ff;
const LONGEST_REASON = 500;

/** What `firn status` shows of nodes, as JSON in ASCII that fits into a row: reasons, which nodes may have worded, are cut, and nodes beyond it left out. */
export function nodesJson(nodes: readonly { readonly reason?: string | undefined }[]): string {
  let json = "";
  for (const node of nodes) {
    const text = asciiJson({ ...node, reason: node.reason?.slice(0, LONGEST_REASON) });
    if (json.length + text.length + 3 <= MOST_BYTES) json += `${json === "" ? "" : ","}${text}`;
  }
  return `[${json}]`;
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

interface LiveRowsOptions<V> {
  readonly store: Store;
  /** what the store says now */
  readonly written: V;
  readonly changes: (value: V) => readonly Change[];
  /** whether it must be written now; whatever else changed is written with the next sign of life */
  readonly isDue: (value: V, written: V) => boolean;
  readonly log: Logger;
}

export class LiveRows<V> {
  readonly #options: LiveRowsOptions<V>;
  readonly #timer: NodeJS.Timeout;
  current: V;
  #written: V;
  /** Unix milliseconds */
  #writtenAt = 0;
  /** after a failure; 0: the last attempt succeeded */
  #retryMs = 0;
  /** milliseconds since the process started */
  #failedAt = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: LiveRowsOptions<V>) {
    this.#options = options;
    this.current = options.written;
    this.#written = options.written;
    this.#timer = setInterval(() => this.writeIfDue(), WRITE_EVERY_MS);
    this.#timer.unref();
  }

  writeIfDue(): void {
    if (this.current === this.#written || performance.now() - this.#failedAt < this.#retryMs) return;
    // the clock may be set back
    const isLate = Math.abs(Date.now() - this.#writtenAt) >= HEARTBEAT_SECONDS * 1000;
    if (isLate || this.#options.isDue(this.current, this.#written)) this.#writing = this.#writing.then(() => this.#write());
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
      this.#writtenAt = Date.now();
      this.#retryMs = 0;
    } catch (error) {
      this.#retryMs = Math.min(2 * (this.#retryMs || WRITE_EVERY_MS), LONGEST_RETRY_MS);
      this.#failedAt = performance.now();
      this.#options.log.warn(
        error instanceof FirnError ? { reason: error.message } : { err: error },
        "Could not write what the nodes of a chain said",
      );
    }
  }
}
