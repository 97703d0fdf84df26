/** What the overview knows of P, X and C: no request of its own. */
import { useOverview } from "../../api/overview.ts";
import type { PrimaryAlias } from "../../router.ts";

/** The same on every network. */
export const PLATFORM_CHAIN_ID = "11111111111111111111111111111111LpoYY";
/** The primary network has it as a subnet, and outputs of the genesis as their transaction. */
export const EMPTY_ID = PLATFORM_CHAIN_ID;

/** The Data API's names of the chains. */
export const NAMES = { P: "p-chain", X: "x-chain", C: "c-chain" } as const;

export interface Chains {
  /** undefined for a chain that is not indexed here */
  aliasOf(blockchainId: string | undefined): PrimaryAlias | undefined;
  idOf(alias: PrimaryAlias): string | undefined;
  heightOf(alias: PrimaryAlias): bigint | undefined;
  /** the C-chain's EVM, if that is indexed */
  readonly evmChainId: string | undefined;
  /** what addresses begin with after the chain, such as `avax` */
  readonly prefix: string | undefined;
}

/** undefined until the overview is there */
export function useChains(): Chains | undefined {
  const { data: overview } = useOverview();
  if (overview === undefined) return undefined;
  const { chains, evmChains, hrp } = overview;
  const idOf = (alias: PrimaryAlias) => (alias === "P" ? PLATFORM_CHAIN_ID : chains.find((chain) => chain.alias === alias)?.blockchainId);
  const c = idOf("C");
  return {
    aliasOf: (blockchainId) =>
      blockchainId === PLATFORM_CHAIN_ID ? "P" : chains.find((chain) => chain.blockchainId === blockchainId)?.alias,
    idOf,
    heightOf(alias) {
      const height = chains.find((chain) => chain.alias === alias)?.height;
      return height === undefined ? undefined : BigInt(height);
    },
    evmChainId: evmChains.find(({ blockchainId }) => blockchainId !== undefined && blockchainId === c)?.evmChainId,
    prefix: hrp,
  };
}
