/** Answers that a follower does not make but passes on from one of its nodes. */
import type { LiveFact } from "../../state/node-facts.ts";
import { RpcError } from "../errors.ts";
import type { RpcContext } from "../method.ts";

/** undefined: this server follows no node, and answers itself. Throws the node's error. */
export async function passedOn(name: LiveFact, context: RpcContext): Promise<unknown> {
  const beyond = context.beyondState();
  const fact = await beyond.live?.fact(name);
  if (fact === undefined) return undefined;
  beyond.passedFrom = fact.from;
  if ("refusal" in fact) throw new RpcError(fact.refusal);
  return fact.result;
}
