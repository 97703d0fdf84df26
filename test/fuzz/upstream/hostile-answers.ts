/**
 * Hostile answers of a node, derived from correct ones. Each is invalid, or says the same in an unusual way. Undetectable lies (another
 * amount, a method reported as missing) are not included.
 */
import type { Exchange, Reply } from "../../evm/replay-rpc/spoiled-node.ts";
import type { Random } from "../mutate.ts";
import { sendRaw } from "./hostile-bodies.ts";
import { changeMember } from "./hostile-members.ts";

/** What stands in place of a whole result. */
const RESULTS: readonly unknown[] = [7, "x", "", true, [], {}, [null], [[]], [{}], null, "0x", -1, 1e300, { hash: null }];
/** Failures that a node may have for a moment; none says that it lacks a method or a state, which would be believed. */
const ERRORS: readonly unknown[] = [
  { code: -32000, message: "execution timeout" },
  { code: -32603, message: "internal error" },
  { code: -32005, message: "limit exceeded" },
  { code: -32000, message: "response is too large" },
  { code: -32000, message: "something went wrong" },
  { code: "seven", message: { toString: null } },
  { code: -32000, message: "x".repeat(300_000) },
  {},
  7,
  "broken",
  [[]],
];

/** False: there is nothing of this kind in the message. */
type Change = (replies: Reply[], exchange: Exchange, random: Random) => boolean;

const CHANGES: Readonly<Record<string, Change>> = {
  member: (replies, { calls }, random) => changeMember(calls, replies, random),
  result(replies, _, random) {
    random.of(replies).result = random.of(RESULTS);
    return true;
  },
  error(replies, _, random) {
    const reply = random.of(replies);
    delete reply.result;
    reply.error = random.of(ERRORS) as never;
    return true;
  },
  "other id"(replies, _, random) {
    random.of(replies).id = random.of([null, undefined, -1, 1e300, 0.5, "x", {}, [], 2 ** 60, "9".repeat(400)]);
    return true;
  },
  "two of one id"(replies) {
    replies.push({ ...replies[0]! });
    return replies.length > 2;
  },
  "swapped ids"(replies, { calls }, random) {
    const [a, b] = [random.below(replies.length), random.below(replies.length)];
    const [first, second] = [replies[a]!, replies[b]!];
    [first.id, second.id] = [second.id, first.id];
    return calls[a]!.method !== calls[b]!.method || JSON.stringify(calls[a]!.params) !== JSON.stringify(calls[b]!.params);
  },
  "missing reply"(replies, _, random) {
    if (replies.length < 2) return false;
    replies.splice(random.below(replies.length), 1 + random.below(replies.length));
    return true;
  },
  "neither result nor error"(replies, _, random) {
    delete random.of(replies).result;
    return true;
  },
  "odd order, ids as texts"(replies) {
    replies.reverse();
    for (const reply of replies) reply.id = `${reply.id}`;
    return true;
  },
};

const KINDS = Object.keys(CHANGES);

/**
 * Spoils the answer to a message; tells of which kind it is, or undefined if it was left as it is. The body is sent if `isSent`; it may never
 * end, so nobody waits for it.
 */
export function makeHostile(exchange: Exchange, random: Random): { readonly kind: string; readonly isSent: boolean } | undefined {
  // what a node refuses about failed creations is believed: their addresses stay unknown
  const isBelieved = exchange.calls.some(
    ({ method, params }) =>
      method === "eth_getTransactionCount" ||
      (method === "debug_traceTransaction" && (params[1] as { tracer?: string }).tracer !== "callTracer"),
  );
  if (isBelieved || random.below(3) === 0) return { kind: sendRaw(exchange, random, { isLost: isBelieved }), isSent: true };
  const changed = exchange.replies.map((reply) => structuredClone(reply));
  const kind = random.below(2) === 0 ? "member" : random.of(KINDS);
  if (!CHANGES[kind]!(changed, exchange, random)) return undefined;
  exchange.replies.splice(0, exchange.replies.length, ...changed);
  return { kind, isSent: false };
}
