/** What a transaction type is: its codec, its checks and its effect in one place. */
import type { SharedElement, SharedMemory } from "../../atomic/shared-memory.ts";
import type { ConsumedUtxo, ProducedUtxo } from "../../network/execution.ts";
import type { Codec } from "../../primitives/codec/codec.ts";
import type { Id } from "../../primitives/id.ts";
import type { RowKey } from "../../primitives/view.ts";
import type { AssetCodec } from "../codec.ts";
import type { Spending } from "../fx/credential.ts";
import type { Parts } from "../parts.ts";
import type { AssetState } from "../state.ts";
import type { SignedTx } from "./signed-tx.ts";

/** What holds for the whole life of a chain. */
export interface ChainRules {
  readonly networkId: number;
  /** leading key column of the asset tables */
  readonly chain: number;
  readonly chainId: Id;
  readonly feeAssetId: Id;
  /** nAVAX (or the smallest unit of the chain's first asset) */
  readonly txFee: bigint;
  readonly createAssetTxFee: bigint;
  readonly codec: AssetCodec;
}

/** What a transaction is verified against. */
export interface TxContext extends Spending {
  readonly rules: ChainRules;
  readonly state: AssetState;
  readonly sharedMemory: SharedMemory;
  /** Refuses a peer that is no other chain of the same subnet. */
  verifySameSubnet(peerId: Id): void;
}

/** What executed transactions did beyond the state's rows. */
export interface Effects {
  readonly produced: ProducedUtxo[];
  readonly consumed: ConsumedUtxo[];
  readonly imported: { readonly source: Id; readonly keys: readonly Id[] }[];
  readonly exported: { readonly destination: Id; readonly elements: readonly SharedElement[] }[];
}

export function newEffects(): Effects {
  return { produced: [], consumed: [], imported: [], exported: [] };
}

export interface TxType<T extends { readonly kind: string }> {
  readonly name: T["kind"];
  readonly typeId: number;
  codec(parts: Parts): Codec<T> & { readonly kind: T["kind"] };
  /** Checks that need no state. */
  verifySyntax(tx: SignedTx<T>, rules: ChainRules): void;
  /** Checks against state; those of the full level only are told by `context.level`. */
  verifySemantics(tx: SignedTx<T>, context: TxContext): void;
  /** Changes the state. The transaction has been verified. */
  execute(tx: SignedTx<T>, state: AssetState, effects: Effects): void;
  /** The rows that `verifySemantics` and `execute` read. */
  keysRead(tx: SignedTx<T>, rules: ChainRules): RowKey[];
}

export function defineTx<T extends { readonly kind: string }>(type: TxType<T>): TxType<T> {
  return type;
}
