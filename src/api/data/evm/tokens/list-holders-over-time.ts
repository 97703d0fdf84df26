import Type from "typebox";
import { ERC20 } from "../../../../evm/facts.ts";
import { balanceOfRank, rankOf } from "../../../../evm/index/holder-rows.ts";
import { evmHolders } from "../../../../evm/index/holder-tables.ts";
import { tokenIdKey } from "../../../../evm/index/holding-rows.ts";
import { balanceAt } from "../../../../evm/index/past-balances.ts";
import { tokenParts } from "../../../../evm/index/read-lists.ts";
import { evmBalances, evmBlocks } from "../../../../evm/index/tables.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import { ZERO_ADDRESS } from "../../../../sources/evm/parser/trace-block.ts";
import { rowsAtOnce, type StoreReader, sideBySide } from "../../../../store/store.ts";
import type { EvmChainContext, Position } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { pageOf, pageQuery, timeQuery } from "../../paging.ts";
import { dataRoute } from "../../route.ts";
import { evmAddress, parseEvmAddress } from "../parameters.ts";
import { formatAddress } from "../present-token.ts";
import { knownToken } from "./known-tokens.ts";
import { addressDetailsSchema } from "./schemas.ts";

/** Holders, or transfers, that one page looks at. */
const MOST_LOOKED_AT = 2_000;
/** of ERC-20, in keys of tables */
const NO_TOKEN_ID = tokenIdKey(0n);

export const listHoldersOverTime = dataRoute({
  method: "GET",
  version: 2,
  path: "/chains/{chainId}/contracts/{address}/balances",
  operationId: "getAddressesByBalanceOverTime",
  tag: "EVM: tokens",
  summary: "Addresses that held an amount of an ERC-20 token, now or at any time of a span, with their balances now.",
  description: `Those that hold it now come first, the largest balance first; then those that did, the last ones to move any first. A page looks at ${MOST_LOOKED_AT} holders or blocks with transfers at most: it may be short, or empty, and have a next one. Balances are sums of transfers; \`/v1/chains/{chainId}/tokens/{address}\` tells whether they determine them.`,
  cost: "O(pageSize) rows without a time; with one, the balances of that span of each holder and of whoever moved some since it began",
  computeUnits: 100,
  evm: "chain",
  isOfState: true,
  params: Type.Object({ address: evmAddress("Contract of the token") }),
  query: Type.Object({
    threshold: Type.String({
      title: "a decimal number above 0, of at most 78 digits",
      pattern: "^[1-9][0-9]{0,77}$",
      description: "Least balance, in base units, decimal.",
    }),
    ...timeQuery,
    ...pageQuery(5000, 1000),
  }),
  response: pageOf({ addresses: Type.Array(addressDetailsSchema) }, "LookingGlassResponse"),
  async handle({ params, query }, context) {
    const { token, kind } = await knownToken(parseEvmAddress(params.address), context);
    if (kind !== ERC20) throw notFound(`${formatAddress(token)} is no ERC-20 token; nfts:listHolders lists owners of NFTs`);
    const listing = new Listing(context, token, BigInt(query.threshold), await spanOf(query, context));
    const { found, next } = await listing.page(query.pageSize);
    const addresses = found.map(({ holder, balance }) => ({ address: formatAddress(holder), sortKey: `${balance}` }));
    return { addresses, ...context.nextPage(next) };
  },
});

/** Heights, both included. */
interface Span {
  readonly first: bigint;
  readonly last: bigint;
}

/** undefined: now */
async function spanOf(
  { startTimestamp, endTimestamp }: { readonly startTimestamp?: number; readonly endTimestamp?: number },
  { reader, evmChain }: EvmChainContext,
): Promise<Span | undefined> {
  if (startTimestamp === undefined && endTimestamp === undefined) return undefined;
  const { chain, settings } = evmChain;
  const [tip] = await reader.scan(evmBlocks, { prefix: { chain }, reverse: true, limit: 1 });
  const end = (tip?.key.height ?? -1n) + 1n;
  /** the first block that is not before this time */
  const since = async (time: number) => {
    let [low, high] = [settings.startBlock, end];
    while (low < high) {
      const middle = (low + high) / 2n;
      const block = await reader.get(evmBlocks, { chain, height: middle });
      if (block !== undefined && block.timestamp < BigInt(time)) low = middle + 1n;
      else high = middle;
    }
    return low;
  };
  return {
    first: startTimestamp === undefined ? settings.startBlock : await since(startTimestamp),
    last: endTimestamp === undefined ? end - 1n : (await since(endTimestamp)) - 1n,
  };
}

interface Held {
  readonly holder: Address;
  readonly balance: bigint;
}

interface Page {
  readonly found: readonly Held[];
  readonly next: Position | undefined;
}

class Listing {
  readonly #reader: StoreReader;
  readonly #chain: number;
  readonly #after: Position | undefined;
  readonly #token: Address;
  readonly #threshold: bigint;
  readonly #span: Span | undefined;

  constructor({ reader, evmChain, after }: EvmChainContext, token: Address, threshold: bigint, span: Span | undefined) {
    this.#reader = reader;
    this.#chain = evmChain.chain;
    this.#after = after;
    this.#token = token;
    this.#threshold = threshold;
    this.#span = span;
  }

  /** Holders of the amount first; those that hold less now are found by what they moved since the span began. */
  async page(size: number): Promise<Page> {
    const after = this.#after;
    const isEmpty = this.#span !== undefined && this.#span.last < this.#span.first;
    if (isEmpty) return { found: [], next: undefined };
    if (after?.height !== undefined) return this.#former(size, [], { height: BigInt(after.height), address: String(after.address) });
    const holders = await this.#holders(size);
    if (holders.next !== undefined || this.#span === undefined) return holders;
    return this.#former(size, holders.found, undefined);
  }

  async #holders(size: number): Promise<Page> {
    const found: Held[] = [];
    const prefix = { chain: this.#chain, token: this.#token, kind: ERC20 };
    let after = this.#after && { rank: String(this.#after.rank), holder: String(this.#after.holder) };
    const until = { until: { rank: rankOf(this.#threshold - 1n) } };
    for (let looked = 0; looked < MOST_LOOKED_AT; ) {
      const limit = Math.min(rowsAtOnce(this.#reader), MOST_LOOKED_AT - looked);
      const rows = await this.#reader.scan(evmHolders, { prefix, ...until, ...(after && { after }), limit });
      const had = this.#hadAll(rows.map(({ key: { holder } }) => holder));
      let i = 0;
      for await (const isListed of had) {
        const { rank, holder } = rows[i++]!.key;
        if (isListed && found.length === size) return { found, next: after };
        if (isListed) found.push({ holder, balance: balanceOfRank(rank) });
        after = { rank, holder };
      }
      looked += rows.length;
      if (rows.length < limit) return { found, next: undefined };
    }
    return { found, next: after };
  }

  async *#hadAll(holders: readonly Address[]): AsyncGenerator<boolean> {
    yield* sideBySide(holders, (holder) => this.#had(holder));
  }

  /** Whether the address held as much at some time of the span. */
  async #had(holder: Address): Promise<boolean> {
    const span = this.#span;
    if (span === undefined) return true;
    const owner = { chain: this.#chain, holder, kind: ERC20 } as const;
    const place = { token: this.#token, tokenId: NO_TOKEN_ID };
    const before = span.first === 0n ? undefined : await balanceAt(this.#reader, owner, place, span.first - 1n);
    if ((before ?? 0n) >= this.#threshold) return true;
    const prefix = { ...owner, ...place };
    const limit = rowsAtOnce(this.#reader);
    for (let from = span.first; ; ) {
      const rows = await this.#reader.scan(evmBalances, { prefix, from: { height: from }, until: { height: span.last + 1n }, limit });
      if (rows.some(({ value }) => value.balance >= this.#threshold)) return true;
      if (rows.length < limit) return false;
      from = rows.at(-1)!.key.height + 1n;
    }
  }

  /**
   * Goes back through the blocks that moved some of the token. An address is found where it moved some last, among those of a block in the order of
   * their bytes.
   */
  async #former(size: number, found: readonly Held[], after: { height: bigint; address: string } | undefined): Promise<Page> {
    const all = [...found];
    let looked = 0;
    let last = after;
    for await (const { height, parties } of this.#movedIn(after?.height)) {
      for (const holder of [...parties].sort()) {
        if (after?.height === height && holder <= after.address) continue;
        const held = await this.#formerAt(holder, height);
        if (held !== undefined && all.length === size) return { found: all, next: last ?? { height: ABOVE_ALL, address: "" } };
        if (held !== undefined) all.push(held);
        last = { height, address: holder };
      }
      if (++looked === MOST_LOOKED_AT) return { found: all, next: last };
    }
    return { found: all, next: undefined };
  }

  /** undefined: it holds the amount now, moved some later, or never held it in the span */
  async #formerAt(holder: Address, height: bigint): Promise<Held | undefined> {
    const prefix = { chain: this.#chain, holder, kind: ERC20, token: this.#token, tokenId: NO_TOKEN_ID } as const;
    const [newest] = await this.#reader.scan(evmBalances, { prefix, reverse: true, limit: 1 });
    if (newest === undefined || newest.key.height !== height || newest.value.balance >= this.#threshold) return undefined;
    return (await this.#had(holder)) ? { holder, balance: newest.value.balance } : undefined;
  }

  /** The parties of the token's transfers by block, the newest first. */
  async *#movedIn(from: bigint | undefined): AsyncGenerator<{ height: bigint; parties: Set<Address> }> {
    const { first } = this.#span!;
    let block: { height: bigint; parties: Set<Address> } | undefined;
    const range = {
      reverse: true,
      ...(from !== undefined && from < ABOVE_ALL && { from: { height: from } }),
      ...(first > 0n && { until: { height: first - 1n } }),
      wanted: Number.POSITIVE_INFINITY,
    };
    for await (const { place, items } of tokenParts(this.#reader, { chain: this.#chain, token: this.#token }, range)) {
      if (block?.height !== place.height) {
        if (block !== undefined) yield block;
        block = { height: place.height, parties: new Set() };
      }
      for (const { token, from: sender, to } of items) {
        if (token === this.#token) for (const one of [sender, to]) if (one !== ZERO_ADDRESS) block.parties.add(one);
      }
    }
    if (block !== undefined) yield block;
  }
}

/** Above every height of a block: the walk through transfers has not begun. */
const ABOVE_ALL = 2n ** 63n;
