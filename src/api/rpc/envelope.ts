/** The JSON-RPC envelope of a request, decoded as the node does (rpc-platform 1.4–1.5). */

import { foldName, JsonError, type JsonKind, JsonToken } from "../../base/json/go-decode.ts";
import { INVALID_REQUEST, PARSE_ERROR } from "./errors.ts";

export interface RequestEnvelope {
  version: string;
  method: string;
  /** undefined if absent or `null` */
  params: JsonToken | undefined;
  /** undefined if absent or `null`: a notification */
  id: JsonToken | undefined;
  /** why the envelope is invalid; the members above hold what could be decoded */
  error?: { code: typeof PARSE_ERROR | typeof INVALID_REQUEST; message: string };
}

/**
 * Decodes the first JSON value of a body (latin1), in pieces. Throws only LimitError. @param maxValues members and elements that the body
 * may have
 */
export function* envelopeSteps(body: string, maxValues: number): Generator<void, RequestEnvelope> {
  const envelope: RequestEnvelope = { version: "", method: "", params: undefined, id: undefined };
  try {
    const token = yield* JsonToken.firstSteps(body, maxValues);
    const { kind } = token;
    if (kind === "object") yield* token.memberSteps((name, value) => readMember(name, value, envelope));
    else if (kind !== "null") throw new JsonError(`json: cannot unmarshal ${kind} into Go value of type json2.serverRequest`);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    envelope.error = { code: PARSE_ERROR, message: error.message };
  }
  if (envelope.error === undefined && envelope.version !== "2.0") {
    envelope.error = { code: INVALID_REQUEST, message: "jsonrpc must be 2.0" };
  }
  return envelope;
}

function readMember(name: string, value: JsonToken, envelope: RequestEnvelope): void {
  switch (memberOf(name)) {
    case "jsonrpc":
      envelope.version = readText("jsonrpc", value, envelope.version, envelope);
      break;
    case "method":
      envelope.method = readText("method", value, envelope.method, envelope);
      break;
    case "params":
      envelope.params = presentOrUndefined(value);
      break;
    case "id":
      envelope.id = presentOrUndefined(value);
      break;
  }
}

function memberOf(name: string): string {
  return name === "jsonrpc" || name === "method" || name === "params" || name === "id" ? name : foldName(name).toLowerCase();
}

function presentOrUndefined(value: JsonToken): JsonToken | undefined {
  return value.kind === "null" ? undefined : value;
}

/** Like Go, keeps the first type error and goes on decoding. */
function readText(field: string, value: JsonToken, current: string, envelope: RequestEnvelope): string {
  const kind: JsonKind = value.kind;
  if (kind === "string") return value.text;
  if (kind !== "null") {
    const message = `json: cannot unmarshal ${kind} into Go struct field serverRequest.${field} of type string`;
    envelope.error ??= { code: PARSE_ERROR, message };
  }
  return current;
}
