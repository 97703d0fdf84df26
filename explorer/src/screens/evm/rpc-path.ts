import type { Overview } from "../../api/overview.ts";
import type { EvmChain } from "./evm-chain.tsx";

/** Where the chain's EVM is called, below `ext/`. Only a devnet's server runs it; others have no such path: undefined. */
export function rpcPath({ isC, info: { platformChainId } }: EvmChain, overview: Overview | undefined): string | undefined {
  if (!overview?.isDevnet || platformChainId === undefined) return undefined;
  return `bc/${isC ? "C" : platformChainId}/rpc`;
}
