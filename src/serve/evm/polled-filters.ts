/**
 * Filters of blocks and logs that clients poll. Firn keeps them itself, because the EVM announces blocks, too, that Firn takes back before
 * anybody could read them, and forgets its filters when it is restarted. Those of transactions that wait stay with the EVM.
 */

import { randomBytes } from "node:crypto";
import { larger, smaller } from "../../base/bytes/amount.ts";
import type { JsonValue } from "../../base/json/go-encode.ts";
import { numberOf } from "../../devnet/anvil/calls/block-param.ts";
import { EvmRequestError } from "../../devnet/anvil/evm-error.ts";
import { toHex } from "../../devnet/anvil/header.ts";
import type { LogFilters } from "./log-filters.ts";

export interface PolledFilter {
  /** as the client gave them; undefined: blocks, not logs */
  readonly criteria: Criteria | undefined;
  /** the newest block whose changes the client has */
  told: { readonly height: bigint; readonly hash: string };
}

export interface Criteria {
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
