/** What transactions consume and produce, from their definitions. */
import type { TransferableInput, TransferableOutput } from "../output.ts";
import { definitionOf, type UnsignedTx } from "./registry.ts";

/** What it consumes: its own inputs, then those from shared memory. */
export function inputsOf(tx: UnsignedTx): readonly TransferableInput[] {
  return [...("inputs" in tx ? tx.inputs : []), ...(definitionOf(tx.kind).imported?.(tx) ?? [])];
}

/** What it produces, by index: its own outputs, then stake or exports. */
export function outputsOf(tx: UnsignedTx): readonly TransferableOutput[] {
  return [...("outputs" in tx ? tx.outputs : []), ...(definitionOf(tx.kind).produced?.(tx) ?? [])];
}

/** nAVAX that become balances of L1 validators. */
export function balancesOf(tx: UnsignedTx): readonly bigint[] {
  return definitionOf(tx.kind).balances?.(tx) ?? [];
}
