/** Completes the operator's settings of a chain with what the chain says about itself, and with defaults. Pure. */

import { parseId } from "../../base/bytes/cb58.ts";
import { type Id, nameId, PRIMARY_NETWORK_ID } from "../../base/bytes/id.ts";
import { MAINNET_ID } from "../../network/presets.ts";
import { PUBLIC_CHAIN_IDS } from "../../network/standalone.ts";
import type { EvmChainEntry } from "../chain-entry.ts";
import type { EvmChainSettings, NativeToken } from "../chain-settings.ts";
import type { ChainFacts } from "./chain-facts.ts";

interface KnownChain {
  readonly name: string;
  readonly token: "AVAX" | "ETH";
  readonly isTestnet: boolean;
  readonly blockchainId?: Id;
}

const C_CHAIN_NAME = "Avalanche (C-Chain)";
/** Public chains, whose settings are known. */
const KNOWN: ReadonlyMap<bigint, KnownChain> = new Map<bigint, KnownChain>([
  [43_114n, { name: C_CHAIN_NAME, token: "AVAX", isTestnet: false, blockchainId: parseId(PUBLIC_CHAIN_IDS.mainnet.c) }],
  [43_113n, { name: C_CHAIN_NAME, token: "AVAX", isTestnet: true, blockchainId: parseId(PUBLIC_CHAIN_IDS.fuji.c) }],
  [43_112n, { name: C_CHAIN_NAME, token: "AVAX", isTestnet: true }],
  [1n, { name: "Ethereum", token: "ETH", isTestnet: false }],
  [31_337n, { name: "Development chain", token: "ETH", isTestnet: true }],
]);

const TOKENS = {
  AVAX: { name: "Avalanche", symbol: "AVAX" },
  ETH: { name: "Ether", symbol: "ETH" },
  unknown: { name: "Native token", symbol: "NATIVE" },
} as const;

const C_CHAIN_DESCRIPTION = "The contract chain of the Primary Network.";
/** number of blocks after which nodes and explorers usually treat a block as final */
const USUAL_REORG_DEPTH = 128;
/** where the reference implementation of the interchain messenger is on every chain */
const USUAL_MESSENGERS = ["253b2784c75e510dd0ff1da844684a1ac0aa5fcf"];
const NFT_DEFAULTS = { fetches: false, ipfsGateway: undefined, maxBytes: 1 << 20, timeoutMs: 10_000 };

export function completeSettings(entry: EvmChainEntry, facts: ChainFacts): EvmChainSettings {
  const known = KNOWN.get(facts.evmChainId);
  const isCChain = facts.subnetId === PRIMARY_NETWORK_ID || known?.token === "AVAX";
  const { rpc, evmChainId: _, nativeToken, files, nfts, ...given } = entry;
  return {
    blockchainId: facts.blockchainId ?? known?.blockchainId,
    subnetId: facts.subnetId ?? (isCChain ? PRIMARY_NETWORK_ID : undefined),
    vmId: facts.vmId ?? (isCChain ? nameId("evm") : undefined),
    publicWsUrl: undefined,
    explorerUrl: undefined,
    logoUri: undefined,
    multicall: undefined,
    ...defined(given),
    rpc,
    name: given.name ?? (isCChain ? C_CHAIN_NAME : (facts.blockchainName ?? known?.name ?? `EVM chain ${facts.evmChainId}`)),
    description: given.description ?? (isCChain ? C_CHAIN_DESCRIPTION : ""),
    isTestnet: given.isTestnet ?? (facts.networkId === undefined ? (known?.isTestnet ?? false) : facts.networkId !== MAINNET_ID),
    nativeToken: completeToken(nativeToken, isCChain ? "AVAX" : known?.token),
    publicRpcUrl: given.publicRpcUrl ?? publicUrl(rpc),
    isPrivate: given.isPrivate ?? false,
    startBlock: given.startBlock ?? 0n,
    maxReorgDepth: given.maxReorgDepth ?? (facts.isAvalanche ? 0 : USUAL_REORG_DEPTH),
    traces: given.traces ?? true,
    metrics: given.metrics ?? true,
    messengers: given.messengers ?? USUAL_MESSENGERS,
    files,
    nfts: { ...NFT_DEFAULTS, ...defined(nfts) },
  };
}

function completeToken(given: EvmChainEntry["nativeToken"], known: "AVAX" | "ETH" | undefined): NativeToken {
  return { decimals: 18, logoUri: undefined, description: undefined, ...TOKENS[known ?? "unknown"], ...defined(given) };
}

/**
 * Removes credentials and query, which may be secrets. A WebSocket URL becomes the HTTP URL of the same server, since clients need HTTP.
 */
function publicUrl(rpc: readonly string[]): string {
  const url = new URL(rpc.find((each) => each.startsWith("http")) ?? rpc[0]!);
  return `${url.protocol.replace("ws", "http")}//${url.host}${url.pathname}`;
}

type Defined<T> = { [N in keyof T]: Exclude<T[N], undefined> };

/** Drops undefined members, so that they do not hide defaults. */
function defined<T extends object>(values: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Defined<T>>;
}
