/** What an overview says of each chain, in the form that the home page shows. */
import type { ComponentChildren } from "preact";
import type { components } from "../../api/data-api.d.ts";
import type { Overview } from "../../api/overview.ts";
import { ChainName } from "../../components/chain-name.tsx";
import { to } from "../../router.ts";

export interface ChainNews {
  /** alias or EVM chain ID, as the headers name the chain */
  readonly id: string;
  readonly name: ComponentChildren;
  readonly href: string;
  readonly height: string | undefined;
  readonly newest: string;
  readonly timestamp: number | undefined;
  /** wei per gas */
  readonly baseFee: string | undefined;
}

type PrimaryChain = components["schemas"]["OverviewChain"];
type EvmChain = components["schemas"]["OverviewEvmChain"];

/** The C-chain of the primary network is one chain: what its EVM did, and its imports and exports. */
export function newsOf({ chains, evmChains }: Overview): readonly ChainNews[] {
  const c = chains.find(({ alias }) => alias === "C");
  const isC = ({ blockchainId }: EvmChain) => blockchainId !== undefined && blockchainId === c?.blockchainId;
  const primary = chains.filter((chain) => chain !== c || !evmChains.some(isC)).map(newsOfPrimary);
  // C stands beside P and X, whatever its ID
  const inOrder = [...evmChains.filter(isC), ...evmChains.filter((chain) => !isC(chain))];
  return [...primary, ...inOrder.map((chain) => newsOfEvm(chain, isC(chain)))];
}

function newsOfPrimary({ alias, height, timestamp }: PrimaryChain): ChainNews {
  const href = to.blocks(alias);
  return { id: alias, name: <ChainName alias={alias} />, href, height, newest: to.block(alias, height), timestamp, baseFee: undefined };
}

function newsOfEvm({ evmChainId, name, height, timestamp, baseFee }: EvmChain, isC: boolean): ChainNews {
  return {
    id: evmChainId,
    name: isC ? <ChainName alias="C" /> : <ChainName alias={evmChainId} name={name} />,
    href: to.evm(evmChainId),
    height,
    newest: to.evmBlock(evmChainId, height ?? 0),
    timestamp,
    baseFee,
  };
}
