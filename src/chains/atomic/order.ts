/** Sort orders that atomic transactions must keep, and the rules for owners (chain-formats 9.3, chain-rules 2.3). */

import { EMPTY_ID, type Id } from "../../base/bytes/id.ts";
import { encodeAll } from "../../base/codec/codec.ts";
import { RuleError } from "../../network/execution.ts";
import { type ExportedOutput, exportedOutput, type ImportedInput } from "./tx.ts";

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function byAccount(a: { address: string; assetId: Id }, b: { address: string; assetId: Id }): number {
  return compare(a.address, b.address) || compare(a.assetId, b.assetId);
}

export function byUtxo(a: ImportedInput, b: ImportedInput): number {
  return compare(a.txId, b.txId) || a.outputIndex - b.outputIndex;
}

/** Exported outputs are ordered by their bytes and may repeat. */
export function areSortedOutputs(outputs: readonly ExportedOutput[]): boolean {
  const encoded = outputs.map((output) => encodeAll(exportedOutput, output));
  return ascends(encoded, Buffer.compare, { orEqual: true });
}

export function ascends<T>(values: readonly T[], order: (a: T, b: T) => number, { orEqual = false } = {}): boolean {
  const highest = orEqual ? 0 : -1;
  return values.every((value, i) => i === 0 || order(values[i - 1]!, value) <= highest);
}

/** Checks an output by itself. Texts are the node's. */
export function verifyOutput({ assetId, output }: ExportedOutput): void {
  const { amount, threshold, addresses } = output;
  if (assetId === EMPTY_ID) throw new RuleError("empty-asset", "empty asset ID is not valid");
  if (amount === 0n) throw new RuleError("no-value", "output has no value");
  if (threshold > addresses.length) throw new RuleError("unspendable", "output is unspendable");
  if (threshold === 0 && addresses.length > 0) throw new RuleError("unoptimized", "output representation should be optimized");
  if (!ascends(addresses, compare)) throw new RuleError("address-order", "addresses not sorted and unique");
}

export function verifyInput({ assetId, input }: ImportedInput): void {
  if (assetId === EMPTY_ID) throw new RuleError("empty-asset", "empty asset ID is not valid");
  if (input.amount === 0n) throw new RuleError("no-value", "input has no value");
  if (!ascends(input.signatureIndices, (a, b) => a - b)) {
    throw new RuleError("signer-order", "address indices not sorted and unique");
  }
}
