/** Encodes calls as one message to a node, and decodes its answer. */

import { JsonError } from "../../base/json/json-events.ts";
import type { ArrivedAnswer, Message } from "./transport.ts";
import { failureOf, UpstreamError } from "./upstream-error.ts";
import type { MessageDecoder, RpcCall, RpcOutcome } from "./upstream-rpc.ts";

/** A single call is sent without the brackets of a batch, since some nodes refuse batches. */
export function encodeMessage(calls: readonly RpcCall[], firstId: number): Message {
  const parts = calls.map(({ method, params }, index) => JSON.stringify({ jsonrpc: "2.0", id: firstId + index, method, params }));
  return { calls, firstId, body: parts.length === 1 ? parts[0]! : `[${parts.join(",")}]`, path: calls[0]?.path ?? "" };
}

/** Name of the message for people. */
export function nameOf({ calls }: Message): string {
  return calls.length === 1 ? calls[0]!.method : `a batch of ${calls.length} calls`;
}

/** The call with this ID. Without an ID, the only call of the message. */
export function callOf({ calls, firstId }: Message, id: unknown): RpcCall | undefined {
  return id === undefined && calls.length === 1 ? calls[0] : calls[(idOf(id) ?? -1) - firstId];
}

export interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } | null;
  /** why the result could not be read; never sent by the node */
  readonly failure?: unknown;
}

/**
 * Decodes an answer, and releases it: as a whole by the decoder, if there is one that takes it, or else reply by reply.
 * @param onRead called when it was read, whatever it says
 */
export async function decodeAnswer(
  message: Message,
  arrived: ArrivedAnswer,
  decoder?: MessageDecoder,
  onRead?: () => void,
): Promise<RpcOutcome[]> {
  try {
    const { calls, firstId } = message;
    const text = decoder === undefined ? undefined : arrived.shared();
    const results = text === undefined ? undefined : await decoder!({ calls, firstId, body: text });
    const answer = results === undefined ? arrived.read() : undefined;
    onRead?.();
    return results?.map((result) => ({ result })) ?? decodeReplies(message, answer);
  } finally {
    arrived.release();
  }
}

/** Returns outcomes in the order of the calls. Throws an UpstreamError if the node answered the whole message with one error. */
function decodeReplies(message: Message, answer: unknown): RpcOutcome[] {
  const replies = (Array.isArray(answer) ? answer : [answer]).filter(isObject) as Reply[];
  const isRefusedWhole = message.calls.length > 1 && !Array.isArray(answer) && replies[0]?.error != null;
  if (isRefusedWhole) throw errorOf(replies[0]!, undefined, { isBatch: true });
  const byId = new Map<number, Reply | "twice">();
  for (const reply of replies) {
    const id = idOf(reply.id);
    if (id !== undefined) byId.set(id, byId.has(id) ? "twice" : reply);
  }
  return message.calls.map(({ method }, index): RpcOutcome => {
    const reply = byId.get(message.firstId + index);
    if (reply === undefined) return { error: malformed(`the node answered another call instead of ${method}`) };
    if (reply === "twice") return { error: malformed(`the node answered ${method} twice`) };
    if (reply.failure instanceof Error) return { error: failureOfReading(reply.failure, method) };
    if (reply.error != null) return { error: errorOf(reply, method, { isBatch: message.calls.length > 1 }) };
    if (reply.result === undefined) return { error: malformed(`the node's answer to ${method} has neither a result nor an error`) };
    return { result: reply.result };
  });
}

/** Some nodes return the ID as a text. */
export function idOf(id: unknown): number | undefined {
  const number = typeof id === "number" || typeof id === "string" ? Number(id) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The error for what a reader of the answer threw. @param of the call, for people */
export function failureOfReading(error: Error, of: string): UpstreamError {
  const isTooLarge = error instanceof JsonError && error.isTooLarge;
  return new UpstreamError(isTooLarge ? "too-large" : "malformed", `the node's answer to ${of} cannot be read: ${error.message}`, {
    cause: error,
  });
}

function malformed(message: string): UpstreamError {
  return new UpstreamError("malformed", message);
}

export function isJsonRpcError(answer: unknown): boolean {
  return isObject(answer) && isObject((answer as Reply).error);
}

function errorOf({ error }: Reply, method: string | undefined, { isBatch }: { isBatch: boolean }): UpstreamError {
  // the error is not printed, since it may have any size and depth
  const text = typeof error?.message === "string" ? error.message : "an error without a message";
  const rpcCode = typeof error?.code === "number" ? error.code : undefined;
  const failure = failureOf(rpcCode, text, method, { isBatch });
  return new UpstreamError(failure, `${method ?? "a batch"}: ${text.slice(0, 500)}`, {
    rpcCode,
    data: error?.data,
    nodeText: text.slice(0, LONGEST_NODE_TEXT),
    facts: { method, rpcCode },
  });
}

/** characters */
const LONGEST_NODE_TEXT = 4096;

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
