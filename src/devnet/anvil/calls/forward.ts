/** Forwards clients' calls to the child, except signed transactions, which Firn remembers and puts into blocks. */

import { CodecError } from "../../../base/codec/error.ts";
import { readRlp } from "../../../base/codec/rlp.ts";
import { readBytes, readWord } from "../../../evm/abi.ts";
import type { EvmChainSpec } from "../chains/evm-chain-spec.ts";
import { type EvmCall, errorAnswer } from "../evm-call.ts";
import { EvmRequestError, type RpcError } from "../evm-error.ts";
import { numberOf } from "./block-param.ts";
import type { FeeHistory, FeeHistoryParts } from "./fee-history.ts";
import { ESTIMATE, whyUnpayable, withAllowance } from "./gas-estimate.ts";
import { SIZED, withGasForSize } from "./gas-for-size.ts";
import { type RawParts, rawAnswer, rawMethods } from "./raw-answers.ts";
import { type TraceParts, traced } from "./traces.ts";
import { unknownBlock } from "./unknown-block.ts";

// The reason of a revert in the words of geth's errors (`abi.UnpackRevert`), which the chain's nodes have, too. The Data API's, for people, are in
// `evm/revert-reason.ts`.

const SELECTOR_BYTES = 4;
const ERROR = "08c379a0";
const PANIC = "4e487b71";

/** by the code that Solidity gives */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, "generic panic"],
  [0x01n, "assert(false)"],
  [0x11n, "arithmetic underflow or overflow"],
  [0x12n, "division or modulo by zero"],
  [0x21n, "enum overflow"],
  [0x22n, "invalid encoded storage byte array accessed"],
  [0x31n, "out-of-bounds array access; popping on an empty array"],
  [0x32n, "out-of-bounds access of an array or bytesN"],
  [0x41n, "out of memory"],
  [0x51n, "uninitialized function"],
]);

/** @param data with which a contract reverted, hex. Returns undefined for a contract's own errors, and for what is cut off */
export function gethReason(data: string): string | undefined {
  const bytes = Buffer.from(data.slice("0x".length), "hex");
  const selector = bytes.toString("hex", 0, SELECTOR_BYTES);
  const words = bytes.subarray(SELECTOR_BYTES);
  if (selector === ERROR) return readBytes(words)?.toString();
  const code = selector === PANIC ? readWord(words) : undefined;
  return code === undefined ? undefined : (PANICS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`);
}

export interface ForwardParts extends RawParts, Pick<TraceParts, "trace" | "addedGas">, Pick<FeeHistoryParts, "requestAll" | "baseFee"> {
  readonly spec: EvmChainSpec;
  readonly fees: FeeHistory;
  /** sends a call to the child and returns its answer */
  send(call: EvmCall): Promise<Buffer>;
  /** @param raw hex; resolves with the hash when the client may be answered */
  issue(raw: string): Promise<string>;
}

const SEND = "eth_sendRawTransaction";
/** this method answers with the receipt */
const SEND_AND_WAIT = "eth_sendRawTransactionSync";
const SERVER_ERROR = -32_000;
const INVALID_PARAMS = -32_602;
/** of the child, for what geth has no code of its own */
const TRANSACTION_REJECTED = -32_003;
const BLOCK_BY_NUMBER = "eth_getBlockByNumber";
const FEES = "eth_feeHistory";
const LOGS = "eth_getLogs";
/**
 * coreth's text for what is asked of a block past the tip, which ended with Helicon. The child answers null to the question for the block,
 * and an error to others.
 */
const UNFINALIZED = "cannot query unfinalized data";
const NO_BLOCK = '"result":null';
const TRACE = "debug_traceTransaction";
/** What the child answers, by whatever tracer, for a transaction that is in no block; any other one uses gas. */
const NO_TRACE = '{"failed":false,"gas":0,"returnValue":"0x","structLogs":[]}';
/** coreth has an empty text for what it does not know */
const RAW_TRANSACTIONS: ReadonlySet<string> = new Set([
  "debug_getRawTransaction",
  "eth_getRawTransactionByHash",
  "eth_getRawTransactionByBlockHashAndIndex",
  "eth_getRawTransactionByBlockNumberAndIndex",
]);
const PAST_TIP = '"message":"BlockOutOfRangeError:';
/** bytes of such an answer, with an ID of usual length */
const LONGEST_REFUSAL = 512;
const REVERTED = '"error":{"code":3,"message":"execution reverted';
const PENDING = /("params"\s*:\s*\[\s*)"pending"/;
/** geth's text */
const MORE_THAN_ONE = "rlp: input contains more than one value";
/** not a transaction; the child says so */
const NO_BYTES: ReadonlySet<string> = new Set(["", "0x"]);

export async function forwardCall(call: EvmCall, parts: ForwardParts): Promise<Buffer> {
  const raw = sentTransaction(call);
  if (raw !== undefined) return issue(call, raw, parts);
  if (rawMethods.has(call.method ?? "")) return answered(call, (params) => rawAnswer(call.method!, params, parts));
  if (call.method === FEES) {
    return answered(call, (params) => parts.fees.answer(params, { ...parts, isSaevmAt: (time) => parts.spec.isSaevmAt(time) }));
  }
  const problem = call.method === ESTIMATE ? await whyUnpayable(call, parts) : rangeProblem(call);
  if (problem !== undefined) return refusal(call, { code: SERVER_ERROR, message: problem });
  const trace = await answerTrace(call, { ...parts, traceCall: (other) => parts.send(other) });
  if (trace !== undefined) return mended(call, trace, parts);
  const isBlockByNumber = call.method === BLOCK_BY_NUMBER;
  const answer = await mended(call, await parts.send(isBlockByNumber ? withoutPending(call) : call), parts);
  return parts.isSaevm && SIZED.has(call.method ?? "") ? withGasForSize(call, answer, parts.spec) : answer;
}

/** The child has no logs for a range that ends before it begins. */
function rangeProblem({ method, raw }: EvmCall): string | undefined {
  if (method !== LOGS) return undefined;
  const { params } = JSON.parse(raw) as { readonly params?: readonly [{ fromBlock?: unknown; toBlock?: unknown } | null] };
  const [from, to] = [numberOf(params?.[0]?.fromBlock), numberOf(params?.[0]?.toBlock)];
  return from !== undefined && to !== undefined && to > 0n && from > to ? "invalid block range params" : undefined;
}

/** The child's answer, unless the node's is another one. */
async function mended(call: EvmCall, given: Buffer, parts: ForwardParts): Promise<Buffer> {
  const answer = given.subarray(0, LONGEST_REFUSAL).includes(REVERTED) ? withReason(given) : given;
  if (answer.length > LONGEST_REFUSAL) return answer;
  const refuse = (message: string) => refusal(call, { code: SERVER_ERROR, message });
  const { method } = call;
  const unknown = parts.isSaevm ? await unknownBlock(call, answer, parts) : undefined;
  if (unknown !== undefined) return "error" in unknown ? refuse(unknown.error) : resultOf(call, unknown.result);
  const isPastTip = answer.includes(PAST_TIP) || (method === BLOCK_BY_NUMBER && answer.includes(NO_BLOCK));
  if (isPastTip && !parts.isSaevm) return refuse(UNFINALIZED);
  if (method === TRACE && answer.includes(NO_TRACE)) return refuse("transaction not found");
  if (RAW_TRANSACTIONS.has(method ?? "") && answer.includes(NO_BLOCK)) return resultOf(call, "0x");
  return inWordsOfGeth(method === ESTIMATE ? withAllowance(answer) : answer);
}

/** The child's errors, by pattern, and geth's. */
const WORDS: readonly (readonly [childs: RegExp, geths: string])[] = [
  [/"message":"invalid length (\d+), expected tuple variant [^"]*"/, '"message":"missing value for required argument $1"'],
  [/"code":3,"message":"execution reverted","data":"0x"/, '"code":-32000,"message":"execution reverted"'],
  [/"code":-32603,"message":"EVM error InvalidFEOpcode"/, '"code":-32000,"message":"invalid opcode: INVALID"'],
  [/"code":-32603,"message":"EVM error OutOfGas"/, '"code":-32000,"message":"out of gas"'],
  [/"code":-32603,"message":"EVM error InvalidJump"/, '"code":-32000,"message":"invalid jump destination"'],
];

/** The child spells a contract's own errors out, too, byte by byte. */
function withReason(answer: Buffer): Buffer {
  const { id, error } = JSON.parse(answer.toString()) as { readonly id: unknown; readonly error: RpcError };
  if (typeof error.data !== "string") return answer;
  const reason = gethReason(error.data);
  const message = reason === undefined ? "execution reverted" : `execution reverted: ${reason}`;
  return Buffer.from(errorAnswer({ id: JSON.stringify(id) }, { ...error, message }));
}

function inWordsOfGeth(answer: Buffer): Buffer {
  if (!answer.includes('"error":{')) return answer;
  return Buffer.from(WORDS.reduce((text, [childs, geths]) => text.replace(childs, geths), answer.toString()));
}

async function answered(call: EvmCall, result: (params: unknown) => Promise<unknown>): Promise<Buffer> {
  const { params } = JSON.parse(call.raw) as { readonly params?: unknown };
  try {
    return resultOf(call, await result(params));
  } catch (error) {
    if (error instanceof EvmRequestError) return refusal(call, { code: error.rpcCode, message: error.message });
    throw error;
  }
}

async function answerTrace(call: EvmCall, parts: TraceParts): Promise<Buffer | undefined> {
  try {
    return await traced(call, parts);
  } catch (error) {
    if (error instanceof EvmRequestError) return refusal(call, { code: error.rpcCode, message: error.message });
    throw error;
  }
}

function resultOf({ id }: EvmCall, result: unknown): Buffer {
  return Buffer.from(id === undefined ? "" : `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`);
}

/** On the C-chain the pending block is the last accepted one. */
function withoutPending(call: EvmCall): EvmCall {
  return { ...call, raw: call.raw.replace(PENDING, '$1"latest"') };
}

async function issue(call: EvmCall, raw: string, parts: ForwardParts): Promise<Buffer> {
  const { id, method } = call;
  const refuse = (code: number, message: string) => refusal(call, { code, message });
  const problem = hexProblem(raw);
  if (problem !== undefined) {
    return refuse(INVALID_PARAMS, `invalid argument 0: json: cannot unmarshal ${problem} into Go value of type hexutil.Bytes`);
  }
  if (hasMore(raw)) return refuse(SERVER_ERROR, MORE_THAN_ONE);
  try {
    const hash = await parts.issue(raw);
    if (id === undefined) return Buffer.alloc(0);
    if (method === SEND) return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":"${hash}"}`);
    const receipt = "eth_getTransactionReceipt";
    return await parts.send({ id, method: receipt, raw: `{"jsonrpc":"2.0","id":${id},"method":"${receipt}","params":["${hash}"]}` });
  } catch (error) {
    const code = error instanceof EvmRequestError && error.rpcCode !== TRANSACTION_REJECTED ? error.rpcCode : SERVER_ERROR;
    return refuse(code, (error as Error).message);
  }
}

function refusal(call: EvmCall, error: { readonly code: number; readonly message: string }): Buffer {
  return Buffer.from(errorAnswer(call, error));
}

/** Returns undefined for other methods, and for parameters that the child will refuse. */
function sentTransaction({ method, raw: text }: EvmCall): string | undefined {
  if (method !== SEND && method !== SEND_AND_WAIT) return undefined;
  const { params } = JSON.parse(text) as { params?: unknown };
  const [raw] = Array.isArray(params) ? (params as unknown[]) : [];
  return typeof raw === "string" && !NO_BYTES.has(raw) ? raw : undefined;
}

/** Returns what is wrong with the hex, in geth's words. The child would accept hex without a prefix, past Firn's checks. */
function hexProblem(raw: string): string | undefined {
  if (!/^0x/i.test(raw)) return "hex string without 0x prefix";
  if (raw.length % 2 === 1) return "hex string of odd length";
  return /^0x[0-9a-f]*$/i.test(raw) ? undefined : "invalid hex string";
}

/** Whether bytes follow the transaction, which the child would ignore. It reports other errors itself. */
function hasMore(raw: string): boolean {
  const bytes = Buffer.from(raw.slice("0x".length), "hex");
  try {
    // a typed transaction starts with its type byte
    readRlp(bytes[0]! < 0x80 ? bytes.subarray(1) : bytes);
    return false;
  } catch (error) {
    return error instanceof CodecError && error.kind === "trailing";
  }
}
