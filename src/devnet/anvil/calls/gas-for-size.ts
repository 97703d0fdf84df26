/**
 * The gas that a transaction of the C-chain must bring for its bytes since Helicon, so that a block's worth of gas is never more bytes than a
 * block may have. Its pool demands it, and estimates include it.
 */
import { AnswerError, AnswerObject } from "../../../sources/evm/parser/answer-object.ts";
import { encodeSignedTransaction } from "../../../sources/evm/parser/rlp-forms.ts";
import type { EvmChainSpec } from "../chains/evm-chain-spec.ts";
import type { EvmCall } from "../evm-call.ts";
import { toHex } from "../header.ts";
import { ESTIMATE } from "./gas-estimate.ts";

const MIB = 1_048_576n;
const KIB = 1_024n;
/** of the transactions that the node puts into a block */
const TARGET_BLOCK_BYTES = 2n * MIB - 512n * KIB;
const ACCESS_LIST = "eth_createAccessList";
export const SIZED: ReadonlySet<string> = new Set([ESTIMATE, ACCESS_LIST]);

const MOST_64 = toHex(2n ** 64n - 1n);
const MOST_256 = toHex(2n ** 256n - 1n);

type Json = Readonly<Record<string, unknown>>;
type Limits = Pick<EvmChainSpec, "gasLimit" | "evmChainId">;

/** @param size bytes of the signed transaction */
export function minGasForSize(size: number, { gasLimit }: Pick<Limits, "gasLimit">): bigint {
  return (BigInt(size) * gasLimit + TARGET_BLOCK_BYTES - 1n) / TARGET_BLOCK_BYTES;
}

/** Returns the child's answer to one of the methods `SIZED`, with at least the gas for the size that the transaction will have. */
export function withGasForSize({ id, method, raw }: EvmCall, answer: Buffer, limits: Limits): Buffer {
  const { result } = (answer.length === 0 ? {} : JSON.parse(answer.toString())) as { readonly result?: string | Json };
  if (id === undefined || result === undefined || result === null) return answer;
  const { params } = JSON.parse(raw) as { readonly params?: readonly [Json] };
  const { gasUsed, accessList } = typeof result === "string" ? { gasUsed: result } : (result as { gasUsed: string; accessList: unknown });
  const size = sizeOf({ ...params?.[0], ...(accessList !== undefined && { accessList }) }, limits);
  const least = size === undefined ? 0n : minGasForSize(size, limits);
  if (BigInt(gasUsed) >= least) return answer;
  const raised = method === ESTIMATE ? toHex(least) : { ...(result as Json), gasUsed: toHex(least) };
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(raised)}}`);
}

/** Whatever the client leaves out is as long as it can be. Undefined for what is no transaction. */
function sizeOf({ nonce, maxFeePerGas, maxPriorityFeePerGas, gasPrice, to, value, input, data, accessList }: Json, limits: Limits) {
  const fields = {
    ...{ type: "0x2", chainId: toHex(limits.evmChainId), gas: MOST_64, yParity: "0x1", r: MOST_256, s: MOST_256 },
    nonce: nonce ?? MOST_64,
    maxFeePerGas: maxFeePerGas ?? gasPrice ?? MOST_256,
    maxPriorityFeePerGas: maxPriorityFeePerGas ?? gasPrice ?? MOST_256,
    to: to ?? null,
    value: value ?? MOST_256,
    input: input ?? data ?? "0x",
    accessList: accessList ?? [],
  };
  try {
    return encodeSignedTransaction(new AnswerObject(fields, "the transaction")).length;
  } catch (error) {
    if (error instanceof AnswerError) return undefined;
    throw error;
  }
}
