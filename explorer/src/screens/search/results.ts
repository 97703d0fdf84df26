/** Where a result of the search leads, and what it is called. */
import type { components } from "../../api/data-api.d.ts";
import type { DevnetKey } from "../../components/labels.ts";
import { to } from "../../router.ts";
import { readAddress } from "../address/address-form.ts";

export type SearchResult = components["schemas"]["SearchResult"];

const NAMES: Readonly<Record<SearchResult["kind"], string>> = {
  chain: "Chain",
  evmChain: "EVM chain",
  transaction: "Transaction",
  block: "Block",
  vertex: "Vertex",
  address: "Address",
  validator: "Validator",
  subnet: "Subnet",
  blockchain: "Blockchain",
  l1Validator: "L1 validator",
  asset: "Asset",
  token: "Token",
  nftCollection: "NFT collection",
  contract: "Contract",
};

export function nameOfKind({ kind }: Pick<SearchResult, "kind">): string {
  return NAMES[kind];
}

export function pathOf({ kind, chain = "P", evmChainId, id, blockNumber }: SearchResult): string {
  switch (kind) {
    case "chain":
      return to.blocks(chain);
    case "evmChain":
      return to.evm(id);
    case "transaction":
      return evmChainId === undefined ? to.transaction(chain, id) : to.evmTransaction(evmChainId, id);
    case "block":
      return evmChainId === undefined ? to.block(chain, blockNumber ?? id) : to.evmBlock(evmChainId, blockNumber ?? id);
    case "vertex":
      return to.vertex(id);
    case "address":
      return to.address(id);
    case "validator":
      return to.validator(id);
    case "subnet":
      return to.subnet(id);
    case "blockchain":
      return to.blockchain(id);
    case "l1Validator":
      return to.l1Validator(id);
    case "asset":
      return to.asset(id);
    case "token":
    case "nftCollection":
      return to.token(evmChainId!, id);
    case "contract":
      return to.contract(evmChainId!, id);
  }
}

/** A devnet's accounts whose name begins like this: `ewoq`, `account 1`. The one with the name itself is the only one. */
export function accountsNamed(keys: readonly DevnetKey[], query: string): readonly SearchResult[] {
  const text = query.toLowerCase();
  const same = keys.filter(({ name }) => name.toLowerCase() === text);
  const found = same.length > 0 || text === "" ? same : keys.filter(({ name }) => name.toLowerCase().startsWith(text));
  return found.map(({ name, addresses: { evm } }) => ({ kind: "address", id: evm, name, hint: "an account of this devnet" }));
}

/** First the things that only the explorer knows; a block that was named by its chain is all that was meant. */
export function merged(named: readonly SearchResult[], found: readonly SearchResult[]): readonly SearchResult[] {
  return named.some(({ kind }) => kind === "block") ? named : [...named, ...found];
}

/**
 * The results, and an address that is well formed: the search finds only those that a transaction named, but an address without any has a page
 * too.
 * @param hrp what addresses of this network begin with
 */
export function withAddress(results: readonly SearchResult[], query: string, hrp: string | undefined): readonly SearchResult[] {
  const form = readAddress(query, hrp);
  if (form.kind === "none" || results.some(({ kind }) => kind === "address")) return results;
  // 40 hex digits without 0x are the bytes of other things too
  if (form.kind === "evm" && !/^0x/i.test(query)) return results;
  return [...results, { kind: "address", id: form.address, hint: "no indexed transaction names it" }];
}
