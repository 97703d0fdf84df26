/** One message of calls to a node, and its answer taken apart. */

import type { RpcCall, RpcOutcome } from "./evm-rpc.ts";
import { EvmRpcError } from "./evm-rpc-error.ts";
import { failureOf } from "./failure-of.ts";

export interface Message {
  readonly calls: readonly RpcCall[];
  readonly firstId: number;
  readonly body: string;
}

/** A single call goes without the brackets of a batch: not every node takes batches. */
export function encodeMessage(calls: readonly RpcCall[], firstId: number): Message {
  const parts = calls.map(({ method, params }, index) => JSON.stringify({ jsonrpc: "2.0", id: firstId + index, method, params }));
  return { calls, firstId, body: parts.length === 1 ? parts[0]! : `[${parts.join(",")}]` };
}

interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } | null;
}

/** Outcomes in the order of the calls. Throws an EvmRpcError where the whole message got one. */
export function decodeReplies(message: Message, answer: unknown): RpcOutcome[] {
  const replies = (Array.isArray(answer) ? answer : [answer]).filter(isObject) as Reply[];
  const isRefusedWhole = message.calls.length > 1 && !Array.isArray(answer) && replies[0]?.error != null;
  if (isRefusedWhole) throw errorOf(replies[0]!, undefined, { isBatch: true });
  const byId = new Map(replies.map((reply) => [Number(reply.id), reply]));
  return message.calls.map(({ method }, index): RpcOutcome => {
    const reply = byId.get(message.firstId + index);
    if (reply === undefined)
      return { error: new EvmRpcError("malformed", `the node gave no answer to ${method}, but one to another question`) };
    if (reply.error != null) return { error: errorOf(reply, method, { isBatch: message.calls.length > 1 }) };
    if (reply.result === undefined)
      return { error: new EvmRpcError("malformed", `the node's answer to ${method} has neither a result nor an error`) };
    return { result: reply.result };
  });
}

export function isJsonRpcError(answer: unknown): boolean {
  return isObject(answer) && isObject((answer as Reply).error);
}

function errorOf({ error }: Reply, method: string | undefined, { isBatch }: { isBatch: boolean }): EvmRpcError {
  const text = typeof error?.message === "string" ? error.message : JSON.stringify(error ?? null);
  const rpcCode = typeof error?.code === "number" ? error.code : undefined;
  const failure = failureOf(rpcCode, text, method, { isBatch });
  return new EvmRpcError(failure, `${method ?? "a batch"}: ${text.slice(0, 500)}`, {
    rpcCode,
    data: error?.data,
    facts: { method, rpcCode },
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
