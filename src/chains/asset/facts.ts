/** The effects of accepting a block, or a vertex, of an asset chain. */

import type { Id } from "../../base/bytes/id.ts";
import type { ConsumedUtxo, ProducedUtxo } from "../../network/execution.ts";
import type { SharedElement } from "../shared-memory/shared-memory.ts";
import type { SignedTx } from "./tx/registry.ts";

export interface AssetFacts {
  /** the chain's number, the leading key column of the asset tables */
  readonly chain: number;
  readonly chainId: Id;
  /** undefined for a vertex */
  readonly block?: { readonly blockId: Id; readonly parentId: Id; readonly height: bigint; readonly bytes: Uint8Array };
  readonly vertex?: { readonly vertexId: Id; readonly sequence: bigint };
  /** executed transactions in order, without genesis assets; `index` is their position in the chain's transaction index */
  readonly txs: readonly AssetTxFacts[];
  /** genesis only: the transactions that created its assets, in order */
  readonly genesisTxs: readonly AssetTxFacts[];
  /** Unix seconds of the block; undefined for a vertex and for a genesis that starts as a DAG */
  readonly timestamp: bigint | undefined;
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
}

export interface AssetTxFacts {
  readonly txId: Id;
  readonly index: bigint;
  readonly tx: SignedTx;
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
  readonly imported: readonly { readonly source: Id; readonly keys: readonly Id[] }[];
  /** `bytes` of an element is a UTXO with codec version */
  readonly exported: readonly { readonly destination: Id; readonly elements: readonly SharedElement[] }[];
}
