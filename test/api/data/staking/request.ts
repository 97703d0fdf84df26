/** Requests routes of the Data API over a store page by page. */

import { type DataContext, type DataSettings, defaultDataSettings, type Position } from "../../../../src/api/data/context.ts";
import type { EvmChain } from "../../../../src/api/data/evm/evm-chain.ts";
import { textReader } from "../../../../src/api/data/request-reader.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import { KeptAnswers } from "../../../../src/api/state/kept-answers.ts";
import type { Uptimes } from "../../../../src/api/state/node-facts.ts";
import { DEFAULT_LIMITS } from "../../../../src/base/limits.ts";
import { RequestWork } from "../../../../src/base/work/work.ts";
import type { BuildFolder } from "../../../../src/evm/builds/build-folder.ts";
import { Pictures } from "../../../../src/evm/nft/pictures.ts";
import { P_CHAIN, type PrimaryChain } from "../../../../src/index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import type { StoreReader } from "../../../../src/store/store.ts";

export interface Asked {
  readonly network: NetworkInstance;
  readonly clock: bigint;
  readonly cache?: Map<string, Promise<unknown>>;
  /** of the path; P unless it says otherwise */
  readonly chain?: PrimaryChain;
  readonly settings?: Partial<DataSettings>;
  readonly uptimes?: Uptimes | undefined;
  /** of the path */
  readonly evmChain?: EvmChain;
  /** of routes that are about all of them; those that are not available are left out */
  readonly evmChains?: readonly EvmChain[];
  readonly unavailable?: readonly EvmChain[];
  /** of chains of the primary network that are indexed */
  readonly heights?: readonly (bigint | undefined)[];
  /** none: this is no devnet */
  readonly clockOffset?: bigint;
  /** by default one for each reader, as a server has one for its store */
  readonly kept?: KeptAnswers;
  readonly generation?: number;
  readonly pictures?: Pictures;
  readonly builds?: BuildFolder;
}

type Query = Readonly<Record<string, string | readonly string[]>>;
type Params = Readonly<Record<string, string>>;

const keptByReader = new WeakMap<StoreReader, KeptAnswers>();

function keptOf(reader: StoreReader): KeptAnswers {
  const known = keptByReader.get(reader) ?? new KeptAnswers(DEFAULT_LIMITS.keptBytes);
  keptByReader.set(reader, known);
  return known;
}

export async function ask(
  route: AnyDataRoute,
  reader: StoreReader,
  asked: Asked,
  query: Query,
  { params = {}, after, body: sent }: { params?: Params; after?: Position | undefined; body?: object } = {},
): Promise<{ body: Record<string, unknown>; next: Position | undefined }> {
  const { network, clock, cache = new Map(), chain = P_CHAIN, settings = {}, uptimes, evmChain, evmChains = [], unavailable = [] } = asked;
  const { heights = [], clockOffset, kept = keptOf(reader), generation = 0, pictures = new Pictures(), builds } = asked;
  let next: Position | undefined;
  const context: DataContext = {
    ...({
      reader,
      work: new RequestWork(),
      network,
      readClock: () => clock,
      after,
      label: "fuji",
      chain,
      platformHeight: heights[P_CHAIN] ?? 0n,
      heightOf: (chain: PrimaryChain) => heights[chain],
      clockOffset: clockOffset === undefined ? undefined : Promise.resolve(clockOffset),
      kept,
      generation,
      pictures,
      builds,
      uptimes,
      evmChain,
      evmChains,
      isAvailable: (chain: EvmChain) => !unavailable.includes(chain),
      settings: { ...defaultDataSettings, ...settings },
      readHealth: () => ({}),
    } as unknown as DataContext),
    nextPage(position) {
      next = position;
      return position === undefined ? {} : { nextPageToken: "next" };
    },
    cached<T>(name: string, make: () => Promise<T>): Promise<T> {
      if (!cache.has(name)) cache.set(name, make());
      return cache.get(name) as Promise<T>;
    },
  };
  const body = await route.handle({ params, query: textReader(route.query)(query), body: sent }, context);
  // integers that a double does not hold are bigints until they are written
  const text = JSON.stringify(body, (_, value) => (typeof value === "bigint" ? Number(value) : value));
  return { body: JSON.parse(text) as Record<string, unknown>, next };
}

/** All items of a list, of pages of one size; a page that is not the last must be full, and none but an only one is empty. */
export async function walk(
  route: AnyDataRoute,
  store: StoreReader,
  asked: Asked,
  query: Query,
  items: string,
  params: Params = {},
): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  const pageSize = Number(query.pageSize ?? 10);
  let after: Position | undefined;
  do {
    const { body, next } = await ask(route, store, asked, query, { params, after });
    const page = body[items] as Record<string, unknown>[];
    if (next !== undefined && page.length !== pageSize)
      throw new Error(`a page of ${page.length} of ${pageSize} has another one behind it`);
    if (after !== undefined && page.length === 0) throw new Error("the page before pointed to one that is empty");
    all.push(...page);
    after = next;
  } while (after !== undefined);
  return all;
}
