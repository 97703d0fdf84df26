/** Resolves `{txHash}` in paths. */
import Type from "typebox";
import { findByHash } from "../../../../evm/index/read-parts.ts";
import { badRequest, notFound } from "../../errors.ts";
import { shown } from "../../ids.ts";
import type { EvmReading } from "../present-token.ts";
import type { TransactionPlace } from "../present-transaction.ts";

export const txHashParam = Type.String({ minLength: 1, description: "Hash: 0x and 64 hex digits" });

/** Throws 404 if the transaction is not indexed. */
export async function findTransaction(txHash: string, { reader, evmChain: { chain, evmChainId } }: EvmReading): Promise<TransactionPlace> {
  if (!/^0x[0-9a-fA-F]{64}$/.test(txHash)) throw badRequest(`txHash must be 0x and 64 hex digits, got ${shown(txHash)}`);
  const place = await findByHash(reader, chain, txHash.slice(2).toLowerCase());
  if (place === undefined) throw notFound(`chain ${evmChainId} has no transaction ${txHash} here`);
  return place;
}
