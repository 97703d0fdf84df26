/** What happened when a block, or a vertex of the DAG, of an asset chain was accepted. */
import type { ConsumedUtxo, ProducedUtxo } from "../network/execution.ts";
import type { Id } from "../primitives/id.ts";

export interface AssetFacts {
  /** instance number, the leading key column of the asset tables */
  readonly chain: number;
  readonly chainId: Id;
  /** undefined for a vertex */
  readonly block?: { readonly blockId: Id; readonly height: bigint; readonly bytes: Uint8Array };
  readonly vertex?: { readonly vertexId: Id; readonly sequence: bigint };
  /** executed transactions in order; `index` is their place in the chain's transaction index */
  readonly txs: readonly { readonly txId: Id; readonly index: bigint }[];
  readonly produced: readonly ProducedUtxo[];
  readonly consumed: readonly ConsumedUtxo[];
}
