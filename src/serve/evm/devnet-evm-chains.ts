/** Lists a devnet's C-chain and the chains of its L1s among the EVM chains that the Data API serves. */
import type { EvmChain, EvmChainDirectory } from "../../api/data/evm/evm-chain.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import { nameId, PRIMARY_NETWORK_ID } from "../../base/bytes/id.ts";
import type { Devnet } from "../../devnet/devnet.ts";
import type { ServedEvmChain } from "../../devnet/devnet-types.ts";
import type { RunningEvm } from "../../devnet/evm/evm-chains.ts";
import { indexedChain } from "../../devnet/evm/indexed-height.ts";
import { type EvmChainEntry, entryOf } from "../../evm/chain-entry.ts";
import type { EvmChainSettings } from "../../evm/chain-settings.ts";
import { completeSettings } from "../../evm/ingest/complete-settings.ts";
import { openLabels } from "../../evm/labels/open-labels.ts";

const NO_CHAINS: readonly EvmChain[] = [];

export class DevnetEvmChains implements EvmChainDirectory {
  readonly #devnet: Devnet;
  readonly #settings = new Map<RunningEvm, EvmChainSettings>();
  /** made again when a chain comes or goes, and after a revert, which may change their numbers */
  #listed: { readonly running: readonly RunningEvm[]; readonly generation: number; readonly chains: Promise<readonly EvmChain[]> };

  constructor(devnet: Devnet) {
    this.#devnet = devnet;
    this.#listed = { running: [], generation: -1, chains: Promise.resolve(NO_CHAINS) };
  }

  /** A chain is known from its start, even before its first block is indexed. */
  of(): Promise<readonly EvmChain[]> {
    const { evms, generation } = this.#devnet;
    const running = evms.all.filter((one) => this.#settings.has(one));
    const isSame = this.#listed.generation === generation && this.#listed.running.length === running.length;
    if (!isSame || running.some((one, index) => one !== this.#listed.running[index])) {
      this.#listed = { running, generation, chains: this.#chainsOf(running) };
    }
    return this.#listed.chains;
  }

  /** Call this once the server listens, with its URL. The settings are kept, so that `firn serve` can serve the network later. */
  open(url: string): Promise<void> {
    return this.#devnet.evms.watch(async (running) => {
      const settings = settingsOf(running, this.#devnet, url);
      await running.chain.keep(settings);
      this.#settings.set(running, settings);
    });
  }

  async #chainsOf(running: readonly RunningEvm[]): Promise<readonly EvmChain[]> {
    const { store } = this.#devnet;
    const chains = await Promise.all(
      running.map(async (one) => {
        const { chain } = await indexedChain(store, one.spec.evmChainId);
        return chainOf(chain, one.chain, this.#settings.get(one)!);
      }),
    );
    return chains.sort((a, b) => a.chain - b.chain);
  }
}

function settingsOf({ spec }: RunningEvm, { network }: Devnet, url: string): EvmChainSettings {
  const { l1, chainId, evmChainId } = spec;
  const base = `${url}/ext/bc/${l1 === undefined ? "C" : formatId(chainId)}`;
  const urls = { ...entryOf([`${base}/rpc`]), publicWsUrl: `${base}/ws`.replace(/^http/, "ws") };
  // an L1 may have the chain ID of a public chain
  const named: Partial<EvmChainEntry> | undefined = l1 && {
    name: l1.chainName === "" ? `EVM chain ${evmChainId}` : l1.chainName,
    description: "",
    isTestnet: true,
    nativeToken: { name: "Native token", symbol: "NATIVE" },
  };
  return completeSettings(
    { ...urls, ...named },
    {
      evmChainId,
      isAvalanche: true,
      blockchainId: chainId,
      subnetId: l1?.subnetId ?? PRIMARY_NETWORK_ID,
      vmId: nameId(l1 === undefined ? "evm" : "subnetevm"),
      networkId: network.networkId,
    },
  );
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
