/** The RPC path of an EVM chain. Without an EVM, every call is refused; GET and OPTIONS behave as on the node (rpc-avm-info-health 1.7). */

import type { HeightHeaders } from "../../api/state/committed-states.ts";
import { JsonError, JsonToken } from "../../base/json/go-decode.ts";
import { JsonWriter, stringJson } from "../../base/json/go-encode.ts";
import type { Limits } from "../../base/limits.ts";
import { echoed } from "../../base/text/go-text.ts";
import { LimitError, runInTurns, type Work } from "../../base/work/work.ts";
import { emptyResponse, errorResponse, type HttpResponse, type Pay } from "../../http/exchange.ts";
import { headerOf, type PageGuard, requireAllowedPage } from "../../http/origins.ts";
import type { Accept } from "../../http/upgrade.ts";
import type { Endpoint } from "../request-account.ts";

/** error codes of go-ethereum, as are the texts about batches */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const RESPONSE_TOO_LARGE = -32003;

const JSON_HEADERS = ["Content-Type", "application/json"] as const;

/** geth's text and media types. A page may send other types to any server without a preflight. */
const NOT_JSON = errorResponse(415, "invalid content type, only application/json is supported");
const JSON_TYPES: ReadonlySet<string> = new Set(["application/json", "application/json-rpc", "application/jsonrequest"]);
const PARAMETER = /^\s*[\w!#$&^.+-]+=(?:"[^"]*"|[\w!#$&^.+-]+)\s*$/;

export interface EvmAnswer {
  readonly body: Buffer;
  readonly heights: HeightHeaders;
}

/** The price of a call that does not reach an EVM. */
const LEAST_UNITS = 1;

interface EvmEndpointOptions {
  /** in metrics */
  readonly name: string;
  /** why calls are refused, as the end of a sentence, if there is no `answer` */
  readonly reason: string;
  /** answers a body, which is latin1; undefined if there is no EVM */
  readonly answer: ((body: string, pay: Pay, work: Work) => Promise<EvmAnswer>) | undefined;
  /** guards calls that change the network */
  readonly guard: PageGuard;
  readonly limits: Limits;
}

export function evmEndpoint({ name, reason, answer, guard, limits }: EvmEndpointOptions): Endpoint {
  return {
    name,
    leastUnits: LEAST_UNITS,
    async handle(request, _, account) {
      if (request.method === "GET") return emptyResponse(200);
      if (request.method === "OPTIONS") return emptyResponse(200, JSON_HEADERS);
      if (request.method !== "POST") return errorResponse(405, "method not allowed");
      if (!isJson(headerOf(request, "content-type"))) return NOT_JSON;
      const body = await request.readBody("evmBodyBytes");
      const pay: Pay = (units, calls) => {
        if (calls?.changeNetwork) requireAllowedPage(guard, request);
        return account?.pay(units);
      };
      if (answer === undefined) return jsonResponse(await refuseAll(body, { work: request.work, pay, limits, reason }));
      const { body: answered, heights } = await answer(body, pay, request.work);
      return { status: 200, headers: JSON_HEADERS, body: [answered], heights };
    },
  };
}

function isJson(contentType: string): boolean {
  const [type = "", ...parameters] = contentType.split(";");
  return JSON_TYPES.has(type.trim().toLowerCase()) && parameters.every((text) => text.trim() === "" || PARAMETER.test(text));
}

interface Refusing {
  readonly work: Work;
  readonly pay: Pay;
  readonly limits: Limits;
  readonly reason: string;
}

/** Refuses a single call, or each call of a batch. */
async function refuseAll(body: string, { work, pay, limits, reason }: Refusing): Promise<JsonWriter> {
  let token: JsonToken;
  try {
    token = await runInTurns(work, JsonToken.firstSteps(body, limits.jsonValues));
  } catch (error) {
    await pay(LEAST_UNITS);
    if (error instanceof JsonError) return written(errorText(undefined, PARSE_ERROR, "parse error"));
    if (error instanceof LimitError) return written(errorText(undefined, INVALID_REQUEST, error.message));
    throw error;
  }
  if (token.kind !== "array") {
    await pay(LEAST_UNITS);
    return written(await runInTurns(work, refusalSteps(token, reason)));
  }
  const calls = callsOf(token, limits.batchCalls + 1);
  await pay(LEAST_UNITS * calls.length);
  if (calls.length > limits.batchCalls)
    return written(`[${errorText((await runInTurns(work, callSteps(calls[0]!))).id, INVALID_REQUEST, "batch too large")}]`);
  return runInTurns(work, batchSteps(calls, limits, reason));
}

/** The first `most` calls of a batch. */
function callsOf(batch: JsonToken, most: number): JsonToken[] {
  const calls: JsonToken[] = [];
  for (let call = batch.firstElement(); call !== undefined && calls.length < most; call = batch.elementAfter(call)) calls.push(call);
  return calls;
}

/** Pauses after each call. */
function* batchSteps(calls: readonly JsonToken[], { batchAnswerBytes }: Limits, reason: string): Generator<void, JsonWriter> {
  const writer = new JsonWriter().raw("[");
  let bytes = 0;
  for (const [index, call] of calls.entries()) {
    const isTooLarge = bytes > batchAnswerBytes;
    const refusal = isTooLarge
      ? errorText((yield* callSteps(call)).id, RESPONSE_TOO_LARGE, "response too large")
      : yield* refusalSteps(call, reason);
    bytes += refusal.length;
    writer.raw(index === 0 ? "" : ",").rawBytes(refusal);
    yield;
  }
  return writer.raw("]");
}

/** Takes and returns latin1. */
function* refusalSteps(call: JsonToken, reason: string): Generator<void, string> {
  const { method, id } = yield* callSteps(call);
  if (method?.kind !== "string") return errorText(id, INVALID_REQUEST, "invalid request");
  return errorText(id, METHOD_NOT_FOUND, `the method ${echoed(method.text)} is not available: ${reason}`);
}

interface Call {
  readonly method: JsonToken | undefined;
  /** as it was sent; undefined if the call has no valid one */
  readonly id: string | undefined;
}

/** The last of several members with one name counts. */
function* callSteps(call: JsonToken): Generator<void, Call> {
  let method: JsonToken | undefined;
  let id: JsonToken | undefined;
  if (call.kind === "object") {
    yield* call.memberSteps((name, value) => {
      if (name === "method") method = value;
      else if (name === "id") id = value;
    });
  }
  return { method, id: isTextOrNumber(id) ? id.raw : undefined };
}

function isTextOrNumber(token: JsonToken | undefined): token is JsonToken {
  return token?.kind === "string" || token?.kind === "number";
}

/** Returns latin1. */
function errorText(id: string | undefined, code: number, message: string): string {
  const text = Buffer.from(stringJson(message)).toString("latin1");
  return `{"jsonrpc":"2.0","id":${id ?? "null"},"error":{"code":${code},"message":${text}}}`;
}

function written(latin1: string): JsonWriter {
  return new JsonWriter().rawBytes(latin1);
}

function jsonResponse(writer: JsonWriter): HttpResponse {
  return { status: 200, headers: JSON_HEADERS, body: writer.raw("\n").finish() };
}

/** An EVM chain as clients reach it. */
export interface EvmAccess {
  /** answers a body, which is latin1 */
  answer(body: string, pay: Pay, work: Work): Promise<Buffer>;
  /** accepts a WebSocket */
  readonly accept: Accept;
}
