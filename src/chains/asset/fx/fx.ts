/** Defines a feature extension (fx): its types and the rules for spending them (chain-formats 5.3, chain-rules 15.7). */

import type { Id } from "../../../base/bytes/id.ts";
import type { Codec } from "../../../base/codec/codec.ts";
import type { Owners } from "../fields.ts";
import type { Spending } from "./credential.ts";

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
