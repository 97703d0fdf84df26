/**
 * Answers one JSON-RPC request body. The order of checks, the texts and the shape of the answer are the node's (rpc-avm-info-health
 * 1.8–1.11). The server handles HTTP.
 */

import { FirnError } from "../../base/errors/errors.ts";
import { foldName, JsonError, type JsonKind, JsonToken } from "../../base/json/go-decode.ts";
import { compactJson, type JsonText, type JsonValue, JsonWriter, renderInTurns, stringJson } from "../../base/json/go-encode.ts";
import { DEFAULT_LIMITS, type Limits } from "../../base/limits.ts";
import { echoed, LONGEST_ECHO } from "../../base/text/go-text.ts";
import { type Awaitable, andThen, atOnce, later, type Steps } from "../../base/work/awaitable.ts";
import { LimitError, mapInTurns, RequestWork, runInTurns, type Work } from "../../base/work/work.ts";
import { outageOf } from "../../store/outage.ts";
import { INVALID_REQUEST, PARSE_ERROR, SERVER_ERROR } from "./errors.ts";
import type { Method, RpcContext } from "./method.ts";
import { listName } from "./params.ts";
import { paramSteps, type Service } from "./service.ts";

interface RpcAnswer {
  /** undefined for a notification, whose response is empty */
  readonly body: JsonText | undefined;
  /** whether a method ran, even if it failed */
  readonly wasInvoked: boolean;
  /** name of the method, if it exists */
  readonly method: string | undefined;
  readonly isError: boolean;
}

/** Gives a method its context. Called once per request that reaches a method. */
export type ContextSource = <T>(use: (context: RpcContext) => Awaitable<T>, method: Method) => Awaitable<T>;

export interface DispatcherOptions {
  readonly limits?: Limits;
  /** called with errors that are defects of the server */
  onDefect(error: unknown, method: string): void;
}

const INTERNAL_ERROR = "internal error: the server failed to answer; its log has the cause";

/** Called once the method is known ("" if there is none). If it throws, the error is the answer. */
type Admit = (method: string) => void | Promise<void>;

/** Answers at once if it waits for nothing. @param work of the request; the context from `withContext` must use its turns too */
export function answerRequest(
  ...request: [service: Service, body: string, withContext: ContextSource, options: DispatcherOptions, work?: RequestWork, admit?: Admit]
): Awaitable<RpcAnswer> {
  return atOnce(answerSteps(...request));
}

function* answerSteps(
  service: Service,
  body: string,
  withContext: ContextSource,
  options: DispatcherOptions,
  work = new RequestWork(),
  admit?: Admit,
): Steps<RpcAnswer> {
  const { limits = DEFAULT_LIMITS } = options;
  let envelope: RequestEnvelope;
  try {
    const read = runInTurns(work, envelopeSteps(body, limits.jsonValues));
    envelope = yield* later(read);
  } catch (error) {
    if (!(error instanceof LimitError)) throw error;
    return { body: limitBody(error), wasInvoked: false, method: undefined, isError: true };
  }
  const admitted = admit?.(envelope.method);
  if (admitted !== undefined) yield* later(admitted);
  if (envelope.error !== undefined) {
    const { code, message } = envelope.error;
    const body = yield* later(runInTurns(work, errorSteps(envelope, code, message, requestEcho(envelope))));
    return { body, wasInvoked: false, method: undefined, isError: true };
  }
  let method: string | undefined;
  let wasInvoked = false;
  try {
    const served = service.find(envelope.method);
    method = served.method.name;
    const read = runInTurns(work, paramSteps(served.params, envelope.params));
    const params = yield* later(read);
    wasInvoked = true;
    const result = yield* later(withContext((context) => resultOf(served.method, params, context), served.method));
    if (envelope.id === undefined) return { body: undefined, wasInvoked, method, isError: false };
    const writer = new JsonWriter().raw('{"jsonrpc":"2.0","result":');
    const written = writer.valueInTurns(result, work);
    if (written !== undefined) yield* later(written);
    const body = yield* later(runInTurns(work, endSteps(writer, envelope)));
    return { body, wasInvoked, method, isError: false };
  } catch (error) {
    // no method's error: the server answers for all
    if (outageOf(error) !== undefined) throw error;
    const message = textOf(error);
    if (message === undefined) options.onDefect(error, envelope.method);
    const body = yield* later(runInTurns(work, errorSteps(envelope, SERVER_ERROR, message ?? INTERNAL_ERROR, "null")));
    return { body, wasInvoked, method, isError: true };
  }
}

/** Answers a request that could not be decoded. */
function limitBody({ message }: LimitError): string {
  return `{"jsonrpc":"2.0","error":{"code":${SERVER_ERROR},"message":${stringJson(message)},"data":null},"id":null}\n`;
}

function resultOf(method: Method, params: object, context: RpcContext): Awaitable<JsonValue> {
  if (!method.isRenderedOncePerHeight) return method.handler(params, context);
  const name = nameOf(params, context.work);
  return typeof name === "string"
    ? renderedOnce(method, params, context, name)
    : name.then((long) => renderedOnce(method, params, context, long));
}

function renderedOnce(method: Method, params: object, context: RpcContext, paramsName: string): Awaitable<JsonValue> {
  const name = `answer ${method.name} ${context.chain.chainId} ${paramsName}`;
  return context.cached(name, () => andThen(method.handler(params, context), (result) => renderInTurns(result, context.work)));
}

/** Names params by their decoded values: blanks, order and unknown members make no difference. */
function nameOf(params: object, work: Work): string | Promise<string> {
  const long = Object.values(params).find((value) => Array.isArray(value) && value.length > LONG_LIST) as unknown[] | undefined;
  return long === undefined ? jsonOf(params) : nameOfLong(params, work);
}

/** More elements are not named in one piece. */
const LONG_LIST = 1024;

async function nameOfLong(params: object, work: Work): Promise<string> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(params)) {
    const isList = Array.isArray(value);
    members.push(`${name} ${isList ? await listName(work, await mapInTurns(work, value, jsonOf)) : jsonOf(value)}`);
  }
  return members.join();
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? `${member}` : member));
}

/** Firn's own errors are written for clients; rules and parsers use the node's words. Any other error is a defect. */
function textOf(error: unknown): string | undefined {
  return error instanceof FirnError ? error.message : undefined;
}

/** A notification gets an empty body, unless it could not be parsed. */
function* errorSteps(envelope: RequestEnvelope, code: number, message: string, data: string): Generator<void, JsonText | undefined> {
  if (envelope.id === undefined && code !== PARSE_ERROR) return undefined;
  const start = `{"jsonrpc":"2.0","error":{"code":${code},"message":${stringJson(message)},"data":`;
  return yield* endSteps(new JsonWriter().raw(start).rawBytes(data).raw("}"), envelope);
}

/** Writes the ID, which may be as long as the request, and the end. */
function* endSteps(writer: JsonWriter, { id }: RequestEnvelope): Generator<void, JsonText> {
  writer.raw(',"id":');
  if (id === undefined) writer.raw("null");
  else yield* writer.echoSteps(id.raw);
  return writer.raw("}\n").finish();
}

/** The decoded parts of an invalid request, as latin1; long parts are cut. */
function requestEcho(envelope: RequestEnvelope): string {
  const text = (value: string) => Buffer.from(stringJson(echoed(value))).toString("latin1");
  const token = (sent: JsonToken | undefined) => {
    if (sent === undefined) return "null";
    return sent.end - sent.start <= LONGEST_ECHO ? compactJson(sent.raw) : text("…");
  };
  const { version, method, params, id } = envelope;
  return `{"jsonrpc":${text(version)},"method":${text(method)},"params":${token(params)},"id":${token(id)}}`;
}

// The JSON-RPC envelope of a request, decoded as the node does (rpc-platform 1.4–1.5).

interface RequestEnvelope {
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
function* envelopeSteps(body: string, maxValues: number): Generator<void, RequestEnvelope> {
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
