/** All screens by path. To add one, write its file, a line here, and its path in `router.ts`. */
import type { LoadScreen } from "../components/screen.tsx";
import { primaryScreens } from "./primary/routes.ts";
import { stakingScreens } from "./staking/routes.ts";

export interface ScreenRoute {
  /** `:name` is a part of the path that the screen gets as a parameter; `?` makes it optional */
  readonly path: string;
  readonly load: LoadScreen;
}

const address: LoadScreen = () => import("./address/address.tsx").then(({ Address }) => Address);

export const screens: readonly ScreenRoute[] = [
  { path: "/", load: () => import("./home/home.tsx").then(({ Home }) => Home) },
  { path: "/evm/:chainId", load: () => import("./evm/chain.tsx").then(({ EvmChainScreen }) => EvmChainScreen) },
  { path: "/evm/:chainId/blocks", load: () => import("./evm/blocks.tsx").then(({ EvmBlocks }) => EvmBlocks) },
  { path: "/evm/:chainId/txs", load: () => import("./evm/transactions.tsx").then(({ EvmTransactions }) => EvmTransactions) },
  { path: "/evm/:chainId/block/:id", load: () => import("./evm/block.tsx").then(({ EvmBlockScreen }) => EvmBlockScreen) },
  {
    path: "/evm/:chainId/tx/:id",
    load: () => import("./evm/transaction.tsx").then(({ EvmTransactionScreen }) => EvmTransactionScreen),
  },
  { path: "/evm/:chainId/contract/:address", load: () => import("./evm/contract.tsx").then(({ ContractScreen }) => ContractScreen) },
  ...primaryScreens,
  ...stakingScreens,
  { path: "/address/:address/:tab?", load: address },
  { path: "/evm/:chainId/address/:address/:tab?", load: address },
];
