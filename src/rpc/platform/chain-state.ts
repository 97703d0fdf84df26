/**
 * The P-chain's state as a request sees it, and what is derived from it. The ID of the last accepted block names the whole state, so
 * derived values are kept under it: they outlive commits of other chains.
 */
import { platformChain } from "../../platform/tables.ts";
import type { Id } from "../../primitives/id.ts";
import type { TableValue } from "../../primitives/table.ts";
import type { RpcContext } from "../method.ts";

export type ChainState = TableValue<typeof platformChain>;

export async function chainState({ reader }: RpcContext): Promise<ChainState> {
  const state = await reader.get(platformChain, { slot: 0 });
  if (state === undefined) throw new Error("the store holds no P-chain: its genesis was not written");
  return state;
}

/** States that are kept: the last one, and its predecessor for requests that still run on it. */
const KEPT_STATES = 2;
const derived = new Map<Id, Map<string, Promise<unknown>>>();

/** A value made once per state of the P-chain. `name` is chosen by the code, never by a client: the number of names is bounded. */
export function perState<T>({ lastAccepted }: ChainState, name: string, make: () => Promise<T>): Promise<T> {
  let values = derived.get(lastAccepted);
  if (values === undefined) {
    values = new Map();
    derived.set(lastAccepted, values);
    for (const oldest of derived.keys()) {
      if (derived.size <= KEPT_STATES) break;
      derived.delete(oldest);
    }
  }
  const kept = values.get(name) as Promise<T> | undefined;
  if (kept !== undefined) return kept;
  const made = make();
  values.set(name, made);
  made.catch(() => values.delete(name));
  return made;
}
