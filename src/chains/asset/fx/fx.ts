/** Defines a feature extension (fx): its types and the rules for spending them (chain-formats 5.3, chain-rules 15.7). */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id, ShortId } from "../../../base/bytes/id.ts";
import type { Codec } from "../../../base/codec/codec.ts";
import type { RuleLevel } from "../../../base/errors/rule-level.ts";
import { recoverAddress, SignatureError } from "../../../base/signatures/secp256k1.ts";
import { NotYetError, RuleError } from "../../../network/execution.ts";
import type { Owners } from "../fields.ts";

/**
 * Where the codec allows a type: `output` and `input` of transfers, `state` (any UTXO), `operation`, `credential`. As a credential the
 * codec allows every type of every fx; verification then refuses all but credentials.
 */
export type Position = "output" | "input" | "state" | "operation" | "credential";

export interface FxBody {
  readonly kind: string;
}

export interface FxType {
  readonly codec: Codec<FxBody> & { readonly kind: string };
  readonly positions: readonly Position[];
  /** the reference node's name of the type, as in its error texts: `nftfx.MintOutput` */
  readonly nodeName: string;
}

/** A UTXO's output. Every kind has owners. */
export type StateBody = FxBody & Owners;

export interface Fx {
  /** ASCII name, padded with zero bytes */
  readonly id: Id;
  /** in the order of registration, which determines their type IDs */
  readonly types: readonly FxType[];
  /** Checks that a value of one of its types is well-formed. */
  verify(body: FxBody): void;
  /** Checks that a transfer's input, with this fx's credential, may consume the output. */
  verifyTransfer(input: FxBody, credential: FxBody, output: StateBody, spending: Spending): void;
  /** Checks that the operation, with this credential, may consume the outputs, of which there must be exactly one. */
  verifyOperation(operation: FxBody, credential: FxBody, outputs: readonly StateBody[], spending: Spending): void;
  /** The outputs of an operation, in order. */
  produces(operation: FxBody): StateBody[];
}

/** Makes an fx's type from its codec. */
export function fxType<T extends FxBody>(codec: Codec<T> & { readonly kind: string }, nodeName: string, ...positions: Position[]): FxType {
  return { codec: codec as unknown as FxType["codec"], nodeName, positions };
}

// Owners, signers and signatures: the verification that all fxs share (chain-formats 4). Texts and order are the node's.

/** What a spend is checked against: the verifying node's clock and the signed bytes. */
export interface Spending {
  readonly level: RuleLevel;
  /** Unix seconds */
  readonly clock: bigint;
  /** SHA-256 of the unsigned transaction */
  digest(): Uint8Array;
}

export function signaturesIn(credential: FxBody): readonly Uint8Array[] {
  return "signatures" in credential ? (credential.signatures as readonly Uint8Array[]) : [];
}

export function verifyOwners({ threshold, addresses }: Owners): void {
  if (threshold > addresses.length) throw new RuleError("unspendable", "output is unspendable");
  if (threshold === 0 && addresses.length > 0) throw new RuleError("unoptimized", "output representation should be optimized");
  if (!ascend(addresses)) throw new RuleError("addresses-order", "addresses not sorted and unique");
}

export function verifySignatureIndices(indices: readonly number[]): void {
  if (!ascend(indices)) throw new RuleError("indices-order", "address indices not sorted and unique");
}

export function equalOwners(a: Owners, b: Owners): boolean {
  return (
    a.locktime === b.locktime &&
    a.threshold === b.threshold &&
    a.addresses.length === b.addresses.length &&
    a.addresses.every((address, i) => address === b.addresses[i])
  );
}

/** Checks that enough owners have signed. The replay level does not verify the signatures themselves. */
export function verifyCredential(indices: readonly number[], signatures: readonly Uint8Array[], owners: Owners, spending: Spending): void {
  if (owners.locktime > spending.clock) throw new NotYetError("time-locked", "output is time locked");
  if (owners.threshold < indices.length) throw new RuleError("too-many-signers", "input has more signers than expected");
  if (owners.threshold > indices.length) throw new RuleError("too-few-signers", "input has less signers than expected");
  if (indices.length !== signatures.length) {
    throw new RuleError("signers-mismatch", "input expected a different number of signers than provided in the credential");
  }
  if (spending.level === "replay") return;
  for (const [i, index] of indices.entries()) {
    const expected = owners.addresses[index];
    if (expected === undefined) {
      throw new RuleError("no-such-address", "input referenced a nonexistent address in the output");
    }
    const signer = recover(spending.digest(), signatures[i]!);
    if (signer !== expected) {
      throw new RuleError(
        "wrong-signature",
        `wrong signature: expected signature from ${formatId(expected)} but got from ${formatId(signer)}`,
      );
    }
  }
}

function recover(digest: Uint8Array, signature: Uint8Array): ShortId {
  try {
    return recoverAddress(digest, signature);
  } catch (error) {
    throw error instanceof SignatureError ? new RuleError(error.code, error.message, error.facts, { cause: error }) : error;
  }
}

/** Strictly ascending. Hex strings of equal length compare like their bytes. */
export function ascend<T extends string | number>(values: readonly T[]): boolean {
  for (let i = 1; i < values.length; i++) if (values[i - 1]! >= values[i]!) return false;
  return true;
}
