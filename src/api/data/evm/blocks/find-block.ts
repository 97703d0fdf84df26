/** Resolves `{blockId}` in paths: a height or a hash. */
import Type from "typebox";
import type { TableValue } from "../../../../base/table/table.ts";
import { evmBlockHashes, evmBlocks } from "../../../../evm/index/tables.ts";
import { badRequest, notFound } from "../../errors.ts";
import { shown } from "../../ids.ts";
import type { EvmReading } from "../present-token.ts";

export const blockIdParam = Type.String({ minLength: 1, description: "Height, or hash: 0x and 64 hex digits" });

interface FoundBlock {
  readonly height: bigint;
  readonly row: TableValue<typeof evmBlocks>;
}

const MAX_HEIGHT = 2n ** 64n - 1n;

/** Throws 404 if the block is not indexed. */
export async function findBlock(blockId: string, { reader, evmChain: { chain, evmChainId } }: EvmReading): Promise<FoundBlock> {
  const height = /^[0-9]{1,20}$/.test(blockId) ? BigInt(blockId) : await heightOf(blockId, { reader, chain });
  const row = height === undefined || height > MAX_HEIGHT ? undefined : await reader.get(evmBlocks, { chain, height });
  if (row === undefined) throw notFound(`chain ${evmChainId} has no block ${shown(blockId)} here`);
  return { height: height!, row };
}

async function heightOf(text: string, { reader, chain }: Pick<EvmReading, "reader"> & { readonly chain: number }) {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw badRequest(`blockId must be a height, or a hash: 0x and 64 hex digits, got ${shown(text)}`);
  return (await reader.get(evmBlockHashes, { chain, hash: text.slice(2).toLowerCase() }))?.height;
}
