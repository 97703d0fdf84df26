/**
 * Traces of transactions as geth's `debug` API has them. The child records no steps, so a transaction whose steps are asked for is executed
 * again: as a call, in its block, on the state before it. To the gas of a transaction the child adds that of the block's earlier ones; here
 * the receipt says it.
 */

import { type EvmCall, evmCall } from "../evm-call.ts";
import { EvmRequestError } from "../evm-error.ts";
import type { BlockJson } from "../header.ts";
import type { AddedGas } from "../sealing/gas-charge.ts";
import { hashOf, numberOf } from "./block-param.ts";
import { MOST_GAS_OF_STEPS } from "./bounded-call.ts";

export interface TraceParts {
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** what the transactions of a block were charged beyond what they used */
  addedGas(height: bigint): Promise<AddedGas>;
  /** sends a call to the child as it is; returns the answer */
  trace(call: EvmCall): Promise<Buffer>;
  /** the same, with limited gas and at the time that calls see */
  traceCall(call: EvmCall): Promise<Buffer>;
}

type Json = Readonly<Record<string, unknown>>;

interface Mined extends Json {
  readonly hash: string;
  readonly gas: string;
  readonly receipt: { readonly status: string; readonly gasUsed: string; readonly effectiveGasPrice: string };
  /** the part of the receipt's gas that was charged and not used */
  readonly unused: bigint;
}

/** As `prestateTracer` has it; an account that never sent has no nonce. */
interface Account {
  readonly balance: string;
  readonly nonce?: number;
  readonly code?: string;
  readonly storage?: Json;
}

const OF_TRANSACTION = "debug_traceTransaction";
const OF_CALL = "debug_traceCall";
/** by the method that returns the block */
const OF_BLOCK: ReadonlyMap<string, string> = new Map([
  ["debug_traceBlockByNumber", "eth_getBlockByNumber"],
  ["debug_traceBlockByHash", "eth_getBlockByHash"],
]);
const TRACERS: ReadonlySet<string> = new Set(["callTracer", "prestateTracer", "4byteTracer", "noopTracer"]);

const SERVER_ERROR = -32_000;
const INVALID_PARAMS = -32_602;
/** what the child says of a block whose state it does not have */
const NO_STATE = '"message":"Resource not found"';
/** bytes of such an answer */
const LONGEST_REFUSAL = 512;

/** Returns the answer; undefined if the child's is right. */
export async function traced(call: EvmCall, parts: TraceParts): Promise<Buffer | undefined> {
  const { method = "" } = call;
  if (method !== OF_TRANSACTION && method !== OF_CALL && !OF_BLOCK.has(method)) return undefined;
  const { params } = JSON.parse(call.raw) as { readonly params?: unknown };
  const given: readonly unknown[] = Array.isArray(params) ? params : [];
  const { tracer, ...options } = objectOf(given[method === OF_CALL ? 2 : 1]);
  const isOfSteps = tracer === undefined || tracer === null || tracer === "";
  if (!isOfSteps && typeof tracer === "string" && /^\w+$/.test(tracer) && !TRACERS.has(tracer)) {
    throw refusal(method, INVALID_PARAMS, `the tracer ${tracer} is not available; use one of ${[...TRACERS].join(", ")}`);
  }
  await requireNoGenesis(method, given[0], parts);
  if (!isOfSteps && tracer !== "callTracer") return undefined;
  if (method === OF_CALL) return ofCall(call, { isOfSteps, gas: objectOf(given[0]).gas, options }, parts);
  const block = method === OF_TRANSACTION ? await blockOf(given[0], parts) : await parts.request(OF_BLOCK.get(method)!, [given[0], true]);
  if (!isBlock(block)) return undefined;
  const transactions = await minedIn(block, method === OF_TRANSACTION ? given[0] : undefined, parts);
  return isOfSteps ? stepsOf(call, { block, transactions, options }, parts) : withOwnGas(known(await parts.trace(call)), transactions);
}

/** The child has a trace of genesis, without transactions. */
async function requireNoGenesis(method: string, block: unknown, { request }: TraceParts): Promise<void> {
  const isByHash = method === "debug_traceBlockByHash";
  const genesis = isByHash ? ((await request("eth_getBlockByNumber", ["0x0", false])) as BlockJson).hash : undefined;
  const isGenesis = isByHash ? hashOf(block) === genesis : OF_BLOCK.has(method) && (block === "earliest" || numberOf(block) === 0n);
  if (isGenesis) throw refusal(method, SERVER_ERROR, "genesis is not traceable");
}

interface AskedOfCall {
  readonly isOfSteps: boolean;
  /** that the client gave */
  readonly gas: unknown;
  readonly options: Json;
}

async function ofCall(call: EvmCall, { isOfSteps, gas, options }: AskedOfCall, parts: TraceParts): Promise<Buffer | undefined> {
  const answer = (await parts.traceCall(call)).toString();
  const [, failed, used] = RESULT_OF_STEPS.exec(answer) ?? [];
  if (isOfSteps && used !== undefined) return resultOf(call, `{"gas":${used},"failed":${failed},${stepsAsGeth(answer, options)}`);
  const text = answer.replaceAll(LOG_INDEX, "");
  return Buffer.from(typeof gas === "string" ? text.replace(FIRST_GAS, `$1${JSON.stringify(gas)}`) : text);
}

interface Asked {
  readonly block: BlockJson;
  readonly transactions: readonly Mined[];
  /** of the log: `enableMemory`, `disableStack`, `limit`… */
  readonly options: Json;
}

async function stepsOf(call: EvmCall, { block, transactions, options }: Asked, parts: TraceParts): Promise<Buffer> {
  const gas = transactions.reduce((sum, { receipt, unused }) => sum + BigInt(receipt.gasUsed) - unused, 0n);
  if (gas > MOST_GAS_OF_STEPS) {
    const text = `this used ${gas} gas, and steps are shown of at most ${MOST_GAS_OF_STEPS}; name a tracer, such as callTracer`;
    throw refusal(call.method!, SERVER_ERROR, text);
  }
  const results: string[] = [];
  for (const transaction of transactions) {
    const { receipt, hash } = transaction;
    const steps = stepsAsGeth(await executedAgain(transaction, block, options, parts), options);
    const result = `{"gas":${BigInt(receipt.gasUsed)},"failed":${receipt.status === "0x0"},${steps}`;
    results.push(call.method === OF_TRANSACTION ? result : `{"txHash":"${hash}","result":${result}}`);
  }
  return resultOf(call, call.method === OF_TRANSACTION ? results[0]! : `[${results.join(",")}]`);
}

function resultOf({ id }: EvmCall, result: string): Buffer {
  return Buffer.from(id === undefined ? "" : `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
}

/** Returns the child's answer to a call that does what the transaction did. */
async function executedAgain(mined: Mined, block: BlockJson, options: Json, parts: TraceParts): Promise<string> {
  const { hash, gas, from, to, value, input, accessList, receipt } = mined;
  const prestate = await parts.trace(evmCall(1, OF_TRANSACTION, [hash, { tracer: "prestateTracer" }]));
  const { result: before } = JSON.parse(known(prestate).toString()) as { readonly result: Readonly<Record<string, Account>> };
  const stateOverrides = Object.fromEntries(Object.entries(before).map(([address, account]) => [address, overrideOf(account)]));
  const { number, timestamp, baseFeePerGas, miner, gasLimit, mixHash } = block;
  const blockOverrides = { number, time: timestamp, baseFee: baseFeePerGas, coinbase: miner, gasLimit, random: mixHash };
  const call = { from, to, gas, gasPrice: receipt.effectiveGasPrice, value, input, ...(accessList !== undefined && { accessList }) };
  const parent = `0x${(BigInt(number) - 1n).toString(16)}`;
  const answer = await parts.trace(evmCall(1, OF_CALL, [call, parent, { ...options, stateOverrides, blockOverrides }]));
  return answer.toString();
}

function overrideOf({ balance, nonce, code, storage }: Account): Json {
  return {
    balance,
    ...(nonce !== undefined && { nonce: `0x${nonce.toString(16)}` }),
    ...(code !== undefined && { code }),
    ...(storage !== undefined && { stateDiff: storage }),
  };
}

const STEPS = /^.*?"returnValue":"(?:0x)?([0-9a-f]*)","structLogs":(.*)\}\s*\}\s*$/s;
const UNLIKE_GETH = /"memory":\[[^\]]*\]|"storage":\{[^}]*\}|,"refund":0(?=[,}])|,"returnData":"0x"(?=[,}])/g;

const RESULT_OF_STEPS = /"result":\{"failed":(true|false),"gas":(\d+),/;
/** of a call's outermost frame */
const FIRST_GAS = /("result":\{"from":"0x[0-9a-f]{40}","gas":)"0x[0-9a-f]+"/;
/** what the child adds to the logs of `callTracer` */
const LOG_INDEX = /,"index":"0x[0-9a-f]+"(?=\})/g;

/** geth leaves out what is empty, and the prefixes of words in memory and storage. It keeps to `limit`. */
function stepsAsGeth(answer: string, { limit }: Json): string {
  const [, returnValue, steps] = STEPS.exec(answer) ?? [];
  if (steps === undefined) throw refusal(OF_TRANSACTION, SERVER_ERROR, `the EVM gave no steps: ${answer.slice(0, 512)}`);
  const words = steps.replace(UNLIKE_GETH, (member) => (member.startsWith(",") ? "" : member.replaceAll('"0x', '"')));
  const isLimited = typeof limit === "number" && limit > 0;
  const logs = isLimited ? JSON.stringify((JSON.parse(words) as unknown[]).slice(0, limit)) : words;
  return `"returnValue":"${returnValue}","structLogs":${logs}}`;
}

const TOP_CALLS = /"result":\{"from":"0x[0-9a-f]{40}","gas":"0x[0-9a-f]+","gasUsed":"0x[0-9a-f]+"/g;
const GASES = /"gas":"0x[0-9a-f]+","gasUsed":"0x[0-9a-f]+"$/;

/** Blocks from before its start are in the child without the states between them. */
function known(answer: Buffer): Buffer {
  if (answer.length > LONGEST_REFUSAL || !answer.includes(NO_STATE)) return answer;
  throw refusal(OF_TRANSACTION, SERVER_ERROR, "required historical state unavailable: the EVM was started again after this transaction");
}

/** Puts the gas limit and the gas used of each transaction into its outermost call. */
function withOwnGas(answer: Buffer, transactions: readonly Mined[]): Buffer {
  let index = 0;
  const text = answer
    .toString()
    .replaceAll(LOG_INDEX, "")
    .replace(TOP_CALLS, (top) => {
      const { gas, receipt } = transactions[index++]!;
      return top.replace(GASES, `"gas":"${gas}","gasUsed":"${receipt.gasUsed}"`);
    });
  return Buffer.from(text);
}

/** The block of a transaction, with all of them. */
async function blockOf(hash: unknown, { request }: TraceParts): Promise<unknown> {
  const { blockHash } = objectOf(await request("eth_getTransactionByHash", [hash]));
  return typeof blockHash === "string" ? request("eth_getBlockByHash", [blockHash, true]) : undefined;
}

async function minedIn({ hash, number, transactions }: BlockJson, only: unknown, parts: TraceParts): Promise<readonly Mined[]> {
  const receipts = (await parts.request("eth_getBlockReceipts", [hash])) as readonly Mined["receipt"][];
  const added = await parts.addedGas(BigInt(number));
  const mined = (transactions as unknown as readonly Mined[]).map((transaction, index) => {
    return { ...transaction, receipt: receipts[index]!, unused: added.get(index) ?? 0n };
  });
  return only === undefined ? mined : mined.filter((transaction) => transaction.hash === String(only).toLowerCase());
}

function isBlock(value: unknown): value is BlockJson {
  return typeof value === "object" && value !== null;
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function refusal(method: string, code: number, message: string): EvmRequestError {
  return new EvmRequestError(method, { code, message });
}
