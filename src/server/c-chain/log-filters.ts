/**
 * Counts what the EVM of a chain keeps of filters: addresses and topics of subscriptions to logs, and of filters that are polled. Each of
 * these may have thousands, in few bytes.
 */
import type { EvmCall } from "../../c-chain/development-evm/evm-call.ts";
import type { Limits } from "../../limits/limits.ts";

/** of the node (graft/evm, eth/filters) */
const [MOST_ADDRESSES, MOST_TOPICS] = [1000, 4];
/** Alternatives of one topic, as in geth; the node has no limit. */
const MOST_ALTERNATIVES = 1000;
/** what a filter takes besides, in addresses */
const ITEMS_OF_FILTER = 20;
/** The EVM forgets a filter that nobody polls for this long. */
const KEPT_MS = 300_000;

/** Three times what the largest filter takes. */
const LONGEST_CALL = 1 << 20;
export const TOO_MANY = "exceed max addresses";

const MAKING: ReadonlySet<string> = new Set(["eth_newFilter", "eth_newBlockFilter", "eth_newPendingTransactionFilter"]);
const POLLING: ReadonlySet<string> = new Set(["eth_getFilterChanges", "eth_getFilterLogs"]);
/** methods whose first parameter is a filter of logs */
const OF_LOGS: ReadonlySet<string> = new Set(["eth_newFilter", "eth_getLogs"]);

interface Filter {
  readonly items: number;
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
    if (MAKING.has(method)) this.#made(answer, itemsOf(OF_LOGS.has(method) ? paramsOf(raw)[0] : undefined));
    else if (POLLING.has(method)) this.#used(String(paramsOf(raw)[0]));
    else if (method === "eth_uninstallFilter") this.#remove(String(paramsOf(raw)[0]));
  }

  /** A sentence if there is no room for a filter of this size. */
  fullFor(items: number): string | undefined {
    this.#forget();
    const { evmFilterItems } = this.#limits;
    if (this.items + items <= evmFilterItems) return undefined;
    return `the filters of this chain have more than ${evmFilterItems} addresses and topics; remove some, or try again in a few minutes`;
  }

  #made(answer: Buffer, items: number): void {
    const [, id] = /"result"\s*:\s*"(0x[0-9a-fA-F]+)"/.exec(answer.subarray(0, LONGEST_REPLY).toString()) ?? [];
    if (id === undefined) return;
    this.#polled.set(id, { items, usedAt: this.#now() });
    this.items += items;
  }

  #used(id: string): void {
    const filter = this.#polled.get(id);
    if (filter === undefined) return;
    filter.usedAt = this.#now();
    this.#polled.delete(id);
    this.#polled.set(id, filter);
  }

  #remove(id: string): void {
    this.items -= this.#polled.get(id)?.items ?? 0;
    this.#polled.delete(id);
  }

  /** Those that the EVM has forgotten. */
  #forget(): void {
    for (const [id, { usedAt }] of this.#polled) {
      if (this.#now() - usedAt < KEPT_MS) return;
      this.#remove(id);
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
