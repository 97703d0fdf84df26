/** The C-chain's own RPC path. Without an EVM behind it, it says so; GET and OPTIONS are as the node's (measured 1.10). */
import { JsonWriter, stringJson } from "../rpc/go-json-encode.ts";
import type { JsonValue } from "../rpc/raw-json.ts";
import { RawJson } from "../rpc/raw-json.ts";
import type { HeightHeaders } from "./committed-states.ts";
import { type Endpoint, emptyResponse, errorResponse, type HttpResponse } from "./exchange.ts";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;

const JSON_HEADERS = ["Content-Type", "application/json"] as const;

export interface EvmAnswer {
  /** latin1 */
  readonly text: string;
  readonly heights: HeightHeaders;
}

/** @param answer to a body, which is latin1; by default that there is no EVM */
export function evmEndpoint(answer?: (body: string) => Promise<EvmAnswer>): Endpoint {
  return {
    name: "C/rpc",
    async handle(request) {
      if (request.method === "GET") return emptyResponse(200);
      if (request.method === "OPTIONS") return emptyResponse(200, JSON_HEADERS);
      if (request.method !== "POST") return errorResponse(405, "method not allowed");
      const body = await request.readBody();
      if (answer === undefined) return answerAll(Buffer.from(body, "latin1").toString());
      const { text, heights } = await answer(body);
      return { status: 200, headers: JSON_HEADERS, body: [Buffer.from(text, "latin1")], heights };
    },
  };
}

function answerAll(body: string): HttpResponse {
  let calls: unknown;
  try {
    calls = JSON.parse(body);
  } catch {
    return jsonResponse(errorObject(null, PARSE_ERROR, "parse error"));
  }
  return jsonResponse(Array.isArray(calls) ? calls.map(answerOne) : answerOne(calls));
}

function answerOne(call: unknown): JsonValue {
  const { id, method } = (typeof call === "object" && call !== null ? call : {}) as { id?: unknown; method?: unknown };
  if (typeof method !== "string") return errorObject(id, INVALID_REQUEST, "invalid request");
  return errorObject(id, METHOD_NOT_FOUND, `the method ${method} is not available: this node serves the C-chain without an EVM upstream`);
}

function errorObject(id: unknown, code: number, message: string): JsonValue {
  const echoed = typeof id === "string" || typeof id === "number" ? JSON.stringify(id) : "null";
  return new RawJson(`{"jsonrpc":"2.0","id":${echoed},"error":{"code":${code},"message":${stringJson(message)}}}`);
}

function jsonResponse(value: JsonValue): HttpResponse {
  return { status: 200, headers: JSON_HEADERS, body: new JsonWriter().value(value).raw("\n").finish() };
}
