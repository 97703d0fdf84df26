/**
 * Makes calls at the last block see another time than that block's: the next one's, after somebody moved the clock. The child takes it as a
 * block override. It has none for access lists: there it is the time of the pending block.
 */
import { type EvmCall, rewritten } from "./evm-call.ts";
import { toHex } from "./header.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";

type Json = Readonly<Record<string, unknown>>;
/** position of the block among the parameters, and of what has the overrides */
const OVERRIDDEN: ReadonlyMap<string, number> = new Map([
  ["eth_call", 3],
  ["eth_estimateGas", 3],
  ["debug_traceCall", 2],
]);
const ACCESS_LIST = "eth_createAccessList";
const BLOCK = 1;
/** undefined and null stand for the last block, too */
const LAST: ReadonlySet<unknown> = new Set([undefined, null, "latest", "pending"]);
/** names by which the child knows a block's time */
const TIMES = ["time", "timestamp"];

/** Returns the call as the child must get it. @param time Unix seconds */
export async function callAt(time: bigint, call: EvmCall, rpc: Pick<JsonRpcClient, "call">): Promise<string> {
  const { method = "", raw } = call;
  const position = OVERRIDDEN.get(method);
  if (position === undefined && method !== ACCESS_LIST) return raw;
  const { params } = JSON.parse(raw) as { readonly params?: unknown };
  if (!Array.isArray(params) || !LAST.has(params[BLOCK])) return raw;
  const given: readonly unknown[] = params;
  if (position === undefined) {
    await rpc.call("anvil_setTime", Number(time));
    return rewritten(call, [given[0], "pending", ...given.slice(BLOCK + 1)]);
  }
  const overridden = withTime(given[position], method, toHex(time));
  if (overridden === undefined) return raw;
  const before = Array.from({ length: position }, (_, index) => given[index] ?? null);
  return rewritten(call, [...before, overridden, ...given.slice(position + 1)]);
}

/** Returns undefined if the client chose a time itself, or if the child will refuse what it gave. */
function withTime(given: unknown, method: string, time: string): Json | undefined {
  if (given !== undefined && given !== null && (typeof given !== "object" || Array.isArray(given))) return undefined;
  const members = { ...given } as Json;
  if (method !== "debug_traceCall") return TIMES.some((name) => name in members) ? undefined : { ...members, time };
  const blockOverrides = withTime(members.blockOverrides, "", time);
  return blockOverrides && { ...members, blockOverrides };
}
