/**
 * Calls that only try a transaction (eth_call, eth_estimateGas, debug_traceCall). Nodes do not verify the warp messages in such a call's
 * access list: it sees all of them. Firn tells the child by an override of the state, where the contract looks for them.
 */
import { RuleError } from "../../../network/execution.ts";
import type { EvmCall } from "../evm-call.ts";
import { EvmRequestError } from "../evm-error.ts";
import { messageOf, predicateGas, readingGas } from "./predicate.ts";
import { messageSlot, verifiedCode, WARP_ADDRESS } from "./warp-contract.ts";

/** Position of the state's override among the parameters; of traces it is a member of their options. */
const OVERRIDE_AT: ReadonlyMap<string, number> = new Map([
  ["eth_call", 2],
  ["eth_estimateGas", 2],
  ["debug_traceCall", 2],
]);
/** The child would fill in the gas that it knows of; clients then ask for an estimate. */
const FILL = "eth_fillTransaction";
const SERVER_ERROR = -32_000;
const METHOD_NOT_FOUND = -32_601;

export interface CallWithPredicates {
  readonly call: EvmCall;
  /** what the node's estimate has more than the child's, which takes the messages for an ordinary access list */
  readonly moreGas: bigint;
}

interface Facts {
  readonly isGranite: boolean;
  /** of the last block */
  readonly height: bigint;
}

interface Tried {
  readonly from?: unknown;
  readonly accessList?: unknown;
}

/** A quick test, which most calls do not pass. */
export function mayHavePredicates({ method, raw }: EvmCall): boolean {
  return (OVERRIDE_AT.has(method ?? "") || method === FILL) && raw.includes('"accessList"') && raw.toLowerCase().includes(WARP_ADDRESS);
}

/** Returns undefined if the call has no warp messages. Throws an EvmRequestError with the node's text if one cannot be read. */
export function callWithPredicates(call: EvmCall, { isGranite, height }: Facts): CallWithPredicates | undefined {
  const body = JSON.parse(call.raw) as { readonly params?: unknown };
  const params: unknown[] = Array.isArray(body.params) ? [...(body.params as unknown[])] : [];
  const { from, accessList } = (params[0] ?? {}) as Tried;
  const predicates = predicatesIn(accessList);
  if (predicates.length === 0) return undefined;
  if (call.method === FILL) {
    throw new EvmRequestError(FILL, {
      code: METHOD_NOT_FOUND,
      message: `the method ${FILL} does not exist/is not available with warp messages`,
    });
  }
  const origin = typeof from === "string" && /^0x[0-9a-f]{40}$/i.test(from) ? from.slice(2).toLowerCase() : "00".repeat(20);
  const override: Record<string, { code: string }> = {};
  let moreGas = 0n;
  for (const [index, packed] of predicates.entries()) {
    const verified = within(call, () => {
      moreGas += predicateGas(packed, { isGranite }) - 2_400n - 1_900n * BigInt(packed.length / 32);
      return verifiedCode({ message: messageOf(packed), gas: readingGas(packed, { isGranite }) });
    });
    // the child says the last block's number or the next one's, whichever it is asked about
    for (const at of [height, height + 1n]) {
      override[`0x${messageSlot({ height: at, origin, index })}`] = { code: `0x${verified.toString("hex")}` };
    }
  }
  const position = OVERRIDE_AT.get(call.method!)!;
  if (params[1] === undefined) params[1] = "latest";
  const given = (params[position] ?? {}) as Record<string, unknown>;
  params[position] =
    call.method === "debug_traceCall"
      ? { ...given, stateOverrides: { ...(given.stateOverrides as object | undefined), ...override } }
      : { ...given, ...override };
  return { call: { ...call, raw: JSON.stringify({ ...body, params }) }, moreGas };
}

function predicatesIn(accessList: unknown): Buffer[] {
  if (!Array.isArray(accessList)) return [];
  return (accessList as { readonly address?: unknown; readonly storageKeys?: unknown }[]).flatMap((entry) => {
    const { address, storageKeys } = entry ?? {};
    if (typeof address !== "string" || address.toLowerCase() !== `0x${WARP_ADDRESS}` || !Array.isArray(storageKeys)) return [];
    const keys = storageKeys as unknown[];
    // the child says what is wrong with a key
    if (!keys.every((key) => typeof key === "string" && /^0x[0-9a-f]{64}$/i.test(key))) return [];
    return [Buffer.from((keys as string[]).map((key) => key.slice(2)).join(""), "hex")];
  });
}

function within<T>({ method }: EvmCall, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    throw new EvmRequestError(method!, { code: SERVER_ERROR, message: error.message });
  }
}
