/**
 * Has the tags `safe` and `finalized` mean the last settled block, as on the C-chain since Helicon, in whatever call names a block. The child
 * knows nothing of settlement.
 */
import { type EvmCall, rewritten } from "../evm-call.ts";
import { toHex } from "../header.ts";

const TAGS: ReadonlySet<unknown> = new Set(["safe", "finalized"]);
/** of parameters that are objects: EIP-1898, and the range of a filter */
const MEMBERS: ReadonlySet<string> = new Set(["blockNumber", "fromBlock", "toBlock"]);
const MAY_HAVE_TAG = /"(?:safe|finalized)"|\\u/;

/** @param settledHeight undefined: the tags mean what they mean to the child, the newest block */
export async function withSettledTags(call: EvmCall, settledHeight: () => Promise<bigint | undefined>): Promise<EvmCall> {
  if (!MAY_HAVE_TAG.test(call.raw)) return call;
  const { params } = JSON.parse(call.raw) as { readonly params?: unknown };
  if (!Array.isArray(params)) return call;
  const height = await settledHeight();
  if (height === undefined) return call;
  const number = toHex(height);
  const named = (value: unknown) => (TAGS.has(value) ? number : value);
  const renamed = (params as unknown[]).map((param) => {
    if (typeof param !== "object" || param === null || Array.isArray(param)) return named(param);
    return Object.fromEntries(Object.entries(param).map(([name, value]) => [name, MEMBERS.has(name) ? named(value) : value]));
  });
  return { ...call, raw: rewritten(call, renamed) };
}
