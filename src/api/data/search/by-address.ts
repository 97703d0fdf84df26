/** Finds addresses and nodes: only those that the index has seen. */

import { encodeBech32 } from "../../../base/bytes/address.ts";
import { formatNodeId } from "../../../base/bytes/cb58.ts";
import { utf8 } from "../../../base/bytes/hex.ts";
import type { NodeId, ShortId } from "../../../base/bytes/id.ts";
import { ERC20 } from "../../../evm/facts.ts";
import { evmAddressTransactions, evmContracts } from "../../../evm/index/tables.ts";
import { evmContractMetadata } from "../../../evm/index/token-tables.ts";
import { l1ValidatorScope } from "../../../index/primary/l1s/l1-scope.ts";
import { l1ValidatorLists } from "../../../index/primary/network/network-tables.ts";
import { primaryChains } from "../../../index/primary/primary-chain.ts";
import { nodeSequences } from "../../../index/primary/staking/staking-tables.ts";
import { ANY_CLASS, addressLists, EVM_LIST } from "../../../index/primary/transactions/transaction-tables.ts";
import { isKnownOn } from "../../../index/primary/utxos/owner-group-reader.ts";
import type { Address } from "../../../sources/evm/parser/block.ts";
import type { EvmChainsContext } from "../context.ts";
import { formatAddress } from "../evm/present-token.ts";
import { type KnownToken, knownTokens } from "../evm/tokens/known-tokens.ts";
import { ALIASES } from "./by-id.ts";
import type { SearchResult } from "./schemas.ts";

/** Contracts come before the address that they are too. Costs some 6 rows for each EVM chain. */
export async function findEvmAddress(address: Address, { reader, evmChains }: EvmChainsContext): Promise<SearchResult[]> {
  const keys = evmChains.map(({ chain }) => ({ chain, contract: address }));
  const [tokens, contracts, said, atomic, active] = await Promise.all([
    Promise.all(evmChains.map((evmChain) => knownTokens([address], { reader, evmChain }))),
    reader.getMany(evmContracts, keys),
    reader.getMany(evmContractMetadata, keys),
    reader.get(addressLists, { list: EVM_LIST, address, class: ANY_CLASS }),
    Promise.all(evmChains.map(({ chain }) => reader.scan(evmAddressTransactions, { prefix: { chain, address }, limit: 1 }))),
  ]);
  const id = formatAddress(address);
  const found = evmChains.flatMap((chain, i): SearchResult[] => {
    const isContract = contracts[i] !== undefined || said[i] !== undefined;
    const kind = contractKind(tokens[i]![0], isContract);
    return kind === undefined
      ? []
      : [{ kind, evmChainId: `${chain.evmChainId}`, id, ...named(address, said[i], chain), hint: chain.settings.name }];
  });
  const places = [
    ...(atomic !== undefined ? ["C"] : []),
    ...evmChains.filter((_, i) => active[i]!.length > 0).map(({ settings }) => settings.name),
  ];
  return places.length === 0 ? found : [...found, { kind: "address", id, hint: listed(places) }];
}

function contractKind(token: KnownToken | undefined, isContract: boolean): "token" | "nftCollection" | "contract" | undefined {
  if (token !== undefined) return token.kind === ERC20 ? "token" : "nftCollection";
  return isContract ? "contract" : undefined;
}

/** The operator's label counts before the contract's own words. */
function named(
  contract: Address,
  said: { readonly name: string | undefined; readonly symbol: string | undefined } | undefined,
  { labels }: EvmChainsContext["evmChains"][number],
): Pick<SearchResult, "name" | "symbol"> {
  const label = labels.token(contract);
  const name = label?.name ?? (said?.name && utf8(said.name));
  const symbol = label?.symbol ?? (said?.symbol && utf8(said.symbol));
  return { ...(name && { name }), ...(symbol && { symbol }) };
}

const MAX_PLACES = 5;

function listed(places: readonly string[]): string {
  const more = places.length - MAX_PLACES;
  return `on ${places.slice(0, MAX_PLACES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export async function findOwner(owner: ShortId, { reader, network }: EvmChainsContext): Promise<SearchResult[]> {
  const isKnown = await Promise.all(primaryChains.map((chain) => isKnownOn(reader, chain, owner)));
  const places = primaryChains.filter((_, i) => isKnown[i]).map((chain) => ALIASES[chain]);
  return places.length === 0 ? [] : [{ kind: "address", id: encodeBech32(network.hrp, owner), hint: listed(places) }];
}

export async function findNode(nodeId: NodeId, { reader }: EvmChainsContext): Promise<SearchResult[]> {
  const [sequence, ofL1s] = await Promise.all([
    reader.get(nodeSequences, { nodeId }),
    reader.scan(l1ValidatorLists, { prefix: { scope: l1ValidatorScope({ nodeId }) }, limit: 1 }),
  ]);
  if (sequence === undefined && ofL1s.length === 0) return [];
  return [{ kind: "validator", chain: "P", id: formatNodeId(nodeId), ...(ofL1s.length > 0 && { hint: "of an L1" }) }];
}
