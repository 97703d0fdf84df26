/** Defines a transaction type: its codec, its checks and its effect in one place. */

import type { Id } from "../../../base/bytes/id.ts";
import type { Codec } from "../../../base/codec/codec.ts";
import type { TableValue } from "../../../base/table/table.ts";
import type { ConsumedUtxo, ProducedUtxo } from "../../../network/execution.ts";
import type { SharedElement, SharedMemory } from "../../shared-memory/shared-memory.ts";
import type { Spending } from "../fx/fx.ts";
import type { ChainRules, Parts } from "../parts.ts";
import type { AssetState } from "../state.ts";
import type { assets } from "../tables.ts";
import type { Operation, TransferableInput, TransferableOutput, Utxo } from "../transfer.ts";
import type { Signed } from "./signed-tx.ts";

/** What a transaction is verified against. */
export interface TxContext extends Spending {
  readonly rules: ChainRules;
  readonly state: AssetState;
  readonly sharedMemory: SharedMemory;
  /** Throws if the peer is not another chain of the same subnet. */
  verifySameSubnet(peerId: Id): void;
}

/** Effects of executed transactions that are not rows of the state. */
export interface Effects {
  readonly produced: ProducedUtxo[];
  readonly consumed: ConsumedUtxo[];
  readonly imported: { readonly source: Id; readonly keys: readonly Id[] }[];
  readonly exported: { readonly destination: Id; readonly elements: readonly SharedElement[] }[];
}

/** An output that a transaction is going to make. */
export type Produced = Pick<Utxo, "assetId" | "output">;

/** What a transaction imports from another chain. */
export interface Import {
  readonly sourceChain: Id;
  readonly importedInputs: readonly TransferableInput[];
}

/** What a transaction exports to another chain. */
export interface Export {
  readonly destinationChain: Id;
  readonly exportedOutputs: readonly TransferableOutput[];
}

/** A transaction type. Firn derives the shared checks (`verify.ts`), the effect and the rows read (`effects.ts`) from it. */
export interface TxType<T extends { readonly kind: string }> {
  readonly name: T["kind"];
  readonly typeId: number;
  codec(parts: Parts): Codec<T> & { readonly kind: T["kind"] };
  /** The least that it burns of the chain's fee asset; by default `txFee`. */
  fee?(rules: ChainRules): bigint;
  operations?(tx: T): readonly Operation[];
  imported?(tx: T): Import;
  exported?(tx: T): Export;
  /** What it produces on this chain besides its outputs. Their indices follow those of the outputs. */
  produced?(tx: T, txId: Id): readonly Produced[];
  /** The asset that it creates. Its ID is the transaction's. */
  created?(tx: T): TableValue<typeof assets>;
  /** Checks without state, before those that all types share. */
  verifyFirst?(tx: T): void;
  /** Checks without state, after that of the amounts and before that of the credentials. */
  verifyForm?(tx: T, rules: ChainRules): void;
  /** Checks against the state, after those of inputs and outputs; `context.level` tells whether those of the full level apply. */
  verifySemantics?(tx: Signed<T>, context: TxContext): void;
}

export function defineTx<T extends { readonly kind: string }>(type: TxType<T>): TxType<T> {
  return type;
}
