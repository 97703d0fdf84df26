/**
 * Locks in balances. The amount that is still locked at a time is the sum of all locks that end later, and there may be as many lock ends as UTXOs. So
 * each lock is counted in one span of time at each of several scales; 64 spans of a scale make up one of the next. The locks that end after
 * any time are then the sum of at most 63 neighbouring spans per scale.
 */

/** Values of `lock`. */
/** everything, locked or not */
export const NO_LOCK = 0;
/** until the lock ends, the amount can only be staked */
export const STAKEABLE_LOCK = 1;
/** Until the lock ends, nobody can consume the amount. If the output has a stakeable lock too, it counts here after that one ends. */
export const PLAIN_LOCK = 2;

export interface Span {
  /** a span is 2^scale seconds long */
  readonly scale: number;
  readonly span: bigint;
}

const SCALE_BITS = 6;
const SPANS = 2n ** BigInt(SCALE_BITS);
const SCALES = Array.from({ length: 11 }, (_, i) => i * SCALE_BITS);

/** The spans in which a lock counts. `spansAfter` never returns the first of 64 spans, so it is left out. */
export function spansOf(end: bigint): Span[] {
  return SCALES.map((scale) => ({ scale, span: end >> BigInt(scale) })).filter(({ span }) => span % SPANS !== 0n);
}

interface SpanRange {
  readonly scale: number;
  /** inclusive */
  readonly first: bigint;
  /** exclusive */
  readonly end: bigint;
}

/** The spans that together contain each lock that ends after `time` exactly once. */
export function spansAfter(time: bigint): SpanRange[] {
  return SCALES.map((scale) => {
    const span = time >> BigInt(scale);
    return { scale, first: span + 1n, end: (span / SPANS + 1n) * SPANS };
  }).filter(({ first, end }) => first < end);
}
