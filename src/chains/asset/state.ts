/** The state of one asset chain over the view (chain-rules 15.1). Rows other than the scalars must be fetched beforehand. */

import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { utxoId, utxoRank } from "../../base/bytes/utxo-id.ts";
import { decodeAll, encodeAll } from "../../base/codec/codec.ts";
import { storedInBlock, storedWhole, type TableValue } from "../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../base/table/view.ts";
import type { ConsumedUtxo, ProducedUtxo } from "../../network/execution.ts";
import { platformChains, platformTxs } from "../platform/tables.ts";
import type { AssetEncoding, ChainRules } from "./parts.ts";
import { assetChainState, assets, assetTxs, assetUtxos, assetVertices } from "./tables.ts";
import type { Utxo } from "./transfer.ts";
import type { Signed } from "./tx/signed-tx.ts";

export type Scalars = TableValue<typeof assetChainState>;

/** Values of `phase`. */
export const PHASE_DAG = 0;
export const PHASE_LINEAR = 1;

/** The scalars of a chain that has executed nothing. */
export function genesisScalars(feeAssetId: Id): Scalars {
  return { height: 0n, lastAccepted: EMPTY_ID, timestamp: 0n, phase: PHASE_DAG, txCount: 0n, vertexCount: 0n, feeAssetId };
}

/** Decoded UTXOs by their row's bytes, so that an output that was just produced or read is not decoded again when it is consumed. */
const decoded = new WeakMap<Uint8Array, Utxo>();

export class AssetState {
  readonly codec: AssetEncoding;
  readonly #view: View;
  readonly #chain: number;
  /** position of the block or vertex being executed, among all of the chain; 0 is genesis */
  #position = 0n;

  constructor(view: View, chain: number, codec: AssetEncoding) {
    this.#view = view;
    this.#chain = chain;
    this.codec = codec;
  }

  get scalars(): Scalars {
    const row = this.#view.get(assetChainState, { chain: this.#chain });
    if (row === undefined) throw new TypeError(`asset chain ${this.#chain} has no genesis yet`);
    return row;
  }

  /** @param position increases with every block and vertex; outputs are listed by it */
  begin(position: bigint): void {
    this.#position = position;
  }

  update(change: Partial<Scalars>): void {
    this.#view.put(assetChainState, { chain: this.#chain }, { ...this.scalars, ...change });
  }

  utxo(utxoId: Id): Utxo | undefined {
    const row = this.#view.get(assetUtxos, { chain: this.#chain, utxoId });
    if (row === undefined) return undefined;
    let utxo = decoded.get(row.bytes);
    if (utxo === undefined) {
      utxo = decodeAll(this.codec.utxo, row.bytes);
      decoded.set(row.bytes, utxo);
    }
    return utxo;
  }

  addUtxo(utxo: Utxo): ProducedUtxo {
    const bytes = encodeAll(this.codec.utxo, utxo);
    const id = utxoId(utxo.txId, utxo.outputIndex);
    decoded.set(bytes, utxo);
    const rank = utxoRank(this.#position);
    this.#view.put(assetUtxos, { chain: this.#chain, utxoId: id }, { bytes, rank });
    return { utxoId: id, bytes, addresses: utxo.output.addresses, rank };
  }

  /** Returns undefined if there is no such UTXO, because operations are not verified on the replay level. */
  removeUtxo(utxoId: Id): ConsumedUtxo | undefined {
    const utxo = this.utxo(utxoId);
    if (utxo === undefined) return undefined;
    const { rank } = this.#view.get(assetUtxos, { chain: this.#chain, utxoId })!;
    this.#view.delete(assetUtxos, { chain: this.#chain, utxoId });
    return { utxoId, addresses: utxo.output.addresses, rank };
  }

  /** The fxs (by index) in an asset's initial states; undefined if the ID is not an asset. */
  fxIndices(assetId: Id): readonly number[] | undefined {
    return this.#view.get(assets, { chain: this.#chain, assetId })?.fxIndices;
  }

  addAsset(assetId: Id, asset: TableValue<typeof assets>): void {
    this.#view.put(assets, { chain: this.#chain, assetId }, asset);
  }

  hasTx(txId: Id): boolean {
    return this.#view.get(assetTxs, { chain: this.#chain, txId }) !== undefined;
  }

  /** Stores an accepted transaction with its position in the chain and, if it is in a block, in the block's bytes. */
  addTx({ id, bytes }: Signed<unknown>, { offset, ...place }: { height: bigint; index: bigint; offset?: number }): void {
    const stored = offset === undefined ? storedWhole(bytes) : storedInBlock(bytes, offset);
    this.#view.put(assetTxs, { chain: this.#chain, txId: id }, { ...place, ...stored });
  }

  hasVertex(vertexId: Id): boolean {
    return this.#view.get(assetVertices, { chain: this.#chain, vertexId }) !== undefined;
  }

  addVertex(vertexId: Id, row: TableValue<typeof assetVertices>): void {
    this.#view.put(assetVertices, { chain: this.#chain, vertexId }, row);
  }
}

export function utxoKey(chain: number, utxoId: Id): RowKey {
  return rowKey(assetUtxos, { chain, utxoId });
}

/** The rows that `fxIndices` reads, and `hasTx` for a refusal's text. The fee asset always exists. */
export function assetKeys({ chain, feeAssetId }: ChainRules, assetId: Id): RowKey[] {
  const asset = rowKey(assets, { chain, assetId });
  return assetId === feeAssetId ? [asset] : [asset, txKey(chain, assetId)];
}

export function txKey(chain: number, txId: Id): RowKey {
  return rowKey(assetTxs, { chain, txId });
}

export function vertexKey(chain: number, vertexId: Id): RowKey {
  return rowKey(assetVertices, { chain, vertexId });
}

/** The rows that are read to check whether two chains belong to one subnet. */
export function subnetKeys(...chainIds: Id[]): RowKey[] {
  return chainIds
    .filter((chainId) => chainId !== PLATFORM_CHAIN_ID)
    .flatMap((chainId) => [rowKey(platformChains, { chainId }), rowKey(platformTxs, { txId: chainId })]);
}
