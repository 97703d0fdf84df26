/** Checks of a transaction's form that all types share, in the node's order and with its texts (chain-formats 3.3). */

import type { Id } from "../../../base/bytes/id.ts";
import { EMPTY_ID } from "../../../base/bytes/id.ts";
import { RuleError } from "../../../network/execution.ts";
import type { UtxoReference } from "../fields.ts";
import type { FxBody } from "../fx/fx.ts";
import { fxOf } from "../fx/registry.ts";
import { secp256k1Fx, type TransferOutput } from "../fx/secp256k1.ts";
import type { ChainRules } from "../parts.ts";
import type { TransferableInput, TransferableOutput } from "../transfer.ts";
import type { BaseMembers } from "./base.ts";

const MAX_MEMO_BYTES = 256;
const MAX_U64 = 2n ** 64n - 1n;

/** Checks network, chain and memo. Asset chains allow memos in all eras. */
export function verifyEnvelope(tx: BaseMembers, rules: ChainRules): void {
  if (tx.networkId !== rules.networkId) throw new RuleError("wrong-network", "tx has wrong network ID");
  if (tx.blockchainId !== rules.chainId) throw new RuleError("wrong-chain", "tx has wrong chain ID");
  if (tx.memo.length > MAX_MEMO_BYTES) {
    throw new RuleError("memo-length", `memo exceeds maximum length: ${tx.memo.length} > ${MAX_MEMO_BYTES}`);
  }
}

export interface Flow {
  readonly fee: bigint;
  /** groups that are each sorted on their own */
  readonly inputs: readonly (readonly TransferableInput[])[];
  readonly outputs: readonly (readonly TransferableOutput[])[];
}

/** Checks form and order of inputs and outputs, and that outputs plus fee do not exceed the inputs of any asset. The excess is burned. */
export function verifyFlow({ fee, inputs, outputs }: Flow, rules: ChainRules): void {
  const produced = new Sums();
  const consumed = new Sums();
  produced.add(rules.feeAssetId, fee);
  for (const group of outputs) {
    for (const { assetId, output } of group) {
      verifyAssetId(assetId);
      secp256k1Fx.verify(output);
      produced.add(assetId, output.amount);
    }
    if (!isSorted(group)) throw new RuleError("outputs-order", "outputs not sorted");
  }
  for (const group of inputs) {
    for (const { assetId, input } of group) {
      verifyAssetId(assetId);
      secp256k1Fx.verify(input);
      consumed.add(assetId, input.amount);
    }
    if (!referencesAscend(group)) throw new RuleError("inputs-order", "inputs not sorted and unique");
  }
  if (produced.hasOverflowed || consumed.hasOverflowed) throw new RuleError("overflow", "overflow");
  for (const [assetId, amount] of produced.byAsset) {
    if (amount > (consumed.byAsset.get(assetId) ?? 0n)) throw new RuleError("insufficient-funds", "insufficient funds", { assetId });
  }
}

/** Each consumed input needs a credential. The codec allows any type as a credential, so each is checked by its actual type. */
export function verifyCredentials({ credentials }: { readonly credentials: readonly FxBody[] }, expected: number): void {
  for (const credential of credentials) fxOf(credential).verify(credential);
  if (credentials.length !== expected) {
    throw new RuleError("credential-count", `wrong number of credentials: ${credentials.length} != ${expected}`);
  }
}

export function verifyAssetId(assetId: Id): void {
  if (assetId === EMPTY_ID) throw new RuleError("empty-asset", "empty asset ID is not valid");
}

/** Strictly ascending by transaction, then index. */
export function referencesAscend(references: readonly UtxoReference[]): boolean {
  for (let i = 1; i < references.length; i++) {
    const [before, after] = [references[i - 1]!, references[i]!];
    if (before.txId > after.txId || (before.txId === after.txId && before.outputIndex >= after.outputIndex)) return false;
  }
  return true;
}

/** Ascending by asset, then by the output's bytes. Duplicates are allowed. */
function isSorted(outputs: readonly TransferableOutput[]): boolean {
  for (let i = 1; i < outputs.length; i++) {
    const [before, after] = [outputs[i - 1]!, outputs[i]!];
    if (before.assetId > after.assetId) return false;
    if (before.assetId === after.assetId && compareLikeBytes(before.output, after.output) > 0) return false;
  }
  return true;
}

/** Compares outputs as their encoded bytes would, without encoding them: TransferOutput has fixed-width fields. */
function compareLikeBytes(a: TransferOutput, b: TransferOutput): number {
  if (a.amount !== b.amount) return a.amount < b.amount ? -1 : 1;
  if (a.locktime !== b.locktime) return a.locktime < b.locktime ? -1 : 1;
  if (a.threshold !== b.threshold) return a.threshold - b.threshold;
  if (a.addresses.length !== b.addresses.length) return a.addresses.length - b.addresses.length;
  const [left, right] = [a.addresses.join(""), b.addresses.join("")];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Sums per asset in unsigned 64-bit arithmetic. */
class Sums {
  readonly byAsset = new Map<Id, bigint>();
  hasOverflowed = false;

  add(assetId: Id, amount: bigint): void {
    const sum = (this.byAsset.get(assetId) ?? 0n) + amount;
    if (sum > MAX_U64) this.hasOverflowed = true;
    this.byAsset.set(assetId, sum);
  }
}
