/**
 * Bodies of JSON-RPC on their way to the child. All pass as they are but signed transactions: those go through Firn, which remembers them
 * and makes blocks of them.
 */
import { readRlp } from "../atomic/rlp.ts";
import { CodecError } from "../primitives/codec/error.ts";
import { EvmRequestError } from "./evm-error.ts";

export interface ForwardParts {
  /** a body to the child, the reply's back */
  send(body: string): Promise<string>;
  /** @param raw hex; resolves with the hash once the client may be answered */
  issue(raw: string): Promise<string>;
}

interface Call {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

const SEND = "eth_sendRawTransaction";
/** answers with the receipt */
const SEND_AND_WAIT = "eth_sendRawTransactionSync";
const SERVER_ERROR = -32_000;
const INVALID_PARAMS = -32_602;
/** geth's words */
const MORE_THAN_ONE = "rlp: input contains more than one value";
/** no transaction, which the child says */
const NO_BYTES: ReadonlySet<string> = new Set(["", "0x"]);

export async function forwardBody(body: string, parts: ForwardParts): Promise<string> {
  // a name may be written with escapes
  const calls = body.includes(SEND) || body.includes("\\") ? parse(body) : undefined;
  if (calls === undefined) return parts.send(body);
  if (!Array.isArray(calls)) return forwardCall(calls as Call, parts);
  const answers: string[] = [];
  for (const call of calls as Call[]) answers.push(await forwardCall(call, parts));
  return `[${answers.filter((answer) => answer !== "").join(",")}]`;
}

async function forwardCall(call: Call, parts: ForwardParts): Promise<string> {
  const raw = sentTransaction(call);
  if (raw === undefined) return parts.send(JSON.stringify(call));
  const { id = null, method } = call;
  const problem = hexProblem(raw);
  if (problem !== undefined) {
    const message = `invalid argument 0: json: cannot unmarshal ${problem} into Go value of type hexutil.Bytes`;
    return JSON.stringify({ jsonrpc: "2.0", id, error: { code: INVALID_PARAMS, message } });
  }
  if (hasMore(raw)) return JSON.stringify({ jsonrpc: "2.0", id, error: { code: SERVER_ERROR, message: MORE_THAN_ONE } });
  try {
    const hash = await parts.issue(raw);
    if (method === SEND) return JSON.stringify({ jsonrpc: "2.0", id, result: hash });
    return await parts.send(JSON.stringify({ jsonrpc: "2.0", id, method: "eth_getTransactionReceipt", params: [hash] }));
  } catch (error) {
    const code = error instanceof EvmRequestError ? error.rpcCode : SERVER_ERROR;
    return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: (error as Error).message } });
  }
}

/** undefined: another method, or parameters about which the child may complain */
function sentTransaction(call: Call): string | undefined {
  if (typeof call !== "object" || call === null || (call.method !== SEND && call.method !== SEND_AND_WAIT)) return undefined;
  const [raw] = Array.isArray(call.params) ? (call.params as unknown[]) : [];
  return typeof raw === "string" && !NO_BYTES.has(raw) ? raw : undefined;
}

/** In geth's words. The child would take hex without a prefix, and nobody would know of the transaction. */
function hexProblem(raw: string): string | undefined {
  if (!/^0x/i.test(raw)) return "hex string without 0x prefix";
  if (raw.length % 2 === 1) return "hex string of odd length";
  return /^0x[0-9a-f]*$/i.test(raw) ? undefined : "invalid hex string";
}

/** Whether bytes follow the transaction, which the child would leave out. What is wrong besides, it says itself. */
function hasMore(raw: string): boolean {
  const bytes = Buffer.from(raw.slice("0x".length), "hex");
  try {
    // a typed one begins with its type
    readRlp(bytes[0]! < 0x80 ? bytes.subarray(1) : bytes);
    return false;
  } catch (error) {
    return error instanceof CodecError && error.kind === "trailing";
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
