/** What a feature extension (fx) is: five types of bytes and the rules of spending them (chain-formats 5.3, chain-rules 15.7). */
import type { Codec } from "../../primitives/codec/codec.ts";
import type { Id } from "../../primitives/id.ts";
import type { Owners } from "../fields.ts";
import type { Spending } from "./credential.ts";

/**
 * Where the codec admits a type: `output` and `input` of transfers, `state` (any UTXO), `operation`, `credential`.
 * As a credential the codec admits every type of every fx; only the real ones pass verification.
 */
export type Position = "output" | "input" | "state" | "operation" | "credential";

export interface FxBody {
  readonly kind: string;
}

export interface FxType {
  readonly codec: Codec<FxBody> & { readonly kind: string };
  readonly positions: readonly Position[];
  /** the reference node's name of the type, which its texts show: `nftfx.MintOutput` */
  readonly nodeName: string;
}

/** A UTXO's output: every kind has owners. */
export type StateBody = FxBody & Owners;

export interface Fx {
  /** ASCII name, padded with zero bytes */
  readonly id: Id;
  /** in the order of their registration, which gives them their type IDs */
  readonly types: readonly FxType[];
  /** Well-formedness of a value of one of its types. */
  verify(body: FxBody): void;
  /** Whether a transfer's input, with this fx's credential, may consume the output. */
  verifyTransfer(input: FxBody, credential: FxBody, output: StateBody, spending: Spending): void;
  /** Whether the operation, with this credential, may consume the outputs (of which there must be exactly one). */
  verifyOperation(operation: FxBody, credential: FxBody, outputs: readonly StateBody[], spending: Spending): void;
  /** What an operation of this fx produces, in order. */
  produces(operation: FxBody): StateBody[];
}

/** A type of an fx, from its codec. */
export function fxType<T extends FxBody>(codec: Codec<T> & { readonly kind: string }, nodeName: string, ...positions: Position[]): FxType {
  return { codec: codec as unknown as FxType["codec"], nodeName, positions };
}
