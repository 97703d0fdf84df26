/**
 * The P-chain's state of a request, and values derived from it. Derived values are kept under the ID of the last accepted block, which
 * identifies the state, so they outlive commits of other chains.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { BoundedCache } from "../../../base/collections/bounded-cache.ts";
import { RawJson } from "../../../base/json/go-encode.ts";
import { keptAnswers } from "../../../base/kept-answers.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { type RequestWork, SharedMaking } from "../../../base/work/work.ts";
import { platformChain } from "../../../chains/platform/tables.ts";
import type { RpcContext } from "../method.ts";

export type ChainState = TableValue<typeof platformChain>;

export async function chainState({ reader }: RpcContext): Promise<ChainState> {
  const state = await reader.get(platformChain, { slot: 0 });
  if (state === undefined) throw new Error("the store has no P-chain: its genesis was not written");
  return state;
}

/** Number of states whose values are kept: the last one, and its predecessor for requests that still run on it. */
const KEPT_STATES = 2;
const derived = new Map<Id, Derived>();

interface Derived {
  readonly values: Map<string, unknown>;
  readonly making: SharedMaking;
  readonly answers: Answers;
}

export interface RenderedAnswer {
  readonly json: RawJson;
  /** Unix seconds between which the answer is valid; absent if it does not depend on the clock */
  readonly validity?: { readonly from: bigint; readonly until: bigint };
}

interface Answers {
  readonly kept: BoundedCache<RenderedAnswer>;
  readonly making: SharedMaking;
}

/** A value made once per state of the P-chain. `name` is a constant and never comes from a client, so the number of names is bounded. */
export function perState<T>(state: ChainState, name: string, work: RequestWork, make: () => Promise<T>): Promise<T> {
  const { values, making } = derivedOf(state);
  if (values.has(name)) return Promise.resolve(values.get(name) as T);
  return making.get(name, work, async () => {
    const value = await make();
    values.set(name, value);
    return value;
  });
}

/** Answers whose keys come from clients; the memory that they may take is bounded. */
export function answersOf(state: ChainState): Answers {
  return derivedOf(state).answers;
}

function derivedOf({ lastAccepted }: ChainState): Derived {
  const known = derived.get(lastAccepted);
  if (known !== undefined) return known;
  const kept = new BoundedCache<RenderedAnswer>(keptAnswers, ({ json }) => json.json.length);
  const made: Derived = { values: new Map(), making: new SharedMaking(), answers: { kept, making: new SharedMaking() } };
  derived.set(lastAccepted, made);
  for (const [oldest, { answers }] of derived) {
    if (derived.size <= KEPT_STATES) break;
    derived.delete(oldest);
    answers.kept.clear();
  }
  return made;
}

// Large answers, rendered once per state of the P-chain and kept as bytes.

/**
 * Returns the answer kept under `key`, or calls `make` once for all concurrent requests. `key` must name everything that the answer depends
 * on besides state and clock.
 */
export async function answerOnce(
  state: ChainState,
  { clock, work }: RpcContext,
  key: string,
  make: () => Promise<RenderedAnswer>,
): Promise<RawJson> {
  const { kept, making } = answersOf(state);
  const known = kept.get(key);
  if (known !== undefined && holdsAt(known, clock)) return known.json;
  const made = await making.get(key, work, make);
  const answer = holdsAt(made, clock) ? made : await make();
  kept.set(key, answer);
  return answer.json;
}

function holdsAt({ validity }: RenderedAnswer, clock: bigint): boolean {
  return validity === undefined || (clock >= validity.from && clock < validity.until);
}

export function renderedBytes(text: string): RawJson {
  return new RawJson(Buffer.from(text, "utf8"));
}
