/**
 * Limits the gas of clients' calls before the child executes them. The child itself limits neither gas nor time: one loop with 2^64 gas
 * would stop the network forever.
 */
import { DEVELOPMENT_GAS_LIMIT } from "../../../chains/atomic/genesis-block.ts";
import { type EvmCall, rewritten } from "../evm-call.ts";
import { EvmRequestError } from "../evm-error.ts";

/** coreth's `rpc-gas-cap`: a call that asks for more gas gets this much. */
export const MOST_GAS = 50_000_000n;
/**
 * Limit for a trace of every step: the child holds it in memory, about 100 MB at this limit, and answers nobody while it writes it, for
 * about 50 ms.
 */
export const MOST_GAS_OF_STEPS = 250_000n;
const TRACE_CALL = "debug_traceCall";
/** The child reads JSON no deeper than this. */
const DEEPEST = 128;
const NAMES = /"(gas|tracer)|\\u/;
const NAME_OF_TRACER = /^\w*$/;
const INVALID_PARAMS = -32_602;
const GAS_MEMBERS: ReadonlySet<string> = new Set(["gas", "gasLimit"]);

/** Returns the call with limited gas. Throws an EvmRequestError if it may not be made. @param call JSON */
export function boundedCall(call: EvmCall): EvmCall {
  if (!NAMES.test(call.raw) && call.method !== TRACE_CALL) return call;
  const { params } = JSON.parse(call.raw) as { params?: unknown };
  const tracesSteps = call.method === TRACE_CALL && !hasTracer(params);
  const cap: Cap = { mostGas: tracesSteps ? MOST_GAS_OF_STEPS : MOST_GAS, isUsed: false, isDear: false };
  const capped = bounded(tracesSteps ? withGas(params) : params, cap, 0);
  const { isDear } = cap;
  if (!cap.isUsed) return { ...call, isDear };
  return { ...call, isDear, raw: rewritten(call, capped) };
}

interface Cap {
  readonly mostGas: bigint;
  isUsed: boolean;
  isDear: boolean;
}

function hasTracer(params: unknown): boolean {
  const options = Array.isArray(params) ? (params[2] as { tracer?: unknown } | null | undefined) : undefined;
  return typeof options?.tracer === "string" && options.tracer !== "";
}

/** Sets the gas cap if the transaction does not specify its gas. */
function withGas(params: unknown): unknown {
  if (!Array.isArray(params) || typeof params[0] !== "object" || params[0] === null) return params;
  const [transaction, ...rest] = params as [object, ...unknown[]];
  return ["gasLimit" in transaction ? transaction : { gas: `0x${MOST_GAS.toString(16)}`, ...transaction }, ...rest];
}

function bounded(value: unknown, cap: Cap, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((element) => bounded(element, cap, depth + 1));
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    if (name === "tracer") refuseProgram(member);
    cap.isDear ||= GAS_MEMBERS.has(name) && isAbove(DEVELOPMENT_GAS_LIMIT, member);
    if (!GAS_MEMBERS.has(name) || !isAbove(cap.mostGas, member)) return [name, bounded(member, cap, depth + 1)];
    cap.isUsed = true;
    return [name, `0x${cap.mostGas.toString(16)}`];
  });
  return Object.fromEntries(members);
}

/** The child accepts underscores between digits. */
function isAbove(most: bigint, gas: unknown): boolean {
  if (typeof gas === "number") return gas > Number(most);
  if (typeof gas !== "string") return false;
  try {
    return BigInt(gas.replaceAll("_", "")) > most;
  } catch {
    return false;
  }
}

/** The child would run a JavaScript tracer without a time limit. */
function refuseProgram(tracer: unknown): void {
  if (typeof tracer !== "string" || NAME_OF_TRACER.test(tracer)) return;
  const message = "tracers written in JavaScript are not run here; name one, such as callTracer or prestateTracer";
  throw new EvmRequestError("tracer", { code: INVALID_PARAMS, message });
}
