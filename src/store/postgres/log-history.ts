/**
 * How far the log of the server that is written had come at which time, as far as this process has seen. A standby lags by the age of the oldest
 * part that it has not applied. So one that has everything lags by nothing, however long ago the last commit was.
 */
import type { LogPosition } from "./commit-feed.ts";

interface Seen {
  readonly bytes: bigint;
  /** what is new here was written after this, by `performance.now()` */
  readonly since: number;
  readonly askedAt: number;
}

/** A standby that is behind all of these is judged by its own clock. */
const MOST = 1000;
const UNKNOWN = Number.NEGATIVE_INFINITY;

export class LogHistory {
  #seen: Seen[] = [];
  #timeline = 0;
  #askedAt = 0;

  add({ bytes, timeline, askedAt }: LogPosition): void {
    const last = this.#seen.at(-1);
    // after a fail-over the log goes on from where the new primary was
    const isOther = last === undefined || timeline !== this.#timeline || bytes < last.bytes;
    if (isOther) this.#seen = [{ bytes, since: UNKNOWN, askedAt }];
    else if (bytes > last.bytes) this.#seen.push({ bytes, since: this.#askedAt, askedAt });
    if (this.#seen.length > MOST) this.#forgetOldest();
    this.#timeline = timeline;
    this.#askedAt = askedAt;
  }

  #forgetOldest(): void {
    this.#seen.shift();
    this.#seen[0] = { ...this.#seen[0]!, since: UNKNOWN };
  }

  /**
   * Milliseconds that a standby is behind, at most; infinite if nobody can tell.
   * @param isWritable whether the server that is written answers, so that nothing can have been written without being seen
   */
  lagOf({ bytes, ageMs = Number.POSITIVE_INFINITY, askedAt }: LogPosition, isWritable: boolean, now: number): number {
    // what was written after the standby was asked says nothing of it
    const missing = this.#seen.find((seen) => seen.bytes > bytes && seen.askedAt <= askedAt);
    if (missing !== undefined) return missing.since === UNKNOWN ? ageMs : now - missing.since;
    if (isWritable) return 0;
    return this.#seen.length === 0 ? ageMs : Math.min(ageMs, now - this.#askedAt);
  }
}
