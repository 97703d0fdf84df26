/**
 * Answers one JSON-RPC request body. The order of checks, the texts and the shape of the answer are the node's
 * (rpc-avm-info-health 1.8–1.11); HTTP is the server's business.
 */
import { FirnError } from "../primitives/errors.ts";
import { type RequestEnvelope, readEnvelope } from "./envelope.ts";
import { PARSE_ERROR, SERVER_ERROR } from "./errors.ts";
import { compactJson, type JsonText, JsonWriter, renderJson, stringJson } from "./go-json-encode.ts";
import type { Method, RpcContext } from "./method.ts";
import type { JsonValue } from "./raw-json.ts";
import { readParams, type Service } from "./service.ts";

export interface RpcAnswer {
  /** undefined for a notification: an empty body */
  readonly body: JsonText | undefined;
  /** a method ran, whether it succeeded or not */
  readonly wasInvoked: boolean;
  /** name of the method, if there is one of that name */
  readonly method: string | undefined;
  readonly isError: boolean;
}

/** Gives a method what it may use; called once per request that reaches a method. */
export type ContextSource = <T>(use: (context: RpcContext) => T | Promise<T>, method: Method) => Promise<T>;

export interface DispatcherOptions {
  /** told of errors that no method raised on purpose */
  onDefect(error: unknown, method: string): void;
}

const INTERNAL_ERROR = "internal error: the answer could not be made; the server's log says why";

export async function answerRequest(
  service: Service,
  body: string,
  withContext: ContextSource,
  options: DispatcherOptions,
): Promise<RpcAnswer> {
  const envelope = readEnvelope(body);
  if (envelope.error !== undefined) {
    const { code, message } = envelope.error;
    return { body: errorBody(envelope, code, message, requestEcho(envelope)), wasInvoked: false, method: undefined, isError: true };
  }
  let method: string | undefined;
  let wasInvoked = false;
  try {
    const served = service.find(envelope.method);
    method = served.method.name;
    const params = readParams(served.params, envelope.params);
    wasInvoked = true;
    const result = await withContext((context) => resultOf(served.method, params, envelope, context), served.method);
    if (envelope.id === undefined) return { body: undefined, wasInvoked, method, isError: false };
    const writer = new JsonWriter().raw('{"jsonrpc":"2.0","result":').value(result);
    return { body: writer.raw(',"id":').rawBytes(compactJson(envelope.id.raw)).raw("}\n").finish(), wasInvoked, method, isError: false };
  } catch (error) {
    const message = textOf(error);
    if (message === undefined) options.onDefect(error, envelope.method);
    const answer = errorBody(envelope, SERVER_ERROR, message ?? INTERNAL_ERROR, "null");
    return { body: answer, wasInvoked, method, isError: true };
  }
}

function resultOf(method: Method, params: object, envelope: RequestEnvelope, context: RpcContext): JsonValue | Promise<JsonValue> {
  if (!method.isRenderedOncePerHeight) return method.handler(params, context);
  const name = `answer ${method.name} ${context.chain.chainId} ${envelope.params?.raw ?? ""}`;
  return context.cached(name, async () => renderJson(await method.handler(params, context)));
}

/** Firn's own errors speak to clients: rules and parsers have the node's words. Anything else is a defect. */
function textOf(error: unknown): string | undefined {
  return error instanceof FirnError ? error.message : undefined;
}

/** A notification is answered with an empty body, unless it could not be parsed. */
function errorBody(envelope: RequestEnvelope, code: number, message: string, data: string): JsonText | undefined {
  if (envelope.id === undefined && code !== PARSE_ERROR) return undefined;
  return new JsonWriter()
    .raw(`{"jsonrpc":"2.0","error":{"code":${code},"message":${stringJson(message)},"data":`)
    .rawBytes(data)
    .raw('},"id":')
    .rawBytes(idText(envelope))
    .raw("}\n")
    .finish();
}

/** What was decoded of a faulty request, as latin1. */
function requestEcho(envelope: RequestEnvelope): string {
  const text = (value: string) => Buffer.from(stringJson(value)).toString("latin1");
  const params = envelope.params === undefined ? "null" : compactJson(envelope.params.raw);
  return `{"jsonrpc":${text(envelope.version)},"method":${text(envelope.method)},"params":${params},"id":${idText(envelope)}}`;
}

function idText(envelope: RequestEnvelope): string {
  return envelope.id === undefined ? "null" : compactJson(envelope.id.raw);
}
