/** Screens of EVM chains. */
import type { ScreenRoute } from "../../components/screen.tsx";

export const evmScreens: readonly ScreenRoute[] = [
  { path: "/evm/:chainId", load: () => import("./chain.tsx").then(({ EvmChainScreen }) => EvmChainScreen) },
  { path: "/evm/:chainId/blocks", load: () => import("./blocks.tsx").then(({ EvmBlocks }) => EvmBlocks) },
  { path: "/evm/:chainId/txs", load: () => import("./transactions.tsx").then(({ EvmTransactions }) => EvmTransactions) },
  { path: "/evm/:chainId/block/:id", load: () => import("./block.tsx").then(({ EvmBlockScreen }) => EvmBlockScreen) },
  {
    path: "/evm/:chainId/tx/:id/:tab?",
    load: () => import("./transaction.tsx").then(({ EvmTransactionScreen }) => EvmTransactionScreen),
  },
  { path: "/evm/:chainId/messages", load: () => import("./messages.tsx").then(({ MessagesScreen }) => MessagesScreen) },
  { path: "/evm/:chainId/message/:id", load: () => import("./messages.tsx").then(({ MessageScreen }) => MessageScreen) },
  { path: "/evm/:chainId/tokens", load: () => import("./tokens.tsx").then(({ EvmTokens }) => EvmTokens) },
  { path: "/evm/:chainId/token/:address/:tab?", load: () => import("./token.tsx").then(({ TokenScreen }) => TokenScreen) },
  { path: "/evm/:chainId/nft/:address/:tokenId", load: () => import("./nft.tsx").then(({ NftScreen }) => NftScreen) },
  { path: "/evm/:chainId/contract/:address/:tab?", load: () => import("./contract.tsx").then(({ ContractScreen }) => ContractScreen) },
];
