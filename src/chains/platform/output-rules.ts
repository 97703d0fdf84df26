/** Checks the form of outputs, inputs and owners (chain-formats 3.3). Texts and order of the checks are the node's. */
import { EMPTY_ID, type Id } from "../../base/bytes/id.ts";
import { encodeAll } from "../../base/codec/codec.ts";
import { RuleError } from "../../network/execution.ts";
import { type Input, type Output, output as outputCodec, type TransferableInput, type TransferableOutput } from "./output.ts";
import type { L1Owner } from "./owner.ts";

/** Checks any owner, with or without locktime. */
export function verifyOwner({ threshold, addresses }: L1Owner): void {
  if (threshold > addresses.length) throw new RuleError("output-unspendable", "output is unspendable");
  if (threshold === 0 && addresses.length > 0) throw new RuleError("output-unoptimized", "output representation should be optimized");
  if (!ascends(addresses)) throw new RuleError("addresses-order", "addresses not sorted and unique");
}

export function verifySignatureIndices({ signatureIndices }: { readonly signatureIndices: readonly number[] }): void {
  if (!ascends(signatureIndices)) throw new RuleError("indices-order", "address indices not sorted and unique");
}

export function verifyOutput({ assetId, output }: TransferableOutput): void {
  verifyAssetId(assetId);
  verifyLocktime(output);
  const { amount, threshold, addresses } = output.kind === "LockOut" ? output.output : output;
  if (amount === 0n) throw new RuleError("output-no-value", "output has no value");
  verifyOwner({ threshold, addresses });
}

export function verifyInput({ assetId, input }: TransferableInput): void {
  verifyAssetId(assetId);
  verifyLocktime(input);
  const transfer = input.kind === "LockIn" ? input.input : input;
  if (transfer.amount === 0n) throw new RuleError("input-no-value", "input has no value");
  verifySignatureIndices(transfer);
}

/** Ascending by asset, then by the bytes of the output with its type ID. Duplicates are allowed. */
export function verifyOutputOrder(outputs: readonly TransferableOutput[]): void {
  for (let i = 1; i < outputs.length; i++) {
    if (compareOutputs(outputs[i - 1]!, outputs[i]!) > 0) throw new RuleError("outputs-order", "outputs not sorted");
  }
}

/** Strictly ascending by transaction, then index. */
export function verifyInputOrder(inputs: readonly TransferableInput[]): void {
  for (let i = 1; i < inputs.length; i++) {
    const [a, b] = [inputs[i - 1]!, inputs[i]!];
    if (a.txId > b.txId || (a.txId === b.txId && a.outputIndex >= b.outputIndex)) {
      throw new RuleError("inputs-order", "inputs not sorted and unique");
    }
  }
}

/** Strictly ascending. Hex strings of equal length compare like their bytes. */
export function ascends<T extends string | number>(values: readonly T[]): boolean {
  for (let i = 1; i < values.length; i++) if (values[i - 1]! >= values[i]!) return false;
  return true;
}

function verifyAssetId(assetId: Id): void {
  if (assetId === EMPTY_ID) throw new RuleError("empty-asset", "empty asset ID is not valid");
}

function verifyLocktime(value: Output | Input): void {
  const isLock = value.kind === "LockOut" || value.kind === "LockIn";
  if (isLock && value.locktime === 0n) throw new RuleError("invalid-locktime", "invalid locktime");
}

function compareOutputs(a: TransferableOutput, b: TransferableOutput): number {
  if (a.assetId !== b.assetId) return a.assetId < b.assetId ? -1 : 1;
  return Buffer.compare(encodeAll(outputCodec, a.output), encodeAll(outputCodec, b.output));
}
