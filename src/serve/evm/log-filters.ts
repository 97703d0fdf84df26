/**
 * Keeps the filters of a chain that are polled, and counts what they and the EVM's subscriptions have: addresses and topics. Each of these may
 * have thousands, in few bytes.
 */

import { randomBytes } from "node:crypto";
import { larger, smaller } from "../../base/bytes/amount.ts";
import type { JsonValue } from "../../base/json/go-encode.ts";
import type { Limits } from "../../base/limits.ts";
import { numberOf } from "../../devnet/anvil/calls/block-param.ts";
import type { EvmCall } from "../../devnet/anvil/evm-call.ts";
import { EvmRequestError } from "../../devnet/anvil/evm-error.ts";
import { toHex } from "../../devnet/anvil/header.ts";

/**
 * Filters of blocks and logs that clients poll. Firn keeps them itself, because the EVM announces blocks, too, that Firn takes back before
 * anybody could read them, and forgets its filters when it is restarted. Those of transactions that wait stay with the EVM.
 */
interface PolledFilter {
  /** as the client gave them; undefined: blocks, not logs */
  readonly criteria: Criteria | undefined;
  /** the newest block whose changes the client has */
  told: { readonly height: bigint; readonly hash: string };
}

interface Criteria {
  readonly fromBlock?: unknown;
  readonly toBlock?: unknown;
  readonly blockHash?: unknown;
  readonly address?: unknown;
  readonly topics?: unknown;
}

interface FilterParts {
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** of the chain's node now, when a filter's range ends before it begins */
  readonly rangeProblem: () => string;
}

interface Block {
  readonly hash: string;
  readonly number: string;
}

const SERVER_ERROR = -32_000;
/** Most blocks of one answer; later ones are in the next. */
const MOST_BLOCKS = 1024n;
const NOT_FOUND = "filter not found";

export class PolledFilters {
  readonly #parts: FilterParts;
  readonly #kept: LogFilters;

  constructor(parts: FilterParts, kept: LogFilters) {
    this.#parts = parts;
    this.#kept = kept;
  }

  /** How the call is answered; undefined: by the EVM. */
  answerTo(method: string, params: () => readonly unknown[]): (() => Promise<JsonValue>) | undefined {
    if (method === "eth_newBlockFilter") return () => this.#make(undefined);
    if (method === "eth_newFilter") return () => this.#make(criteriaOf(params()[0]));
    const name = /^eth_(?:getFilterChanges|getFilterLogs|uninstallFilter)$/.test(method) ? String(params()[0]) : undefined;
    const filter = name === undefined ? undefined : this.#kept.filter(name);
    if (filter === undefined) return undefined;
    if (method === "eth_uninstallFilter") return async () => this.#kept.remove(name!);
    if (method === "eth_getFilterChanges") return () => this.#changes(filter);
    return () => this.#logs(filter);
  }

  async #make(criteria: Criteria | undefined): Promise<JsonValue> {
    const { request, rangeProblem } = this.#parts;
    const head = await this.#block("latest");
    if (criteria !== undefined) {
      const [from, to] = [numberOf(criteria.fromBlock), numberOf(criteria.toBlock)];
      if (from !== undefined && to !== undefined && from > to) throw refusal("eth_newFilter", rangeProblem());
      // says what is wrong with the addresses and topics
      const { fromBlock: _from, toBlock: _to, blockHash: _hash, ...what } = criteria;
      await request("eth_getLogs", [{ ...what, fromBlock: head.number, toBlock: head.number }]);
    }
    const id = `0x${randomBytes(16).toString("hex")}`;
    this.#kept.keep(id, { criteria, told: { height: BigInt(head.number), hash: head.hash } });
    return id;
  }

  async #changes(filter: PolledFilter): Promise<JsonValue> {
    const head = await this.#block("latest");
    const from = (await this.#lastTold(filter, BigInt(head.number))) + 1n;
    const to = smaller(BigInt(head.number), from + MOST_BLOCKS - 1n);
    const last = to === BigInt(head.number) ? head : await this.#block(toHex(to));
    const changes = filter.criteria === undefined ? await this.#hashes(from, to) : await this.#logsBetween(filter.criteria, from, to);
    filter.told = { height: to, hash: last.hash };
    return changes;
  }

  /** A revert may have replaced what the client knows: then it is told of the new last block again. */
  async #lastTold({ told }: PolledFilter, head: bigint): Promise<bigint> {
    if (told.height > head) return head - 1n;
    const { hash } = await this.#block(toHex(told.height));
    return hash === told.hash ? told.height : told.height - 1n;
  }

  async #hashes(from: bigint, to: bigint): Promise<string[]> {
    const hashes: string[] = [];
    for (let height = from; height <= to; height++) hashes.push((await this.#block(toHex(height))).hash);
    return hashes;
  }

  async #logsBetween({ fromBlock, toBlock, blockHash: _, ...what }: Criteria, from: bigint, to: bigint): Promise<JsonValue> {
    const first = larger(from, numberOf(fromBlock) ?? 0n);
    const last = smaller(to, numberOf(toBlock) ?? to);
    if (first > last) return [];
    return (await this.#parts.request("eth_getLogs", [{ ...what, fromBlock: toHex(first), toBlock: toHex(last) }])) as JsonValue;
  }

  async #logs({ criteria }: PolledFilter): Promise<JsonValue> {
    if (criteria === undefined) throw refusal("eth_getFilterLogs", NOT_FOUND);
    return (await this.#parts.request("eth_getLogs", [criteria])) as JsonValue;
  }

  async #block(which: string): Promise<Block> {
    return (await this.#parts.request("eth_getBlockByNumber", [which, false])) as Block;
  }
}

/** Only the members that are known; the EVM says what is wrong with them. */
function criteriaOf(given: unknown): Criteria {
  const { fromBlock, toBlock, blockHash, address, topics } = (typeof given === "object" && given !== null ? given : {}) as Criteria;
  const members = { fromBlock, toBlock, blockHash, address, topics };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}

function refusal(method: string, message: string): EvmRequestError {
  return new EvmRequestError(method, { code: SERVER_ERROR, message });
}

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
