/**
 * Stands between clients and a chain's EVM: answers methods that nodes have and the EVM lacks, refuses those that would make the EVM
 * diverge from the network, and forwards every other call unchanged. Bodies are latin1, one character per byte, as in requests.
 */

import { FirnError } from "../../base/errors/errors.ts";
import { JsonError, JsonToken } from "../../base/json/go-decode.ts";
import { type JsonValue, renderedText } from "../../base/json/go-encode.ts";
import type { Limits } from "../../base/limits.ts";
import { LimitError, runInTurns, UNLIMITED_WORK, type Work } from "../../base/work/work.ts";
import { type EvmCall, errorAnswer, rewritten } from "../../devnet/anvil/evm-call.ts";
import { EvmRequestError, RESPONSE_TOO_LARGE, TIMED_OUT } from "../../devnet/anvil/evm-error.ts";
import type { ChainWarp } from "../../devnet/warp/chain-warp.ts";
import type { Pay } from "../../http/exchange.ts";
import { accountsOf, type DevnetOfTests } from "./cheats/cheat-method.ts";
import { cheatMethods } from "./cheats/cheat-methods.ts";
import { type CorethParts, corethMethods } from "./coreth-methods.ts";
import { LogFilters, PolledFilters } from "./log-filters.ts";
import { isPassed, isUnknownMethod, unknownMethod } from "./passed-methods.ts";
import { priceOfCalls } from "./prices.ts";
import { sendUnsigned, TransactionSender } from "./send-transaction.ts";
import { subnetEvmMethods } from "./subnet-evm-methods.ts";
import { warpMethods } from "./warp-methods.ts";

// IDs of calls that the EVM would refuse or write otherwise: geth takes any JSON that is no object and no array, and sends it back as it came.

/** What the EVM sends back as it came. */
const PLAIN = /^(?:0|[1-9]\d{0,14}|"[ !#-[\]-~]{0,256}")$/;
const OURS = "1";
const HEAD = `{"jsonrpc":"2.0","id":${OURS},`;

/** Whether geth takes the ID. @param id JSON */
function isValidId(id: string): boolean {
  return !/^[[{]/.test(id);
}

/** The call under an ID of Firn's own, if its ID is not plain. */
function withPlainId(call: EvmCall): EvmCall {
  if (call.id === undefined || PLAIN.test(call.id)) return call;
  let params = "";
  const token = JsonToken.first(Buffer.from(call.raw).toString("latin1"));
  token.members((name, value) => {
    if (name === "params") params = `,"params":${Buffer.from(value.raw, "latin1").toString()}`;
  });
  return { ...call, id: OURS, raw: `${HEAD}"method":${JSON.stringify(call.method)}${params}}` };
}

/** @param answer to the call that `withPlainId` made of this one */
function withClientsId(answer: Buffer, { id }: EvmCall): Buffer {
  if (id === undefined || PLAIN.test(id) || !answer.subarray(0, HEAD.length).equals(Buffer.from(HEAD))) return answer;
  return Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},`), answer.subarray(HEAD.length)]);
}

// `eth_getHeaderByNumber` and `eth_getHeaderByHash`, which coreth has and a development EVM lacks: a block without what is not its header.

const BLOCK_METHODS: ReadonlyMap<string, string> = new Map([
  ["eth_getHeaderByNumber", "eth_getBlockByNumber"],
  ["eth_getHeaderByHash", "eth_getBlockByHash"],
]);
const NOT_OF_HEADERS = ["blockExtraData", "size", "transactions", "uncles", "withdrawals"];

/** The call for the block whose header is asked for; undefined: no header is. */
function blockCallFor({ raw, method, id }: EvmCall): EvmCall | undefined {
  const blockMethod = BLOCK_METHODS.get(method ?? "");
  if (blockMethod === undefined) return undefined;
  const { params } = JSON.parse(raw) as { readonly params?: unknown };
  const [block] = Array.isArray(params) ? (params as unknown[]) : [];
  const asked = [...(block === undefined ? [] : [block]), false];
  return { raw: rewritten({ method: blockMethod, id }, asked), method: blockMethod, id };
}

/** @param answer to the call for the block; unchanged without one */
function headerAnswer(answer: Buffer, { id }: EvmCall): Buffer {
  const { result } = (answer.length === 0 ? {} : JSON.parse(answer.toString())) as { readonly result?: Record<string, unknown> | null };
  if (result === undefined || result === null) return answer;
  const header = Object.fromEntries(Object.entries(result).filter(([name]) => !NOT_OF_HEADERS.includes(name)));
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(header)}}`);
}

/** Namespaces that only read, except for the methods named below. */
const READING = /^(?:eth|net|web3|txpool|debug|trace|ots|erigon|warp)_/;
const CHANGING = /^(?:eth_(?:send|sign|resend|submit)|debug_(?:clear|set|free))/;

/** Decides which calls to the C-chain's EVM only read. All others count as changes, because an unknown method might be one. */
function changesNetwork(calls: readonly { readonly method: string | undefined }[]): boolean {
  return calls.some(({ method }) => method !== undefined && (!READING.test(method) || CHANGING.test(method)));
}

const SERVER_ERROR = -32_000;
/** geth's errors about a body as a whole */
const PARSE_ERROR = { code: -32_700, message: "parse error" };
const INVALID_REQUEST = { code: -32_600, message: "invalid request" };
const EMPTY_BATCH = { code: -32_600, message: "empty batch" };
const BATCH_TOO_LARGE = { code: -32_600, message: "batch too large" };
const NOTHING = Buffer.alloc(0);
/** about a filter whose range ends before it begins */
const INVERTED = { saevm: "invalid block range params", coreth: "invalid from and to block combination: from > to" };

interface GatewayParts extends CorethParts {
  readonly limits: Limits;
  /** what tests do to the network; undefined: they cannot */
  readonly development?: DevnetOfTests;
  /** undefined: the chain sends no warp messages */
  readonly warp?: ChainWarp;
  /** called with errors that are Firn's own fault */
  onDefect(error: unknown, method: string): void;
}

export class EvmGateway {
  readonly #parts: GatewayParts;
  readonly #sender: TransactionSender;
  readonly filters: LogFilters;
  readonly #polled: PolledFilters;

  constructor(parts: GatewayParts) {
    const { evm, development } = parts;
    this.#parts = parts;
    this.filters = new LogFilters(parts.limits);
    const rangeProblem = () => (evm.spec.isSaevmAt(parts.clock()) ? INVERTED.saevm : INVERTED.coreth);
    this.#polled = new PolledFilters({ request: (method, params) => evm.request(method, params), rangeProblem }, this.filters);
    this.#sender = new TransactionSender({
      evm,
      wayOf: (sender) =>
        development?.keyRing.wayOf(sender, evm) ??
        (development?.evmControls.impersonates(sender) === true ? sendUnsigned(evm, sender) : undefined),
    });
  }

  /**
   * Returns an empty buffer if there is nothing to answer. Throws if `pay` throws or rejects, that is, if the calls may not be answered.
   */
  async answer(body: string, pay: Pay, work: Work = UNLIMITED_WORK): Promise<Buffer> {
    return this.answerCalls(await this.read(body, work), pay, work);
  }

  /** Returns undefined if the body is not JSON. @param body latin1; the returned calls are not */
  read(body: string, work: Work): Calls | undefined | Promise<Calls | undefined> {
    return runInTurns(work, callSteps(body, this.#parts.limits));
  }

  async answerCalls(calls: Calls | undefined, pay: Pay, work: Work): Promise<Buffer> {
    await pay(priceOfCalls(calls?.list), { changeNetwork: changesNetwork(calls?.list ?? []) });
    if (calls === undefined) return Buffer.from(errorAnswer({ id: "null" }, PARSE_ERROR));
    if (calls.refusal !== undefined) return Buffer.from(errorAnswer({ id: "null" }, calls.refusal));
    if (!calls.isBatch) return this.#answerCall(calls.list[0]!, work);
    if (calls.list.length === 0) return Buffer.from(errorAnswer({ id: "null" }, EMPTY_BATCH));
    if (calls.list.length <= this.#parts.limits.batchCalls) return this.#answerBatch(calls.list, work);
    const first = calls.list.find(({ id }) => id !== undefined);
    return Buffer.from(`[${errorAnswer({ id: first?.id ?? "null" }, BATCH_TOO_LARGE)}]`);
  }

  /** The whole answer to one call. */
  async #answerCall(call: EvmCall, { client }: Work): Promise<Buffer> {
    const { id = "null", method } = call;
    if (!isValidId(id)) return Buffer.from(errorAnswer({ id: "null" }, INVALID_REQUEST));
    if (method === undefined) return Buffer.from(errorAnswer({ id }, INVALID_REQUEST));
    try {
      const own = this.#own(call, method, client);
      if (own === undefined) {
        if (!isPassed(method)) return Buffer.from(errorAnswer(call, unknownMethod(method)));
        const problem = this.filters.refusal(call);
        if (problem !== undefined) return Buffer.from(errorAnswer(call, { code: SERVER_ERROR, message: problem }));
        const polled = this.#polled.answerTo(method, () => paramsOf(call));
        if (polled !== undefined) return resultOf(call, await polled());
        const blockCall = blockCallFor(call);
        const answer = withClientsId(await this.#parts.evm.forward(withPlainId(blockCall ?? call), client), call);
        if (blockCall !== undefined) return headerAnswer(answer, call);
        this.filters.answered(call, answer);
        return isUnknownMethod(answer) ? Buffer.from(errorAnswer(call, unknownMethod(method))) : answer;
      }
      return resultOf(call, await own());
    } catch (error) {
      const { rpcCode: code, data } = error instanceof EvmRequestError ? error : { rpcCode: SERVER_ERROR };
      return Buffer.from(errorAnswer(call, { code, message: this.#message(error, method), data }));
    }
  }

  /** How Firn itself answers the call; undefined: the EVM does. */
  #own(call: EvmCall, method: string, client: object | undefined): (() => Promise<JsonValue>) | undefined {
    const ofNode = (this.#parts.evm.spec.l1 === undefined ? corethMethods : subnetEvmMethods).get(method);
    if (ofNode !== undefined) return async () => ofNode(this.#parts, paramsOf(call), client);
    const { development, evm, warp } = this.#parts;
    const ofWarp = warpMethods.get(method);
    if (ofWarp !== undefined && warp !== undefined) return () => ofWarp(warp, paramsOf(call));
    if (method === "eth_sendTransaction") return () => this.#sender.send(paramsOf(call), client);
    if (development === undefined) return undefined;
    if (method === "eth_accounts") return async () => accountsOf(development);
    if (method === "eth_sign") return () => development.keyRing.signMessage(paramsOf(call));
    if (method === "eth_signTypedData_v4") return () => development.keyRing.signTypedData(paramsOf(call));
    // without asking whether somebody impersonates the sender
    if (method === "eth_sendUnsignedTransaction")
      return () => this.#sender.send(paramsOf(call), client, (sender) => sendUnsigned(evm, sender));
    const cheat = cheatMethods.get(method);
    return cheat && (() => cheat(development, paramsOf(call)));
  }

  /** Answers one call after the other, as geth does; once the limit on bytes or time is exceeded, the rest is refused with geth's texts. */
  async #answerBatch(calls: readonly EvmCall[], work: Work): Promise<Buffer> {
    const { batchAnswerBytes, requestSeconds } = this.#parts.limits;
    const deadline = performance.now() + requestSeconds * 1000;
    const answers: Buffer[] = [];
    let bytes = 0;
    let refusal: typeof TIMED_OUT | undefined;
    for (const call of calls) {
      refusal ??= performance.now() > deadline ? TIMED_OUT : undefined;
      const answer = refusal === undefined ? await this.#answerCall(call, work) : Buffer.from(errorAnswer(call, refusal));
      bytes += answer.length;
      answers.push(answer);
      if (bytes > batchAnswerBytes) refusal ??= RESPONSE_TOO_LARGE;
      refusal ??= await outOfTime(work);
    }
    return joinedBatch(answers);
  }

  #message(error: unknown, method: string): string {
    if (error instanceof FirnError) return error.message;
    this.#parts.onDefect(error, method);
    return "internal error: the network failed to answer; its log has the cause";
  }
}

function resultOf({ id }: EvmCall, result: JsonValue): Buffer {
  return id === undefined ? NOTHING : Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":${renderedText(result)}}`);
}

const [OPEN, COMMA, CLOSE] = [Buffer.from("["), Buffer.from(","), Buffer.from("]")];

/** Returns an empty buffer if all calls are notifications. */
export function joinedBatch(answers: readonly Buffer[]): Buffer {
  const wanted = answers.filter(({ length }) => length > 0).flatMap((answer) => [COMMA, answer]);
  return wanted.length === 0 ? NOTHING : Buffer.concat([OPEN, ...wanted.slice(1), CLOSE]);
}

/** Takes a turn for the next call; returns the refusal if the request's time is up. */
async function outOfTime(work: Work): Promise<typeof TIMED_OUT | undefined> {
  try {
    await work.turn();
    return undefined;
  } catch (error) {
    if (error instanceof LimitError && error.facts.limit === "requestSeconds") return TIMED_OUT;
    throw error;
  }
}

function paramsOf({ raw }: EvmCall): readonly unknown[] {
  const { params } = JSON.parse(raw) as { readonly params?: unknown };
  return Array.isArray(params) ? (params as unknown[]) : [];
}

export interface Calls {
  /** the calls; if the batch is too large, only the first ones, one more than the limit */
  readonly list: readonly EvmCall[];
  readonly isBatch: boolean;
  /** refusal of the body as a whole, which is then not read */
  readonly refusal?: { readonly code: number; readonly message: string };
}

type CallLimits = Pick<Limits, "jsonValues" | "batchCalls">;

/** Reads the body in pieces. */
function* callSteps(body: string, { jsonValues, batchCalls }: CallLimits): Generator<void, Calls | undefined> {
  try {
    const token = yield* JsonToken.firstSteps(body, jsonValues);
    if (token.kind !== "array") return { list: [yield* oneCallSteps(token)], isBatch: false };
    const list: EvmCall[] = [];
    // A body of five megabytes of nulls must be found too large before each null becomes a call
    for (let call = token.firstElement(); call !== undefined && list.length <= batchCalls; call = token.elementAfter(call)) {
      list.push(yield* oneCallSteps(call));
      yield;
    }
    return { list, isBatch: true };
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    if (error instanceof LimitError) return { list: [], isBatch: true, refusal: { ...INVALID_REQUEST, message: error.message } };
    throw error;
  }
}

function* oneCallSteps(token: JsonToken): Generator<void, EvmCall> {
  let method: string | undefined;
  let id: string | undefined;
  if (token.kind === "object") {
    yield* token.memberSteps((name, value) => {
      if (name === "method") method = value.kind === "string" ? value.text : undefined;
      else if (name === "id") id = utf8(value.raw);
    });
  }
  return { raw: utf8(token.raw), method, id };
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString();
}
