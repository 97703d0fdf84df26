/**
 * Makes calls at the last block see another time than that block's: the next one's, after somebody moved the clock. The child takes it as a
 * block override. It has none for access lists: there it is the time of the pending block. Nor has it one for transactions that it fills in:
 * they are given the gas that is estimated before.
 */
import { type EvmCall, rewritten } from "../evm-call.ts";
import { EvmRequestError } from "../evm-error.ts";
import { toHex } from "../header.ts";
import type { JsonRpcClient, SendLimits } from "../json-rpc-client.ts";

type Json = Readonly<Record<string, unknown>>;
const ESTIMATE = "eth_estimateGas";
/** position of the block among the parameters, and of what has the overrides */
const OVERRIDDEN: ReadonlyMap<string, number> = new Map([
  ["eth_call", 3],
  [ESTIMATE, 3],
  ["debug_traceCall", 2],
]);
const ACCESS_LIST = "eth_createAccessList";
const FILL = "eth_fillTransaction";
const BLOCK = 1;
/** undefined and null stand for the last block, too */
const LAST: ReadonlySet<unknown> = new Set([undefined, null, "latest", "pending"]);
/** names by which the child knows a block's time */
const TIMES = ["time", "timestamp"];

type Rpc = Pick<JsonRpcClient, "call" | "request">;

/** Returns the call as the child must get it. @param time Unix seconds @param limits of calls that it needs before */
export async function callAt(time: bigint, call: EvmCall, rpc: Rpc, limits?: SendLimits): Promise<string> {
  const { method = "", raw } = call;
  const position = OVERRIDDEN.get(method);
  if (position === undefined && method !== ACCESS_LIST && method !== FILL) return raw;
  const { params } = JSON.parse(raw) as { readonly params?: unknown };
  if (!Array.isArray(params)) return raw;
  const given: readonly unknown[] = params;
  if (method === FILL) return withGas(time, call, given, (estimate) => rpc.request(ESTIMATE, estimate, limits));
  if (!LAST.has(given[BLOCK])) return raw;
  if (position === undefined) {
    // exactly this time: the clock that `anvil_setTime` sets would run on
    await rpc.call("evm_setNextBlockTimestamp", Number(time));
    return rewritten(call, [given[0], "pending", ...given.slice(BLOCK + 1)]);
  }
  const overridden = withTime(given[position], method, toHex(time));
  if (overridden === undefined) return raw;
  const before = Array.from({ length: position }, (_, index) => given[index] ?? null);
  return rewritten(call, [...before, overridden, ...given.slice(position + 1)]);
}

/** If the gas cannot be estimated, the child shall answer what it says of that. */
async function withGas(
  time: bigint,
  call: EvmCall,
  [transaction, ...rest]: readonly unknown[],
  estimate: (params: unknown) => Promise<unknown>,
): Promise<string> {
  if (typeof transaction !== "object" || transaction === null || (transaction as Json).gas) return call.raw;
  const params = [transaction, "latest", null, { time: toHex(time) }];
  try {
    return rewritten(call, [{ ...transaction, gas: await estimate(params) }, ...rest]);
  } catch (error) {
    if (!(error instanceof EvmRequestError)) throw error;
    return rewritten({ ...call, method: ESTIMATE }, params);
  }
}

/** Returns undefined if the client chose a time itself, or if the child will refuse what it gave. */
function withTime(given: unknown, method: string, time: string): Json | undefined {
  if (given !== undefined && given !== null && (typeof given !== "object" || Array.isArray(given))) return undefined;
  const members = { ...given } as Json;
  if (method !== "debug_traceCall") return TIMES.some((name) => name in members) ? undefined : { ...members, time };
  const blockOverrides = withTime(members.blockOverrides, "", time);
  return blockOverrides && { ...members, blockOverrides };
}
