/** A devnet's C-chain among the EVM chains that the Data API serves. */
import type { EvmChain, EvmChainDirectory } from "../data/evm/evm-chain.ts";
import type { Devnet, ServedEvmChain } from "../devnet/devnet.ts";
import { evmChainNumber } from "../devnet/evm-indexed.ts";
import { entryOf } from "../evm/chain-entry.ts";
import type { EvmChainSettings } from "../evm/chain-settings.ts";
import { openLabels } from "../evm/labels/open-labels.ts";
import { completeSettings } from "../ingest/evm/complete-settings.ts";
import { nameId, PRIMARY_NETWORK_ID } from "../primitives/id.ts";

/** @param url of this server, which is known once it listens */
export function devnetEvmChains(devnet: Devnet, url: () => string): EvmChainDirectory {
  const served = devnet.evmChain;
  let chains: Promise<readonly EvmChain[]> | undefined;
  return {
    of() {
      chains ??= served === undefined ? Promise.resolve([]) : openChain(devnet, served, url()).then((chain) => [chain]);
      return chains;
    },
  };
}

async function openChain({ store, network }: Devnet, served: ServedEvmChain, url: string): Promise<EvmChain> {
  const { evmChainId, rpc } = served;
  const entry = { ...entryOf([`${url}/ext/bc/C/rpc`]), publicWsUrl: `${url}/ext/bc/C/ws`.replace(/^http/, "ws") };
  const settings: EvmChainSettings = completeSettings(entry, {
    evmChainId,
    isAvalanche: true,
    blockchainId: network.cChainId,
    subnetId: PRIMARY_NETWORK_ID,
    vmId: nameId("evm"),
    networkId: network.networkId,
  });
  return {
    chain: await evmChainNumber(store, evmChainId),
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
