/**
 * What the C-chain's VM since Helicon, saevm, answers when a call names a block that does not exist. Who asks for a block, or for something
 * in it, gets null; who asks for a state, an error that names the block.
 */

import type { EvmCall } from "../evm-call.ts";
import { blockParam, hashOf, numberOf } from "./block-param.ts";

interface UnknownBlockParts {
  request(method: string, params: readonly unknown[]): Promise<unknown>;
}

type UnknownBlockAnswer = { readonly result: unknown } | { readonly error: string };

/** by what the child refuses; it answers null to others of this kind */
const OF_BLOCK: ReadonlySet<string> = new Set([
  "eth_getBlockTransactionCountByNumber",
  "eth_getUncleCountByBlockNumber",
  "eth_getUncleCountByBlockHash",
  "eth_getUncleByBlockNumberAndIndex",
  "eth_getUncleByBlockHashAndIndex",
]);
const LOGS = "eth_getLogs";
/** what the child says of a number past the tip */
const PAST_TIP = /"message":"BlockOutOfRangeError: block height is \d+ but requested was (\d+)"/;
/** what it says of a hash, and of a block whose state it does not have */
const NOT_THERE = '"message":"Resource not found"';

/** @param answer the child's. Returns undefined if the call is not about such a block */
export async function unknownBlock(call: EvmCall, answer: Buffer, parts: UnknownBlockParts): Promise<UnknownBlockAnswer | undefined> {
  const { method = "" } = call;
  const number = PAST_TIP.exec(answer.toString("latin1"))?.[1];
  const isNotThere = answer.includes(NOT_THERE);
  if (number === undefined && !isNotThere) return undefined;
  if (OF_BLOCK.has(method)) return { result: null };
  // there are no logs, whatever the range's other end is
  if (number !== undefined) return method === LOGS ? { result: [] } : { error: pastTip(BigInt(number)) };
  const { params } = JSON.parse(call.raw) as { readonly params?: unknown };
  const asked = blockParam(method, params);
  const hash = hashOf(asked);
  if (hash !== undefined) {
    const isUnknown = isNotThere && (await parts.request("eth_getBlockByHash", [hash, false])) === null;
    return isUnknown ? { error: `block not found: hash ${hash}` } : undefined;
  }
  const height = numberOf(asked);
  const isPast = height !== undefined && height > BigInt((await parts.request("eth_blockNumber", [])) as string);
  return isPast ? { error: pastTip(height) } : undefined;
}

function pastTip(height: bigint): string {
  return `block not found: not accepted yet: block ${height}`;
}
