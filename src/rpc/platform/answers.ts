/** Large answers, rendered once per state of the P-chain and kept as bytes, up to a bound. */
import { BoundedCache } from "../bounded-cache.ts";
import { RawJson } from "../raw-json.ts";
import { type ChainState, perState } from "./chain-state.ts";

/** Per kept state of the chain and process. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface Answer {
  readonly json: RawJson;
  /** Unix seconds between which the answer holds; absent if it does not depend on the clock */
  readonly validity?: { readonly from: bigint; readonly until: bigint };
}

/** The answer under `key`, or the one that `make` gives. `key` must name everything the answer depends on besides state and clock. */
export async function answerOnce(state: ChainState, clock: bigint, key: string, make: () => Promise<Answer>): Promise<RawJson> {
  const answers = await perState(state, "answers", async () => new BoundedCache<Answer>(MAX_ANSWER_BYTES, ({ json }) => json.json.length));
  const kept = answers.get(key);
  if (kept !== undefined && holdsAt(kept, clock)) return kept.json;
  const answer = await make();
  answers.set(key, answer);
  return answer.json;
}

function holdsAt({ validity }: Answer, clock: bigint): boolean {
  return validity === undefined || (clock >= validity.from && clock < validity.until);
}

export function renderedBytes(text: string): RawJson {
  return new RawJson(Buffer.from(text, "utf8"));
}
