/** All routes of the Data API. To add one, write its file and a line here. */
import { getAssetDetails } from "./assets/get-asset-details.ts";
import { listAssetTransactions } from "./assets/list-asset-transactions.ts";
import { getBlockchain } from "./blockchains/get-blockchain.ts";
import { listBlockchains } from "./blockchains/list-blockchains.ts";
import { getBlock } from "./blocks/get-block.ts";
import { listBlocksOfNode } from "./blocks/list-blocks-of-node.ts";
import { listLatestBlocks } from "./blocks/list-latest-blocks.ts";
import { getNativeBalance } from "./evm/balances/get-native.ts";
import { listCollectibleBalances } from "./evm/balances/list-collectibles.ts";
import { listErc20Balances } from "./evm/balances/list-erc20.ts";
import { listErc721Balances } from "./evm/balances/list-erc721.ts";
import { listErc1155Balances } from "./evm/balances/list-erc1155.ts";
import { listTokenTransfers } from "./evm/balances/list-transfers.ts";
import { getEvmBlock } from "./evm/blocks/get-evm-block.ts";
import { listAllLatestBlocks, listLatestBlocksAllChains } from "./evm/blocks/list-latest-blocks-of-all.ts";
import { listLatestEvmBlocks } from "./evm/blocks/list-latest-evm-blocks.ts";
import { getTransactionCalls } from "./evm/calls/get-transaction-calls.ts";
import { getChain } from "./evm/chains/get-chain.ts";
import { getAddressChains, listAddressChains } from "./evm/chains/list-address-chains.ts";
import { listChains } from "./evm/chains/list-chains.ts";
import { getContractMetadata } from "./evm/contracts/get-metadata.ts";
import { listContractDeployments } from "./evm/contracts/list-deployments.ts";
import { getContractSource, keepContractBuild } from "./evm/contracts/source.ts";
import { getIcmSummary } from "./evm/icm/get-icm-summary.ts";
import { getIcmTimeseries } from "./evm/icm/get-icm-timeseries.ts";
import { getIcmMessage, getTeleporterMessage } from "./evm/icm/get-message.ts";
import { getTeleporterMetrics } from "./evm/icm/get-teleporter-metrics.ts";
import {
  listIcmMessages,
  listIcmMessagesByAddress,
  listTeleporterMessages,
  listTeleporterMessagesByAddress,
} from "./evm/icm/list-messages.ts";
import { listLogs } from "./evm/logs/list-logs.ts";
import { listTransactionLogs } from "./evm/logs/list-transaction-logs.ts";
import { getEvmChainMetrics } from "./evm/metrics/get-chain-metrics.ts";
import { getRollingWindowMetrics } from "./evm/metrics/get-rolling-window-metrics.ts";
import { getMetricChain, listMetricChains } from "./evm/metrics/metric-chains.ts";
import { getNftPicture } from "./evm/nfts/get-picture.ts";
import { getCollectionToken } from "./evm/nfts/get-token.ts";
import { listNftHolders } from "./evm/nfts/list-nft-holders.ts";
import { listCollectionTokens } from "./evm/nfts/list-tokens.ts";
import { reindexNft } from "./evm/nfts/reindex.ts";
import { getChainToken } from "./evm/tokens/get-token.ts";
import { listTokenHolders } from "./evm/tokens/list-holders.ts";
import { listHoldersOverTime } from "./evm/tokens/list-holders-over-time.ts";
import { listChainTokens } from "./evm/tokens/list-tokens.ts";
import { getDeploymentTransaction } from "./evm/transactions/get-deployment-transaction.ts";
import { getEvmTransaction } from "./evm/transactions/get-evm-transaction.ts";
import { listAddressTransactions, listAddressTransactionsV2 } from "./evm/transactions/list-address-transactions.ts";
import { listInternalTransactions } from "./evm/transactions/list-internal-transactions.ts";
import { listLatestEvmTransactions } from "./evm/transactions/list-latest-evm-transactions.ts";
import { listAllLatestTransactions, listLatestTransactionsAllChains } from "./evm/transactions/list-latest-transactions-of-all.ts";
import { listNativeTransactions } from "./evm/transactions/list-native-transactions.ts";
import { listErc20Transactions, listErc721Transactions, listErc1155Transactions } from "./evm/transactions/list-token-transactions.ts";
import { listTransactionsOfBlock } from "./evm/transactions/list-transactions-of-block.ts";
import { healthCheck, metricsHealthCheck } from "./health/health-check.ts";
import { liveCheck, metricsLiveCheck } from "./health/live-check.ts";
import { getBlockchainMetrics } from "./metrics/get-blockchain-metrics.ts";
import { getStakingMetrics } from "./metrics/get-staking-metrics.ts";
import {
  getMetricsByNodeId,
  getMetricsBySubnetId,
  getMetricsByValidationId,
  getTotalL1ValidatorMetrics,
} from "./metrics/l1-fee-metrics.ts";
import { getAvaxSupply } from "./network/get-avax-supply.ts";
import { getNetworkDetails } from "./network/get-network-details.ts";
import { getOverview } from "./overview/get-overview.ts";
import { listHistoricalPrimaryNetworkRewards } from "./rewards/list-historical-rewards.ts";
import { listPendingPrimaryNetworkRewards } from "./rewards/list-pending-rewards.ts";
import type { AnyDataRoute } from "./route.ts";
import { search } from "./search/search.ts";
import { aggregateSignatures, getAggregatedSignatures } from "./signatures/aggregate-signatures.ts";
import { listActiveStakingTransactions } from "./staking/list-active-staking-transactions.ts";
import { getSubnet } from "./subnets/get-subnet.ts";
import { listSubnets } from "./subnets/list-subnets.ts";
import { getTransaction } from "./transactions/get-transaction.ts";
import { listLatestTransactions } from "./transactions/list-latest-transactions.ts";
import { getBalancesByAddresses } from "./utxos/get-balances.ts";
import { getLastActivityTimestampByAddresses } from "./utxos/get-last-activity.ts";
import { getLastActivityTimestampByAddressesV2 } from "./utxos/get-last-activity-by-post.ts";
import { getChainIdsForAddresses } from "./utxos/list-chain-ids.ts";
import { getUtxosByAddresses } from "./utxos/list-utxos.ts";
import { getUtxosByAddressesV2 } from "./utxos/list-utxos-by-post.ts";
import { getValidatorDetails } from "./validators/get-validator-details.ts";
import { listDelegators } from "./validators/list-delegators.ts";
import { listL1Validators } from "./validators/list-l1-validators.ts";
import { listValidatorAddresses } from "./validators/list-validator-addresses.ts";
import { listValidators } from "./validators/list-validators.ts";
import { getVertex } from "./vertices/get-vertex.ts";
import { listLatestVertices } from "./vertices/list-latest-vertices.ts";
import { listVerticesByHeight } from "./vertices/list-vertices-by-height.ts";
import { createWebhook, deactivateWebhook, getWebhook, listWebhooks, updateWebhook } from "./webhooks/manage-webhooks.ts";
import { addAddressesToWebhook, getAddressesFromWebhook, removeAddressesFromWebhook } from "./webhooks/webhook-addresses.ts";
import { listWebhookDeliveries, testWebhook } from "./webhooks/webhook-deliveries.ts";
import { generateOrRotateSharedSecret, getSharedSecret } from "./webhooks/webhook-secret.ts";

export const dataRoutes: readonly AnyDataRoute[] = [
  healthCheck,
  metricsHealthCheck,
  liveCheck,
  metricsLiveCheck,
  getOverview,
  search,
  listLatestTransactions,
  getTransaction,
  listAssetTransactions,
  getAssetDetails,
  listLatestBlocks,
  getBlock,
  listBlocksOfNode,
  listLatestVertices,
  listVerticesByHeight,
  getVertex,
  listValidators,
  getValidatorDetails,
  listDelegators,
  listValidatorAddresses,
  listPendingPrimaryNetworkRewards,
  listHistoricalPrimaryNetworkRewards,
  listActiveStakingTransactions,
  listSubnets,
  getSubnet,
  listBlockchains,
  getBlockchain,
  listL1Validators,
  getNetworkDetails,
  getStakingMetrics,
  getBlockchainMetrics,
  getTotalL1ValidatorMetrics,
  getMetricsBySubnetId,
  getMetricsByNodeId,
  getMetricsByValidationId,
  getAvaxSupply,
  aggregateSignatures,
  getAggregatedSignatures,
  getUtxosByAddresses,
  getUtxosByAddressesV2,
  getBalancesByAddresses,
  getLastActivityTimestampByAddresses,
  getLastActivityTimestampByAddressesV2,
  getChainIdsForAddresses,
  getNativeBalance,
  listErc20Balances,
  listErc721Balances,
  listErc1155Balances,
  listCollectibleBalances,
  listChainTokens,
  getChainToken,
  listTokenHolders,
  listHoldersOverTime,
  listTokenTransfers,
  getContractMetadata,
  getContractSource,
  keepContractBuild,
  listCollectionTokens,
  getCollectionToken,
  getNftPicture,
  listNftHolders,
  reindexNft,
  listChains,
  getChain,
  listAddressChains,
  getAddressChains,
  listLatestEvmBlocks,
  getEvmBlock,
  listLatestBlocksAllChains,
  listAllLatestBlocks,
  listAddressTransactions,
  listAddressTransactionsV2,
  listNativeTransactions,
  listErc20Transactions,
  listErc721Transactions,
  listErc1155Transactions,
  listInternalTransactions,
  listTransactionsOfBlock,
  getEvmTransaction,
  listLatestEvmTransactions,
  listLatestTransactionsAllChains,
  listAllLatestTransactions,
  getDeploymentTransaction,
  listContractDeployments,
  listLogs,
  listTransactionLogs,
  getTransactionCalls,
  listMetricChains,
  getMetricChain,
  getEvmChainMetrics,
  getRollingWindowMetrics,
  listIcmMessages,
  getIcmMessage,
  listIcmMessagesByAddress,
  listTeleporterMessages,
  getTeleporterMessage,
  listTeleporterMessagesByAddress,
  getIcmSummary,
  getIcmTimeseries,
  getTeleporterMetrics,
  createWebhook,
  listWebhooks,
  getSharedSecret,
  generateOrRotateSharedSecret,
  getWebhook,
  updateWebhook,
  deactivateWebhook,
  getAddressesFromWebhook,
  addAddressesToWebhook,
  removeAddressesFromWebhook,
  listWebhookDeliveries,
  testWebhook,
];
