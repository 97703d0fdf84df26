/** Describes a running network for people and programs. IDs and addresses are text, as in the APIs. */

import { formatId, formatNodeId } from "../../base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { parseGenesis } from "../../chains/platform/genesis/genesis.ts";
import { type DevnetAccount, devnetAccounts } from "../../devnet/accounts.ts";
import { cChainGenesis } from "../../devnet/anvil/chains/c-chain-genesis.ts";
import type { Devnet } from "../../devnet/devnet.ts";
import { UPGRADE_NAMES } from "../../network/network.ts";
import { UNSCHEDULED } from "../../network/presets.ts";
import { devnetIdentity } from "../devnet-identity.ts";

export interface NetworkDescription {
  readonly url: string;
  readonly urls: {
    /** JSON-RPC of the P-chain */
    readonly P: string;
    /** JSON-RPC of the X-chain */
    readonly X: string;
    /** JSON-RPC of the C-chain's EVM */
    readonly C: string;
    readonly cWebSocket: string;
    /** atomic transactions of the C-chain */
    readonly cAtomic: string;
    readonly info: string;
    readonly health: string;
    readonly dataApi: string;
    /** the explorer, a web page */
    readonly explorer: string;
    /** reference page of the Data API */
    readonly docs: string;
    /** controls the devnet: clock, mining, snapshots, funding */
    readonly development: string;
  };
  readonly networkId: number;
  readonly networkName: string;
  /** human-readable part of addresses */
  readonly hrp: string;
  readonly evmChainId: number;
  /** the C-chain as wallets and libraries such as viem ask for it */
  readonly chain: {
    readonly id: number;
    readonly name: string;
    readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
    readonly rpcUrls: { readonly default: { readonly http: readonly [string]; readonly webSocket: readonly [string] } };
  };
  readonly blockchainIds: { readonly P: string; readonly X: string; readonly C: string };
  readonly avaxAssetId: string;
  /** the node ID it answers with: the first validator of genesis */
  readonly nodeId: string;
  /** Unix seconds */
  readonly genesisTime: number;
  /** the network clock's time when this was made, Unix seconds */
  readonly time: number;
  /** activation times of upgrades by name, Unix seconds; unscheduled ones are left out */
  readonly upgrades: Readonly<Record<string, number>>;
  /** keys that genesis funds */
  readonly accounts: readonly DevnetAccount[];
  /** from which the accounts after ewoq follow, at m/44'/60'/0'/0/i */
  readonly mnemonic: string;
  readonly dataDirectory: string;
}

export function describeNetwork(
  { network, clock, accountKeys }: Devnet,
  { url, dataDirectory, mnemonic }: { url: string; dataDirectory: string; mnemonic: string },
): NetworkDescription {
  const { times } = network.upgrades;
  const scheduled = UPGRADE_NAMES.filter((name) => times[name] < UNSCHEDULED);
  const urls = urlsOf(url);
  return {
    url,
    urls,
    networkId: network.networkId,
    networkName: network.name,
    hrp: network.hrp,
    evmChainId: cChainGenesis(network).chainId,
    chain: {
      id: cChainGenesis(network).chainId,
      name: `Firn ${network.name}`,
      nativeCurrency: { name: "Avalanche", symbol: "AVAX", decimals: 18 },
      rpcUrls: { default: { http: [urls.C], webSocket: [urls.cWebSocket] } },
    },
    blockchainIds: { P: formatId(PLATFORM_CHAIN_ID), X: formatId(network.xChainId), C: formatId(network.cChainId) },
    avaxAssetId: formatId(network.avaxAssetId),
    nodeId: formatNodeId(devnetIdentity(network).nodeId),
    genesisTime: Number(parseGenesis(network.genesisBytes).timestamp),
    time: Number(clock.seconds()),
    upgrades: Object.fromEntries(scheduled.map((name) => [name, Number(times[name])])),
    accounts: devnetAccounts(network, accountKeys),
    mnemonic,
    dataDirectory,
  };
}

function urlsOf(url: string): NetworkDescription["urls"] {
  const at = (path: string) => `${url}${path}`;
  return {
    P: at("/ext/bc/P"),
    X: at("/ext/bc/X"),
    C: at("/ext/bc/C/rpc"),
    cWebSocket: at("/ext/bc/C/ws").replace(/^http/, "ws"),
    cAtomic: at("/ext/bc/C/avax"),
    info: at("/ext/info"),
    health: at("/ext/health"),
    dataApi: at("/v1"),
    explorer: at("/"),
    docs: at("/docs"),
    development: at("/ext/firn"),
  };
}
