/** Values that transactions of all types contain (chain-formats 3.1, 5.2). Types only; their codecs depend on the chain's fxs. */
import type { Id } from "../../base/bytes/id.ts";
import type { UtxoReference } from "./fields.ts";
import type { FxBody, StateBody } from "./fx/fx.ts";
import type { TransferInput, TransferOutput } from "./fx/secp256k1.ts";

export interface TransferableOutput {
  readonly assetId: Id;
  readonly output: TransferOutput;
}

export interface TransferableInput extends UtxoReference {
  readonly assetId: Id;
  readonly input: TransferInput;
}

/** The outputs that an asset starts with under one fx. */
export interface InitialState {
  readonly fxIndex: number;
  readonly outputs: readonly StateBody[];
}

export interface Operation {
  readonly assetId: Id;
  /** a list in the encoding, but the rules require exactly one */
  readonly inputIds: readonly UtxoReference[];
  readonly operation: FxBody;
}

export interface Utxo extends UtxoReference {
  readonly assetId: Id;
  readonly output: StateBody;
}
