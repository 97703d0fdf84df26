/**
 * The history of a sum: a point for each second in which it changed, with its value from then on. Points are packed, 28 bytes each, in order
 * of time. The head of the sum has the newest ones. A point that no longer fits moves them all into a row of `balance_history`, and so does
 * the end of the sum. That depends on the points alone, not on which blocks were committed together.
 */
import { type Codec, decodeAll, struct, u64, type Value } from "../../../base/codec/codec.ts";
import { total } from "./balance-tables.ts";

const point = struct({ time: u64, ...total });
export type Point = Value<typeof point>;

/** They take 448 bytes, so that a head is still cheap to rewrite with each commit. */
export const POINTS = 16;
const POINT_BYTES = 8 + 16 + 4;
export const NO_POINTS: Uint8Array = new Uint8Array();

export function isFull(points: Uint8Array): boolean {
  return points.length === POINTS * POINT_BYTES;
}

/** Unix seconds */
export function firstTime(points: Uint8Array): bigint {
  return timeAt(points, 0);
}

/** Whether the newest point is of this second, so that a later value in it takes its place. */
export function endsAt(points: Uint8Array, time: bigint): boolean {
  return points.length > 0 && timeAt(points, points.length - POINT_BYTES) === time;
}

/** Adds the newest point, or replaces that of the same second. */
export function withPoint(points: Uint8Array, { time, amount, count }: Point): Uint8Array {
  const kept = endsAt(points, time) ? points.length - POINT_BYTES : points.length;
  const all = Buffer.allocUnsafe(kept + POINT_BYTES);
  all.set(points.subarray(0, kept));
  all.writeBigUInt64BE(time, kept);
  all.writeBigInt64BE(amount >> 64n, kept + 8);
  all.writeBigUInt64BE(BigInt.asUintN(64, amount), kept + 16);
  all.writeInt32BE(count, kept + 24);
  return all;
}

/** The newest point at or before a time. */
export function pointAt(points: Uint8Array, time: bigint): Point | undefined {
  let end = points.length;
  while (end > 0 && timeAt(points, end - POINT_BYTES) > time) end -= POINT_BYTES;
  return end === 0 ? undefined : decodeAll(point as Codec<Point>, points.subarray(end - POINT_BYTES, end));
}

function timeAt(points: Uint8Array, offset: number): bigint {
  return new DataView(points.buffer, points.byteOffset, points.byteLength).getBigUint64(offset);
}
