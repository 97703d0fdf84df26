/** Parameters that routes of EVM chains share. */
import Type from "typebox";
import type { Address, Hash } from "../../../sources/evm/parser/block.ts";
import { badRequest } from "../errors.ts";
import { shown } from "../ids.ts";

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Schema of `{address}` in a path; read it with `parseEvmAddress`. */
export function evmAddress(description: string) {
  return Type.String({ minLength: 1, description: `${description}: 0x and 40 hex digits of any case` });
}

/** @param name of the parameter, for the message */
export function parseEvmAddress(text: string, name = "address"): Address {
  if (EVM_ADDRESS.test(text)) return text.slice(2).toLowerCase();
  throw badRequest(`${name} must be 0x and 40 hex digits, got ${shown(text)}`);
}

/** `contractAddress`: only tokens of one contract. */
export const contractAddressQuery = {
  contractAddress: Type.Optional(Type.String({ description: "Only tokens of this contract: 0x and 40 hex digits of any case." })),
};

export function parseOptionalEvmAddress(text: string | undefined, name: string): Address | undefined {
  return text === undefined ? undefined : parseEvmAddress(text, name);
}

const height = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }));

/** `startBlock` (inclusive) and `endBlock` (exclusive). */
export const blocksQuery = {
  startBlock: height("Height of the first block, included. By default the chain's first one."),
  endBlock: height("Height after the last block, which is excluded. By default up to the newest block."),
};

/** Both included, as in `eth_getLogs`. */
export const logBlocksQuery = {
  fromBlock: height("Height of the first block, included. By default the chain's first one."),
  toBlock: height("Height of the last block, included. By default the newest one."),
};

const TOPIC = /^0x[0-9a-fA-F]{64}$/;

/** @returns undefined if the parameter is absent */
export function parseOptionalTopic(text: string | undefined, name: string): Hash | undefined {
  if (text === undefined) return undefined;
  if (TOPIC.test(text)) return text.slice(2).toLowerCase();
  throw badRequest(`${name} must be 0x and 64 hex digits, got ${shown(text)}`);
}

/** Bounds of a scan over keys that continue with `height`. */
export interface BlockBounds {
  readonly from?: { readonly height: bigint };
  readonly until?: { readonly height: bigint };
}

/** @returns undefined if the range is empty */
export function blockBounds(
  { startBlock: start, endBlock: end }: { readonly startBlock?: number; readonly endBlock?: number },
  { reverse }: { readonly reverse: boolean },
): BlockBounds | undefined {
  if (end !== undefined && end <= (start ?? 0)) return undefined;
  const at = (block: number) => ({ height: BigInt(block) });
  if (reverse) return { ...(end !== undefined && { from: at(end - 1) }), ...(start && { until: at(start - 1) }) };
  return { ...(start !== undefined && { from: at(start) }), ...(end !== undefined && { until: at(end) }) };
}
