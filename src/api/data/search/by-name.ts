/**
 * Finds things by name or symbol, or by the beginning of them. Strangers choose names, and thousands may have the same: of one name the
 * oldest are found, every range is bounded, and things of one kind do not crowd out others.
 */

import { formatEvmAddress } from "../../../base/bytes/evm-address.ts";
import { foldedName, nameKey, namePrefixRange } from "../../../base/bytes/folded-name.ts";
import { assets } from "../../../chains/asset/tables.ts";
import {
  blockchains,
  NAME_OF_ASSET,
  NAME_OF_BLOCKCHAIN,
  primaryNames,
  SYMBOL_OF_ASSET,
} from "../../../index/primary/network/network-tables.ts";
import { primaryChains } from "../../../index/primary/primary-chain.ts";
import type { StoreReader } from "../../../store/store.ts";
import type { EvmChainsContext } from "../context.ts";
import type { EvmChain } from "../evm/evm-chain.ts";
import { type NamedToken, tokensByName } from "../evm/tokens/tokens-by-name.ts";
import { X_CHAIN_NUMBER } from "../transactions/asset.ts";
import { ALIASES, presentAsset, presentBlockchain, presentEvmChain } from "./by-id.ts";
import type { SearchResult } from "./schemas.ts";

/** Things that have a name, by what kind of thing they are. */
type Groups = readonly (readonly SearchResult[])[];

/** First those with the name itself, then those with one that begins with it. May have things twice. Costs O(limit + EVM chains) rows. */
export async function findByName(name: string, limit: number, context: EvmChainsContext): Promise<SearchResult[]> {
  const isFound = { same: (one: string) => one === name, beginning: (one: string) => one.startsWith(name) };
  const chains = evmChainNames(context);
  const evm = (is: (one: string) => boolean) => chains.filter(({ folded }) => is(folded)).map(({ result }) => result);
  const called = calledAddresses(name, limit, context);
  const [same, beginning, tokens] = await Promise.all([
    findPrimaryNames(exactRange(name), limit, context.reader),
    findPrimaryNames(prefixRange(name), limit, context.reader),
    findTokens(name, limit, context),
  ]);
  const primary = (found: readonly NamedThing[][], is: (one: string) => boolean) =>
    found.map((things) => things.filter(({ folded }) => is(folded)).map(({ result }) => result));
  return [
    ...inTurns([findAlias(name, context), evm(isFound.same), called(isFound.same), ...primary(same, isFound.same), ...tokens.same]),
    ...inTurns([evm(isFound.beginning), called(isFound.beginning), ...primary(beginning, isFound.beginning), ...tokens.beginning]),
  ];
}

/** The first of each group, then the second of each, and so on. */
function inTurns(groups: Groups): SearchResult[] {
  const longest = Math.max(...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => groups.flatMap((group) => group[i] ?? [])).flat();
}

const CHAIN_NAMES = primaryChains.map((chain) => `${ALIASES[chain]}-Chain`);

function findAlias(name: string, context: EvmChainsContext): SearchResult[] {
  return primaryChains.flatMap((chain): SearchResult[] => {
    const names = [ALIASES[chain], CHAIN_NAMES[chain]!, CHAIN_NAMES[chain]!.replace("-", " ")].map((one) => one.toLowerCase());
    if (!names.includes(name) || context.heightOf(chain) === undefined) return [];
    return [{ kind: "chain", chain: ALIASES[chain], id: ALIASES[chain], name: CHAIN_NAMES[chain]! }];
  });
}

/** Tokens are searched on so many chains, since each costs up to a thousand rows where strangers crowd a name. */
const MAX_TOKEN_CHAINS = 16;

/** Tokens of each chain. */
async function findTokens(
  name: string,
  limit: number,
  { reader, evmChains }: EvmChainsContext,
): Promise<{ same: Groups; beginning: Groups }> {
  const found = await Promise.all(
    evmChains.slice(0, MAX_TOKEN_CHAINS).map(async (evmChain) => {
      const tokens = await tokensByName(name, limit, { reader, evmChain });
      return tokens.map((token) => ({
        isSame: [token.name, token.symbol].some((text) => foldedName(text) === name),
        result: presentToken(token, evmChain),
      }));
    }),
  );
  const those = (isSame: boolean) => found.map((tokens) => tokens.filter((token) => token.isSame === isSame).map(({ result }) => result));
  return { same: those(true), beginning: those(false) };
}

function presentToken({ address, ercType, name, symbol }: NamedToken, { evmChainId, settings }: EvmChain): SearchResult {
  return {
    kind: ercType === "ERC-20" ? "token" : "nftCollection",
    evmChainId: `${evmChainId}`,
    id: address,
    ...(name !== "" && { name }),
    ...(symbol !== "" && { symbol }),
    hint: settings.name,
  };
}

interface NamedThing {
  readonly folded: string;
  readonly result: SearchResult;
}

const foldedChains = new WeakMap<object, NamedThing>();

function evmChainNames({ evmChains }: EvmChainsContext): NamedThing[] {
  return evmChains.map((chain) => {
    const known = foldedChains.get(chain) ?? { folded: foldedName(chain.settings.name), result: presentEvmChain(chain) };
    foldedChains.set(chain, known);
    return known;
  });
}

/** Accounts and contracts that the operator gave a name. */
function calledAddresses(name: string, limit: number, { evmChains }: EvmChainsContext) {
  const things = evmChains.slice(0, MAX_TOKEN_CHAINS).flatMap(({ evmChainId, labels }) =>
    labels.addressesNamed(name, limit).map((address): NamedThing => {
      const given = labels.name(address)!;
      return {
        folded: foldedName(given),
        result: { kind: "address", evmChainId: `${evmChainId}`, id: formatEvmAddress(address), name: given },
      };
    }),
  );
  return (is: (one: string) => boolean) => things.filter(({ folded }) => is(folded)).map(({ result }) => result);
}

type NameRange = (kind: number) => object;

function exactRange(name: string): NameRange {
  return (kind) => ({ prefix: { kind, name: nameKey(name) } });
}

function prefixRange(name: string): NameRange {
  const { first, last } = namePrefixRange(name);
  return (kind) => ({ prefix: { kind }, from: { name: first }, until: { name: last } });
}

/** Assets by symbol, blockchains, assets by name. */
async function findPrimaryNames(range: NameRange, limit: number, reader: StoreReader): Promise<NamedThing[][]> {
  const idsOf = async (kind: number) => (await reader.scan(primaryNames, { ...range(kind), limit })).map(({ key }) => key.thing);
  const [symbols, chains, names] = await Promise.all([SYMBOL_OF_ASSET, NAME_OF_BLOCKCHAIN, NAME_OF_ASSET].map(idsOf));
  const assetIds = [...symbols!, ...names!];
  const [assetRows, chainRows] = await Promise.all([
    reader.getMany(
      assets,
      assetIds.map((assetId) => ({ chain: X_CHAIN_NUMBER, assetId })),
    ),
    reader.getMany(
      blockchains,
      chains!.map((chainId) => ({ chainId })),
    ),
  ]);
  const presented = assetIds.map((assetId, i) => presentAsset(assetId, assetRows[i]!));
  const thing = (result: SearchResult, name = result.name) => ({ folded: foldedName(name!), result });
  return [
    presented.slice(0, symbols!.length).map((result) => thing(result, result.symbol)),
    chains!.map((chainId, i) => thing(presentBlockchain(chainId, chainRows[i]!))),
    presented.slice(symbols!.length).map((result) => thing(result)),
  ];
}
