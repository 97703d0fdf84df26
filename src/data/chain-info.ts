/** `chainInfo`, which the answers of most routes below `{blockchainId}` carry: always the alias and the label, whatever the path said. */
import Type from "typebox";
import type { PrimaryChain } from "../index/primary/primary-chain.ts";
import type { DataContext } from "./context.ts";

export const CHAIN_NAMES = ["p-chain", "x-chain", "c-chain"] as const;
export type ChainName = (typeof CHAIN_NAMES)[number];

export function chainNameOf(chain: PrimaryChain): ChainName {
  return CHAIN_NAMES[chain];
}

export interface ChainInfo {
  readonly chainName: ChainName;
  readonly network: "mainnet" | "fuji";
}

export const chainInfoSchema = Type.Object(
  {
    chainName: Type.Union([Type.Literal("p-chain"), Type.Literal("x-chain"), Type.Literal("c-chain")]),
    network: Type.Union([Type.Literal("mainnet"), Type.Literal("fuji")], { description: "`fuji` on every network but mainnet." }),
  },
  { description: "Which chain the answer is of." },
);

export function chainInfo({ chain, label }: Pick<DataContext, "chain" | "label">): ChainInfo {
  return { chainName: chainNameOf(chain), network: label };
}
