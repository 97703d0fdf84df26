/**
 * Resolves `{network}` and `{blockchainId}` of paths. Official clients accept only `mainnet`, `fuji` and `testnet`, and only the public
 * networks' blockchain IDs. So every network but mainnet also answers as Fuji, and under Fuji's IDs.
 */

import Type from "typebox";
import { formatId } from "../../base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { C_CHAIN, chainIdOf, P_CHAIN, type PrimaryChain, primaryChains, X_CHAIN } from "../../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { FUJI_ID, MAINNET_ID } from "../../network/presets.ts";
import { PUBLIC_CHAIN_IDS } from "../../network/standalone.ts";
import type { ChainContext } from "./context.ts";
import { badRequest, notFound } from "./errors.ts";
import { shown } from "./ids.ts";
import { namedObject } from "./named-object.ts";

/** `chainInfo` in the answers of most routes below `{blockchainId}`. It always has the alias and the label, whatever the path used. */
export const CHAIN_NAMES = ["p-chain", "x-chain", "c-chain"] as const;
type ChainName = (typeof CHAIN_NAMES)[number];

export function chainNameOf(chain: PrimaryChain): ChainName {
  return CHAIN_NAMES[chain];
}

export interface ChainInfo {
  readonly chainName: ChainName;
  readonly network: "mainnet" | "fuji";
}

export const chainInfoSchema = namedObject(
  "PrimaryNetworkChainInfo",
  {
    chainName: Type.Union([Type.Literal("p-chain"), Type.Literal("x-chain"), Type.Literal("c-chain")]),
    network: Type.Union([Type.Literal("mainnet"), Type.Literal("fuji")], { description: "`fuji` on every network but mainnet." }),
  },
  { description: "The chain of the answer." },
);

export function chainInfo({ chain, label }: Pick<ChainContext, "chain" | "label">): ChainInfo {
  return { chainName: chainNameOf(chain), network: label };
}

export type NetworkLabel = "mainnet" | "fuji";

/** Blockchain IDs that clients know. On mainnet and Fuji they are the network's own. */
const PUBLIC_IDS: Readonly<Record<NetworkLabel, Readonly<Record<PrimaryChain, string>>>> = {
  mainnet: {
    [P_CHAIN]: formatId(PLATFORM_CHAIN_ID),
    [X_CHAIN]: PUBLIC_CHAIN_IDS.mainnet.x,
    [C_CHAIN]: PUBLIC_CHAIN_IDS.mainnet.c,
  },
  fuji: {
    [P_CHAIN]: formatId(PLATFORM_CHAIN_ID),
    [X_CHAIN]: PUBLIC_CHAIN_IDS.fuji.x,
    [C_CHAIN]: PUBLIC_CHAIN_IDS.fuji.c,
  },
};

export function labelOf({ networkId }: Pick<NetworkInstance, "networkId">): NetworkLabel {
  return networkId === MAINNET_ID ? "mainnet" : "fuji";
}

/** The blockchain ID under which clients of this label know the chain. */
export function publicChainId(chain: PrimaryChain, label: NetworkLabel): string {
  return PUBLIC_IDS[label][chain];
}

export class NetworkPaths {
  readonly label: NetworkLabel;
  readonly #served: ReadonlySet<string>;
  readonly #known: ReadonlySet<string>;
  readonly #chains = new Map<string, PrimaryChain>();

  constructor(network: NetworkInstance) {
    this.label = labelOf(network);
    const own = network.networkId === FUJI_ID ? [] : [network.name, `${network.networkId}`];
    this.#served = new Set(this.label === "mainnet" ? ["mainnet"] : [...own, "fuji", "testnet"]);
    this.#known = new Set(["mainnet", "fuji", "testnet", ...this.#served]);
    for (const chain of primaryChains) {
      this.#chains.set(CHAIN_NAMES[chain], chain);
      this.#chains.set(publicChainId(chain, this.label), chain);
      this.#chains.set(formatId(chainIdOf(chain, network)), chain);
    }
  }

  /** Throws unless the text names the network of this store. */
  checkNetwork(text: string): void {
    if (this.#served.has(text)) return;
    const served = [...this.#served].join(", ");
    if (this.#known.has(text)) throw notFound(`network ${text} is not served here; use ${served}`);
    throw badRequest(`network must be one of ${[...this.#known].join(", ")}, got ${shown(text)}; served here: ${served}`);
  }

  /** The chain, if the route accepts it. */
  chainOf(text: string, taken: readonly PrimaryChain[], name = "blockchainId"): PrimaryChain {
    const chain = this.#chains.get(text);
    if (chain !== undefined && taken.includes(chain)) return chain;
    const wanted = taken.map((each) => CHAIN_NAMES[each]).join(", ");
    throw badRequest(`${name} must be ${wanted} or the blockchain ID of it, got ${shown(text)}`);
  }
}
