/** A devnet's C-chain among the EVM chains that the Data API serves. */
import type { EvmChain, EvmChainDirectory } from "../data/evm/evm-chain.ts";
import type { Devnet, ServedEvmChain } from "../devnet/devnet.ts";
import { indexedChain } from "../devnet/evm-indexed.ts";
import { entryOf } from "../evm/chain-entry.ts";
import type { EvmChainSettings } from "../evm/chain-settings.ts";
import { openLabels } from "../evm/labels/open-labels.ts";
import { completeSettings } from "../ingest/evm/complete-settings.ts";
import { nameId, PRIMARY_NETWORK_ID } from "../primitives/id.ts";

export class DevnetEvmChains implements EvmChainDirectory {
  readonly #devnet: Devnet;
  #chains: Promise<readonly EvmChain[]> = Promise.resolve([]);

  constructor(devnet: Devnet) {
    this.#devnet = devnet;
  }

  /** Known from the start, whether or not a block is indexed yet. */
  of(): Promise<readonly EvmChain[]> {
    return this.#chains;
  }

  /** The server listens: clients can be told where. It is kept for `firn serve`, which may show the network later. */
  async open(url: string): Promise<void> {
    const { store, network, evmChain } = this.#devnet;
    if (evmChain === undefined) return;
    const { evmChainId } = evmChain;
    const entry = { ...entryOf([`${url}/ext/bc/C/rpc`]), publicWsUrl: `${url}/ext/bc/C/ws`.replace(/^http/, "ws") };
    const settings = completeSettings(entry, {
      evmChainId,
      isAvalanche: true,
      blockchainId: network.cChainId,
      subnetId: PRIMARY_NETWORK_ID,
      vmId: nameId("evm"),
      networkId: network.networkId,
    });
    const { chain } = await indexedChain(store, evmChainId);
    this.#chains = chainOf(chain, evmChain, settings).then((opened) => [opened]);
    await evmChain.keep(settings);
  }
}

async function chainOf(chain: number, served: ServedEvmChain, settings: EvmChainSettings): Promise<EvmChain> {
  const { evmChainId, rpc } = served;
  return {
    chain,
    evmChainId,
    settings,
    rpc,
    get multicall() {
      return served.multicall;
    },
    labels: await openLabels(settings.files, evmChainId),
    reindexNft: (token, tokenId) => served.reindexNft(token, tokenId),
  };
}
