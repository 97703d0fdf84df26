/** Lists a devnet's C-chain among the EVM chains that the Data API serves. */
import type { EvmChain, EvmChainDirectory } from "../data/evm/evm-chain.ts";
import { indexedChain } from "../devnet/c-chain/indexed-height.ts";
import type { Devnet } from "../devnet/devnet.ts";
import type { ServedCChain } from "../devnet/devnet-types.ts";
import { entryOf } from "../evm/chain-entry.ts";
import type { EvmChainSettings } from "../evm/chain-settings.ts";
import { completeSettings } from "../evm/ingest/complete-settings.ts";
import { openLabels } from "../evm/labels/open-labels.ts";
import { nameId, PRIMARY_NETWORK_ID } from "../primitives/id.ts";

export class DevnetEvmChains implements EvmChainDirectory {
  readonly #devnet: Devnet;
  #chains: Promise<readonly EvmChain[]> = Promise.resolve([]);

  constructor(devnet: Devnet) {
    this.#devnet = devnet;
  }

  /** The chain is known from the start, even before its first block is indexed. */
  of(): Promise<readonly EvmChain[]> {
    return this.#chains;
  }

  /** Call this once the server listens, with its URL. The settings are kept, so that `firn serve` can serve the network later. */
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

async function chainOf(chain: number, served: ServedCChain, settings: EvmChainSettings): Promise<EvmChain> {
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
