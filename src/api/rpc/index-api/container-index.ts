/**
 * The numberings of the Index API (rpc-avm-info-health 7): accepted blocks of P, X and C, and the vertices and transactions of an asset
 * chain's DAG. Numbers start at the first accepted container; genesis has none. A container costs O(1).
 */

import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import type { Row } from "../../../base/table/table.ts";
import { assetTxs, assetVertices } from "../../../chains/asset/tables.ts";
import { readAssetTxs } from "../../../index/stored-txs.ts";
import { blocks, containerHeights, txOrder, vertexOrder } from "../../../index/tables.ts";
import { RpcError } from "../errors.ts";
import type { RpcContext } from "../method.ts";

export interface Container {
  readonly id: Id;
  readonly index: bigint;
  readonly bytes: Uint8Array;
  /** Unix nanoseconds */
  readonly acceptedAt: bigint;
}

export interface ContainerIndex {
  /** Number of the last container; undefined if there is none */
  lastIndex(context: RpcContext): Promise<bigint | undefined>;
  indexOf(context: RpcContext, id: Id): Promise<bigint | undefined>;
  /** Reads at most `limit` containers, starting at number `from`. */
  read(context: RpcContext, from: bigint, limit: number): Promise<Container[]>;
}

/** Blocks in their proposervm wrapper if they have one. Their number is height − 1. */
export const blockIndex: ContainerIndex = {
  async lastIndex({ reader, chain: { chainId } }) {
    const [last] = await reader.scan(blocks, { prefix: { chainId }, reverse: true, limit: 1 });
    return last === undefined || last.key.height === 0n ? undefined : last.key.height - 1n;
  },

  async indexOf({ reader, chain: { chainId } }, id) {
    const [row, unknown] = await reader.getMany(containerHeights, [
      { chainId, containerId: id },
      { chainId, containerId: EMPTY_ID },
    ]);
    const isKnown = row !== undefined && id !== EMPTY_ID;
    if (!isKnown && unknown !== undefined) throw unknownContainer(unknown.height);
    return !isKnown || row.height === 0n ? undefined : row.height - 1n;
  },

  async read({ reader, chain: { chainId } }, from, limit) {
    const rows = await reader.scan(blocks, { prefix: { chainId }, from: { height: from + 1n }, limit });
    return rows.map(toBlockContainer);
  },
};

function toBlockContainer({ key, value }: Row<typeof blocks>): Container {
  const { containerId: id, head, bytes, tail, acceptedAt } = value;
  if (id === EMPTY_ID) throw unknownContainer(key.height);
  return { id, index: key.height - 1n, bytes: Buffer.concat([head, bytes, tail]), acceptedAt };
}

/** A node that has no index gave the block without its wrapper. */
export function unknownContainer(height: bigint): RpcError {
  return new RpcError(
    `the container of block ${height} is not known: Firn read the block from a node without its proposervm header; follow a node with --index-enabled since genesis, or import an archive with containers`,
  );
}

/** Transactions of the DAG's vertices. Later transactions are found in their blocks only. */
export const txIndex: ContainerIndex = {
  async lastIndex({ reader, chain: { chainId } }) {
    const [last] = await reader.scan(txOrder, { prefix: { chainId }, reverse: true, limit: 1 });
    return last?.key.index;
  },

  async indexOf({ reader, chain: { chainId, chain = 0 } }, id) {
    const tx = await reader.get(assetTxs, { chain, txId: id });
    if (tx === undefined) return undefined;
    const listed = await reader.get(txOrder, { chainId, index: tx.index });
    return listed?.txId === id ? tx.index : undefined;
  },

  async read({ reader, chain: { chainId, chain = 0 } }, from, limit) {
    const rows = await reader.scan(txOrder, { prefix: { chainId }, from: { index: from }, limit });
    const txIds = rows.map(({ value: { txId } }) => txId);
    const txs = await readAssetTxs(reader, { chain, chainId }, txIds);
    return rows.map(({ key: { index }, value: { txId, acceptedAt } }, i) => ({ id: txId, index, bytes: txs[i]!.bytes, acceptedAt }));
  },
};

export const vertexIndex: ContainerIndex = {
  async lastIndex({ reader, chain: { chainId } }) {
    const [last] = await reader.scan(vertexOrder, { prefix: { chainId }, reverse: true, limit: 1 });
    return last?.key.index;
  },

  async indexOf({ reader, chain: { chain = 0 } }, id) {
    return (await reader.get(assetVertices, { chain, vertexId: id }))?.sequence;
  },

  async read({ reader, chain: { chainId, chain = 0 } }, from, limit) {
    const rows = await reader.scan(vertexOrder, { prefix: { chainId }, from: { index: from }, limit });
    const keys = rows.map(({ value: { vertexId } }) => ({ chain, vertexId }));
    const vertices = await reader.getMany(assetVertices, keys);
    return rows.map(({ key: { index }, value: { vertexId, acceptedAt } }, i) => ({
      id: vertexId,
      index,
      bytes: vertices[i]!.bytes,
      acceptedAt,
    }));
  },
};
