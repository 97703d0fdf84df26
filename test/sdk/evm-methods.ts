/** The clients' methods for EVM chains and NFTs. */
import type { Method } from "./data-methods.ts";

const EVM = "data.evm";
const ADDRESS = `${EVM}.address`;

export const EVM_METHODS = {
  listChains: { path: `${EVM}.chains.list`, glacier: "evmChains.supportedChains" },
  getChain: { path: `${EVM}.chains.get`, glacier: "evmChains.getChainInfo" },
  listChainsOfAddress: { path: `${ADDRESS}.chains.list`, glacier: "evmChains.listAddressChains" },
  getChainsOfAddress: { path: `${EVM}.chains.getAddressChains`, glacier: "evmChains.getAddressChains" },
  listEvmBlocks: { path: `${EVM}.blocks.listLatest`, glacier: "evmBlocks.getLatestBlocks", list: "blocks" },
  listEvmBlocksOfAll: { path: `${EVM}.blocks.listLatestAllChains`, glacier: "evmBlocks.listLatestBlocksAllChains", list: "blocks" },
  listEvmBlocksByAlias: { path: `${EVM}.chains.listAllLatestBlocks`, glacier: "evmChains.listAllLatestBlocks", list: "blocks" },
  getEvmBlock: { path: `${EVM}.blocks.get`, glacier: "evmBlocks.getBlock" },
  // no client walks its pages
  listTransactionsOfBlock: { path: `${EVM}.blocks.listTransactions`, glacier: "evmTransactions.getTransactionsForBlock" },
  listEvmTransactions: { path: `${EVM}.transactions.listLatest`, glacier: "evmTransactions.listLatestTransactions", list: "transactions" },
  listEvmTransactionsOfAll: {
    path: `${EVM}.transactions.listLatestAllChains`,
    glacier: "evmTransactions.listLatestTransactionsAllChains",
    list: "transactions",
  },
  listEvmTransactionsByAlias: {
    path: `${EVM}.chains.listAllLatestTransactions`,
    glacier: "evmChains.listAllLatestTransactions",
    list: "transactions",
  },
  getEvmTransaction: { path: `${EVM}.transactions.get`, glacier: "evmTransactions.getTransaction" },
  listTransactionsOfAddress: { path: `${ADDRESS}.transactions.list`, glacier: "evmTransactions.listTransactions", list: "transactions" },
  listNative: { path: `${ADDRESS}.transactions.listNative`, glacier: "evmTransactions.listNativeTransactions", list: "transactions" },
  listErc20: { path: `${ADDRESS}.transactions.listErc20`, glacier: "evmTransactions.listErc20Transactions", list: "transactions" },
  listErc721: { path: `${ADDRESS}.transactions.listErc721`, glacier: "evmTransactions.listErc721Transactions", list: "transactions" },
  listErc1155: { path: `${ADDRESS}.transactions.listErc1155`, glacier: "evmTransactions.listErc1155Transactions", list: "transactions" },
  listInternals: {
    path: `${ADDRESS}.transactions.listInternal`,
    glacier: "evmTransactions.listInternalTransactions",
    list: "transactions",
  },
  listDeployments: { path: `${ADDRESS}.contracts.listDeployments`, glacier: "evmTransactions.listContractDeployments", list: "contracts" },
  getNativeBalance: { path: `${ADDRESS}.balances.getNative`, glacier: "evmBalances.getNativeBalance" },
  listErc20Balances: { path: `${ADDRESS}.balances.listErc20`, glacier: "evmBalances.listErc20Balances", list: "erc20TokenBalances" },
  listErc721Balances: { path: `${ADDRESS}.balances.listErc721`, glacier: "evmBalances.listErc721Balances", list: "erc721TokenBalances" },
  listErc1155Balances: {
    path: `${ADDRESS}.balances.listErc1155`,
    glacier: "evmBalances.listErc1155Balances",
    list: "erc1155TokenBalances",
  },
  listCollectibles: {
    path: `${ADDRESS}.balances.listCollectibles`,
    glacier: "evmBalances.listCollectibleBalances",
    list: "collectibleBalances",
  },
  getContract: { path: `${EVM}.contracts.getMetadata`, glacier: "evmContracts.getContractMetadata" },
  getDeployment: { path: `${EVM}.contracts.getDeploymentTransaction`, glacier: "evmTransactions.getDeploymentTransaction" },
  listTransfers: { path: `${EVM}.contracts.listTransfers`, glacier: "evmTransactions.listTransfers", list: "transfers" },
  listNfts: { path: "data.nfts.list", glacier: "nfTs.listTokens", list: "tokens" },
  getNft: { path: "data.nfts.get", glacier: "nfTs.getTokenDetails" },
  reindexNft: { path: "data.nfts.reindex", glacier: "nfTs.reindexNft", hasNoAnswer: true },
} as const satisfies Record<string, Method>;

export type EvmMethodName = keyof typeof EVM_METHODS;
export const EVM_METHOD_NAMES = Object.keys(EVM_METHODS) as EvmMethodName[];
