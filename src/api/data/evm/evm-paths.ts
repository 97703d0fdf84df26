/**
 * Resolves `{chainId}` of paths: a decimal EVM chain ID or a blockchain ID. The C-chain also has the public blockchain ID that clients
 * know.
 */

import { formatId } from "../../../base/bytes/cb58.ts";
import { C_CHAIN } from "../../../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { notFound } from "../errors.ts";
import { shown } from "../ids.ts";
import { labelOf, publicChainId } from "../network-labels.ts";
import type { EvmChain } from "./evm-chain.ts";

export class EvmPaths {
  readonly #network: NetworkInstance;
  /** rises with every other list of chains */
  version = 0;
  #known: { readonly chains: readonly EvmChain[]; readonly sorted: readonly EvmChain[]; readonly byName: ReadonlyMap<string, EvmChain> };

  constructor(network: NetworkInstance) {
    this.#network = network;
    this.#known = { chains: [], sorted: [], byName: new Map() };
  }

  /** Sorted by EVM chain ID. */
  inOrder(chains: readonly EvmChain[]): readonly EvmChain[] {
    return this.#of(chains).sorted;
  }

  /** Finds one of these chains; throws 404. */
  chainOf(text: string, chains: readonly EvmChain[]): EvmChain {
    const { byName, sorted } = this.#of(chains);
    const chain = byName.get(text);
    if (chain !== undefined) return chain;
    const served = sorted.map(({ evmChainId }) => evmChainId);
    throw notFound(
      `chain ${shown(text)} is not served here; ${served.length === 0 ? "there are no EVM chains" : `use ${served.join(", ")}`}`,
    );
  }

  /** Kept while the array is the same. */
  #of(chains: readonly EvmChain[]) {
    if (this.#known.chains === chains) return this.#known;
    const sorted = [...chains].sort((a, b) => (a.evmChainId < b.evmChainId ? -1 : 1));
    const byName = new Map(chains.flatMap((chain) => this.#namesOf(chain).map((name): [string, EvmChain] => [name, chain])));
    this.#known = { chains, sorted, byName };
    this.version++;
    return this.#known;
  }

  #namesOf({ evmChainId, settings: { blockchainId } }: EvmChain): string[] {
    if (blockchainId === undefined) return [`${evmChainId}`];
    const isOfNetwork = blockchainId === this.#network.cChainId;
    return [`${evmChainId}`, formatId(blockchainId), ...(isOfNetwork ? [publicChainId(C_CHAIN, labelOf(this.#network))] : [])];
  }
}
