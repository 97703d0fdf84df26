/** The EVM chain that a screen is about: its name and its coin. One request, which all screens of the chain share. */
import type { ComponentChildren } from "preact";
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { type Overview, useOverview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { ChainName } from "../../components/chain-name.tsx";
import { Answer, ScreenLoading } from "../../components/states.tsx";
import { to } from "../../router.ts";

/** A chain's coin. */
export interface Coin {
  /** EVM chain ID */
  readonly chainId: string;
  readonly symbol: string;
  readonly decimals: number;
}

export interface EvmChain extends Coin {
  readonly name: string;
  /** whether it is the C-chain of the primary network that this server has */
  readonly isC: boolean;
  /** whether this server has the P-chain, which knows blockchains and subnets */
  readonly hasP: boolean;
  readonly info: components["schemas"]["ChainInfo"];
}

interface OfChainProps {
  readonly chainId: string;
  /** of a screen that has a title already */
  readonly isPart?: boolean;
  children(chain: EvmChain): ComponentChildren;
}

export function OfChain({ chainId, isPart = false, children }: OfChainProps) {
  const info = useAnswer(["evmChain", chainId], () => answerOf(data.GET("/v1/chains/{chainId}", { params: { path: { chainId } } })));
  const { data: overview } = useOverview();
  if (info.isLoading && !isPart) return <ScreenLoading />;
  return <Answer of={info}>{(answer) => children(evmChain(answer, overview))}</Answer>;
}

function evmChain(info: components["schemas"]["ChainInfo"], overview: Overview | undefined): EvmChain {
  const { chainId, chainName: name, networkToken, platformChainId } = info;
  const isC = overview?.chains.some(({ alias, blockchainId }) => alias === "C" && blockchainId === platformChainId) ?? false;
  const hasP = overview?.chains.some(({ alias }) => alias === "P") ?? false;
  return { chainId, name, symbol: networkToken.symbol, decimals: networkToken.decimals, isC, hasP, info };
}

/** The chain's name, which leads to its page. */
export function ChainLink({ chain: { chainId, name, isC } }: { readonly chain: EvmChain }) {
  return (
    <a href={to.evm(chainId)}>
      <ChainName alias={isC ? "C" : chainId} name={name} />
    </a>
  );
}
