/**
 * Locks in balances. There may be as many ends of locks as UTXOs, and what is still locked at a time is the sum of all that end later. So a lock
 * counts in a span of time at each of several scales: 64 spans of a scale make up one of the next. The locks that end after any time are then
 * those of at most 63 neighbouring spans per scale.
 */

/** Values of `lock`. */
/** all there is, locked or not */
export const NO_LOCK = 0;
/** what can only be staked until the end of the lock */
export const STAKEABLE_LOCK = 1;
/** what nobody can consume until the end of the lock; from the end of a stakeable lock on, where it has one too */
export const PLAIN_LOCK = 2;

export interface Span {
  /** a span is 2^scale seconds long */
  readonly scale: number;
  readonly span: bigint;
}

const SCALE_BITS = 6;
const SPANS = 2n ** BigInt(SCALE_BITS);
const SCALES = Array.from({ length: 11 }, (_, i) => i * SCALE_BITS);

/** The spans in which a lock counts. The first of 64 is never among those after a time, and so left out: few are left of any lock. */
export function spansOf(end: bigint): Span[] {
  return SCALES.map((scale) => ({ scale, span: end >> BigInt(scale) })).filter(({ span }) => span % SPANS !== 0n);
}

export interface SpanRange {
  readonly scale: number;
  /** inclusive */
  readonly first: bigint;
  /** exclusive */
  readonly end: bigint;
}

/** The spans in which all locks that end after `time` are, each lock in one. */
export function spansAfter(time: bigint): SpanRange[] {
  return SCALES.map((scale) => {
    const span = time >> BigInt(scale);
    return { scale, first: span + 1n, end: (span / SPANS + 1n) * SPANS };
  }).filter(({ first, end }) => first < end);
}
