/** `chainInfo` in the answers of most routes below `{blockchainId}`. It always has the alias and the label, whatever the path used. */
import Type from "typebox";
import type { PrimaryChain } from "../../index/primary/primary-chain.ts";
import type { ChainContext } from "./context.ts";
import { namedObject } from "./named-object.ts";

export const CHAIN_NAMES = ["p-chain", "x-chain", "c-chain"] as const;
export type ChainName = (typeof CHAIN_NAMES)[number];

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
