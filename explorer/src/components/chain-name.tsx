/** The name of a chain in its colour. */
import { type Overview, useOverview } from "../api/overview.ts";
import { ChainText } from "./chain-text.tsx";

interface ChainNameProps {
  /** `P`, `X`, `C` or an EVM chain ID */
  readonly alias: string;
  readonly name?: string;
  /** of P, X and C the letter alone */
  readonly isShort?: boolean;
}

/** In its colour, the same on all pages: the C-chain's EVM has that of C. */
export function ChainName({ alias, name, isShort = false }: ChainNameProps) {
  const { data: overview } = useOverview();
  const isPrimary = /^[PXC]$/.test(alias);
  const colour = isPrimary ? alias : overview !== undefined && isCChain(overview, alias) ? "C" : undefined;
  return (
    <span class={colour === undefined ? "chain-name" : `chain-name ${colour}`}>
      {name !== undefined ? <ChainText text={name} longest={40} /> : isPrimary ? isShort ? alias : `${alias}-chain` : `chain ${alias}`}
    </span>
  );
}

function isCChain({ chains, evmChains }: Overview, evmChainId: string): boolean {
  const blockchainId = evmChains.find((chain) => chain.evmChainId === evmChainId)?.blockchainId;
  return blockchainId !== undefined && chains.some((chain) => chain.alias === "C" && chain.blockchainId === blockchainId);
}
