/**
 * Keeps the filters of a chain that are polled, and counts what they and the EVM's subscriptions have: addresses and topics. Each of these may
 * have thousands, in few bytes.
 */

import type { Limits } from "../../base/limits.ts";
import type { EvmCall } from "../../devnet/anvil/evm-call.ts";
import type { PolledFilter } from "./polled-filters.ts";

/** of the node (graft/evm, eth/filters) */
const [MOST_ADDRESSES, MOST_TOPICS] = [1000, 4];
/** Alternatives of one topic, as in geth; the node has no limit. */
const MOST_ALTERNATIVES = 1000;
/** what a filter takes besides, in addresses */
const ITEMS_OF_FILTER = 20;
/** A filter that nobody polls for this long is forgotten, as on the node. */
const KEPT_MS = 300_000;

/** Three times what the largest filter takes. */
const LONGEST_CALL = 1 << 20;
export const TOO_MANY = "exceed max addresses";

/** the EVM keeps these */
const OF_TRANSACTIONS = "eth_newPendingTransactionFilter";
const MAKING: ReadonlySet<string> = new Set(["eth_newFilter", "eth_newBlockFilter", OF_TRANSACTIONS]);
const POLLING: ReadonlySet<string> = new Set(["eth_getFilterChanges", "eth_getFilterLogs"]);
/** methods whose first parameter is a filter of logs */
const OF_LOGS: ReadonlySet<string> = new Set(["eth_newFilter", "eth_getLogs"]);

interface Filter {
  readonly items: number;
  /** undefined: the EVM keeps it */
  readonly filter?: PolledFilter;
  /** milliseconds of the monotonic clock */
  usedAt: number;
}

export class LogFilters {
  readonly #limits: Pick<Limits, "evmFilterItems">;
  readonly #now: () => number;
  /** by ID, the one that was not used for longest first */
  readonly #polled = new Map<string, Filter>();
  /** of filters and subscriptions */
  items = 0;

  constructor(limits: Pick<Limits, "evmFilterItems">, now = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** What is wrong with a call that makes or asks for a filter, in the node's words if it has some; undefined: nothing. */
  refusal({ method = "", raw }: EvmCall): string | undefined {
    if (!OF_LOGS.has(method) && !MAKING.has(method)) return undefined;
    if (isTooLong(raw)) return TOO_MANY;
    const [criteria] = OF_LOGS.has(method) ? paramsOf(raw) : [];
    return problemOf(criteria) ?? (MAKING.has(method) ? this.fullFor(itemsOf(criteria)) : undefined);
  }

  /** Call this when the EVM has answered. */
  answered({ method = "", raw }: EvmCall, answer: Buffer): void {
    if (method === OF_TRANSACTIONS) this.#made(answer);
    else if (POLLING.has(method)) this.#use(String(paramsOf(raw)[0]));
    else if (method === "eth_uninstallFilter") this.remove(String(paramsOf(raw)[0]));
  }

  keep(id: string, filter: PolledFilter): void {
    this.#add(id, { filter, items: itemsOf(filter.criteria), usedAt: this.#now() });
  }

  /** One that Firn keeps. It counts as used now. */
  filter(id: string): PolledFilter | undefined {
    this.#forget();
    return this.#use(id)?.filter;
  }

  /** A sentence if there is no room for a filter of this size. */
  fullFor(items: number): string | undefined {
    this.#forget();
    const { evmFilterItems } = this.#limits;
    if (this.items + items <= evmFilterItems) return undefined;
    return `the filters of this chain have more than ${evmFilterItems} addresses and topics; remove some, or try again in a few minutes`;
  }

  /** Returns whether it was there. */
  remove(id: string): boolean {
    this.items -= this.#polled.get(id)?.items ?? 0;
    return this.#polled.delete(id);
  }

  #made(answer: Buffer): void {
    const [, id] = /"result"\s*:\s*"(0x[0-9a-fA-F]+)"/.exec(answer.subarray(0, LONGEST_REPLY).toString()) ?? [];
    if (id !== undefined) this.#add(id, { items: ITEMS_OF_FILTER, usedAt: this.#now() });
  }

  #add(id: string, filter: Filter): void {
    this.#polled.set(id, filter);
    this.items += filter.items;
  }

  #use(id: string): Filter | undefined {
    const filter = this.#polled.get(id);
    if (filter === undefined) return undefined;
    filter.usedAt = this.#now();
    this.#polled.delete(id);
    this.#polled.set(id, filter);
    return filter;
  }

  /** Those that nobody has polled for too long. */
  #forget(): void {
    for (const [id, { usedAt }] of this.#polled) {
      if (this.#now() - usedAt < KEPT_MS) return;
      this.remove(id);
    }
  }
}

/** of an answer that is an ID of usual length */
const LONGEST_REPLY = 1024;

/** Counts a subscription by its parameters: `["logs", criteria]`. */
export function itemsOfSubscription(params: unknown): number {
  return Array.isArray(params) ? itemsOf(params[1]) : ITEMS_OF_FILTER;
}

/** Whether a call is longer than any filter that is taken: it is refused unread. */
export function isTooLong(raw: string): boolean {
  return raw.length > LONGEST_CALL;
}

export function problemOfSubscription(params: unknown): string | undefined {
  return Array.isArray(params) && params[0] === "logs" ? problemOf(params[1]) : undefined;
}

function problemOf(criteria: unknown): string | undefined {
  const { addresses, topics } = membersOf(criteria);
  if (addresses > MOST_ADDRESSES) return TOO_MANY;
  return topics.length > MOST_TOPICS || topics.some((alternatives) => alternatives > MOST_ALTERNATIVES) ? "exceed max topics" : undefined;
}

function itemsOf(criteria: unknown): number {
  const { addresses, topics } = membersOf(criteria);
  return topics.reduce((sum, alternatives) => sum + alternatives, ITEMS_OF_FILTER + addresses);
}

/** Numbers of addresses, and of alternatives for each topic. */
function membersOf(criteria: unknown): { readonly addresses: number; readonly topics: readonly number[] } {
  const { address, topics } = (typeof criteria === "object" && criteria !== null ? criteria : {}) as Record<string, unknown>;
  const countOf = (value: unknown) => (Array.isArray(value) ? value.length : value == null ? 0 : 1);
  return { addresses: countOf(address), topics: Array.isArray(topics) ? topics.map(countOf) : [] };
}

function paramsOf(raw: string): readonly unknown[] {
  const { params } = JSON.parse(raw) as { readonly params?: unknown };
  return Array.isArray(params) ? params : [];
}
