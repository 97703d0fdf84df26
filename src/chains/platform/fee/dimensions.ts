/** The cost of a transaction for the network in four dimensions, which are weighted to gas (chain-rules 7.2). */
import type { DynamicFeeParameters } from "../../../network/network.ts";

export interface Dimensions {
  /** bytes; for ordinary transactions the length of the signed transaction */
  readonly bandwidth: number;
  readonly reads: number;
  readonly writes: number;
  /** µs */
  readonly compute: number;
}

/** Adds dimensions; a part contains only those that are not 0. */
export function sum(...parts: readonly Partial<Dimensions>[]): Dimensions {
  const total = { bandwidth: 0, reads: 0, writes: 0, compute: 0 };
  for (const part of parts) {
    total.bandwidth += part.bandwidth ?? 0;
    total.reads += part.reads ?? 0;
    total.writes += part.writes ?? 0;
    total.compute += part.compute ?? 0;
  }
  return total;
}

export function gasOf({ bandwidth, reads, writes, compute }: Dimensions, weights: DynamicFeeParameters): bigint {
  return (
    BigInt(bandwidth) * weights.bandwidthWeight +
    BigInt(reads) * weights.dbReadWeight +
    BigInt(writes) * weights.dbWriteWeight +
    BigInt(compute) * weights.computeWeight
  );
}
