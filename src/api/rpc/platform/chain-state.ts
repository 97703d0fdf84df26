/**
 * The P-chain's state of a request, and values derived from it. Derived values are kept under the ID of the last accepted block, which
 * identifies the state, so they outlive commits of other chains.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { BoundedCache, type CacheSpace } from "../../../base/collections/bounded-cache.ts";
import { RawJson } from "../../../base/json/go-encode.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { type Awaitable, andThen } from "../../../base/work/awaitable.ts";
import { SharedMaking } from "../../../base/work/work.ts";
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

export interface RenderedAnswer {
  readonly json: RawJson;
  /** Unix seconds between which the answer is valid; absent if it does not depend on the clock */
  readonly validity?: { readonly from: bigint; readonly until: bigint };
}

/** Derived from one state of the P-chain. */
interface Derived {
  readonly values: Map<string, unknown>;
  readonly making: SharedMaking;
  /** answers whose keys come from clients; the memory that they may take is bounded */
  readonly answers: BoundedCache<RenderedAnswer>;
  readonly makingAnswers: SharedMaking;
}

class DerivedOfStates {
  readonly #space: CacheSpace;
  readonly #byBlock = new Map<Id, Derived>();

  constructor(space: CacheSpace) {
    this.#space = space;
  }

  of({ lastAccepted }: ChainState): Derived {
    const known = this.#byBlock.get(lastAccepted);
    if (known !== undefined) return known;
    const answers = new BoundedCache<RenderedAnswer>(this.#space, ({ json }) => json.json.length);
    const made: Derived = { values: new Map(), making: new SharedMaking(), answers, makingAnswers: new SharedMaking() };
    this.#byBlock.set(lastAccepted, made);
    for (const [oldest, derived] of this.#byBlock) {
      if (this.#byBlock.size <= KEPT_STATES) break;
      this.#byBlock.delete(oldest);
      derived.answers.clear();
    }
    return made;
  }
}

/** A value made once per state of the P-chain. `name` is a constant and never comes from a client, so the number of names is bounded. */
export function perState<T>(state: ChainState, { kept, work }: RpcContext, name: string, make: () => Awaitable<T>): Awaitable<T> {
  const { values, making } = kept.of(DerivedOfStates).of(state);
  if (values.has(name)) return values.get(name) as T;
  return making.get(name, work, () =>
    andThen(make(), (value) => {
      values.set(name, value);
      return value;
    }),
  );
}

// Large answers, rendered once per state of the P-chain and kept as bytes.

/**
 * Returns the answer kept under `key`, or calls `make` once for all concurrent requests. `key` must name everything that the answer depends
 * on besides state and clock.
 */
export async function answerOnce(
  state: ChainState,
  context: RpcContext,
  key: string,
  make: () => Promise<RenderedAnswer>,
): Promise<RawJson> {
  const { kept, work } = context;
  const { clock } = context.beyondState();
  const { answers, makingAnswers } = kept.of(DerivedOfStates).of(state);
  const known = answers.get(key);
  if (known !== undefined && holdsAt(known, clock)) return known.json;
  const made = await makingAnswers.get(key, work, make);
  const answer = holdsAt(made, clock) ? made : await make();
  answers.set(key, answer);
  return answer.json;
}

function holdsAt({ validity }: RenderedAnswer, clock: bigint): boolean {
  return validity === undefined || (clock >= validity.from && clock < validity.until);
}

export function renderedBytes(text: string): RawJson {
  return new RawJson(Buffer.from(text, "utf8"));
}
