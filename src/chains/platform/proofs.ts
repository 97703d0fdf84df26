/** Collects the proofs of possession in a block, which are verified before its execution on other threads because they are expensive. */
import type { Possession } from "../../base/signatures/possession-equation.ts";
import { blockTxs, type PlatformBlock } from "./block.ts";
import { definitionOf, type UnsignedTx } from "./tx/registry.ts";

export function blockProofs(block: PlatformBlock): readonly Possession[] {
  return blockTxs(block).flatMap(({ unsigned }) => txProofs(unsigned));
}

export function txProofs(tx: UnsignedTx): readonly Possession[] {
  return definitionOf(tx.kind).proofs?.(tx) ?? [];
}
