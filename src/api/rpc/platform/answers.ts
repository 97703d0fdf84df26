/** Large answers, rendered once per state of the P-chain and kept as bytes. */

import { RawJson } from "../../../base/json/raw-json.ts";
import type { RpcContext } from "../method.ts";
import { type Answer, answersOf, type ChainState } from "./chain-state.ts";

/**
 * Returns the answer kept under `key`, or calls `make` once for all concurrent requests. `key` must name everything that the answer depends
 * on besides state and clock.
 */
export async function answerOnce(
  state: ChainState,
  { clock, work }: RpcContext,
  key: string,
  make: () => Promise<Answer>,
): Promise<RawJson> {
  const { kept, making } = answersOf(state);
  const known = kept.get(key);
  if (known !== undefined && holdsAt(known, clock)) return known.json;
  const made = await making.get(key, work, make);
  const answer = holdsAt(made, clock) ? made : await make();
  kept.set(key, answer);
  return answer.json;
}

function holdsAt({ validity }: Answer, clock: bigint): boolean {
  return validity === undefined || (clock >= validity.from && clock < validity.until);
}

export function renderedBytes(text: string): RawJson {
  return new RawJson(Buffer.from(text, "utf8"));
}
