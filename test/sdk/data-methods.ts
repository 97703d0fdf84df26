/** The clients' methods: where each client has one, and which member of its answer is the list, if any. */
import { EVM_METHODS, type EvmMethodName } from "./evm-methods.ts";

export interface Method {
  /** below the roots of chainkit and avacloud */
  readonly path: string;
  /** below the root of glacier; not there if undefined */
  readonly glacier?: string;
  /** avacloud lacks it */
  readonly chainkitOnly?: true;
  readonly list?: string;
  /** takes no parameters */
  readonly bare?: true;
  /** chainkit and avacloud pass nothing on of what is sent */
  readonly hasNoAnswer?: true;
}

const PRIMARY = "data.primaryNetwork";

const METHODS = {
  listTransactions: {
    path: `${PRIMARY}.transactions.listLatest`,
    glacier: "primaryNetworkTransactions.listLatestPrimaryNetworkTransactions",
    list: "transactions",
  },
  getTransaction: { path: `${PRIMARY}.transactions.get`, glacier: "primaryNetworkTransactions.getTxByHash" },
  listStaking: {
    path: `${PRIMARY}.transactions.listActiveStakingTransactions`,
    glacier: "primaryNetworkTransactions.listActivePrimaryNetworkStakingTransactions",
    list: "transactions",
  },
  listAssetTransactions: {
    path: `${PRIMARY}.transactions.listAssetTransactions`,
    glacier: "primaryNetworkTransactions.listAssetTransactions",
    list: "transactions",
  },
  listUtxos: { path: `${PRIMARY}.utxos.listByAddresses`, glacier: "primaryNetworkUtxOs.getUtxosByAddresses", list: "utxos" },
  listUtxosByPost: { path: `${PRIMARY}.utxos.listByAddressesV2`, chainkitOnly: true, list: "utxos" },
  getBalances: { path: `${PRIMARY}.balances.listByAddresses`, glacier: "primaryNetworkBalances.getBalancesByAddresses" },
  getLastActivity: { path: `${PRIMARY}.utxos.getLastActivityTimestampByAddresses`, chainkitOnly: true },
  getLastActivityByPost: { path: `${PRIMARY}.utxos.getLastActivityTimestampByAddressesV2`, chainkitOnly: true },
  listBlocks: { path: `${PRIMARY}.blocks.listLatest`, glacier: "primaryNetworkBlocks.listLatestPrimaryNetworkBlocks", list: "blocks" },
  getBlock: { path: `${PRIMARY}.blocks.get`, glacier: "primaryNetworkBlocks.getBlockById" },
  listBlocksOfNode: {
    path: `${PRIMARY}.blocks.listByNodeId`,
    glacier: "primaryNetworkBlocks.listPrimaryNetworkBlocksByNodeId",
    list: "blocks",
  },
  listVertices: { path: `${PRIMARY}.vertices.listLatest`, glacier: "primaryNetworkVertices.listLatestXChainVertices", list: "vertices" },
  getVertex: { path: `${PRIMARY}.vertices.getByHash`, glacier: "primaryNetworkVertices.getVertexByHash" },
  listVerticesByHeight: { path: `${PRIMARY}.vertices.listByHeight`, glacier: "primaryNetworkVertices.getVertexByHeight", list: "vertices" },
  listPendingRewards: {
    path: `${PRIMARY}.rewards.listPendingRewards`,
    glacier: "primaryNetworkRewards.listPendingPrimaryNetworkRewards",
    list: "pendingRewards",
  },
  listHistoricalRewards: {
    path: `${PRIMARY}.rewards.listHistoricalRewards`,
    glacier: "primaryNetworkRewards.listHistoricalPrimaryNetworkRewards",
    list: "historicalRewards",
  },
  getAsset: { path: `${PRIMARY}.getAssetDetails`, glacier: "primaryNetwork.getAssetDetails" },
  listChainIds: { path: `${PRIMARY}.getChainIdsForAddresses`, glacier: "primaryNetwork.getChainIdsForAddresses" },
  getNetwork: { path: `${PRIMARY}.getNetworkDetails`, glacier: "primaryNetwork.getNetworkDetails" },
  listBlockchains: { path: `${PRIMARY}.listBlockchains`, glacier: "primaryNetwork.listBlockchains", list: "blockchains" },
  getBlockchain: { path: `${PRIMARY}.getBlockchainById`, glacier: "primaryNetwork.getBlockchainById" },
  listSubnets: { path: `${PRIMARY}.listSubnets`, glacier: "primaryNetwork.listSubnets", list: "subnets" },
  getSubnet: { path: `${PRIMARY}.getSubnetById`, glacier: "primaryNetwork.getSubnetById" },
  listValidators: { path: `${PRIMARY}.listValidators`, glacier: "primaryNetwork.listValidators", list: "validators" },
  getValidator: { path: `${PRIMARY}.getValidatorDetails`, glacier: "primaryNetwork.getSingleValidatorDetails", list: "validators" },
  listDelegators: { path: `${PRIMARY}.listDelegators`, glacier: "primaryNetwork.listDelegators", list: "delegators" },
  listL1Validators: { path: `${PRIMARY}.listL1Validators`, glacier: "primaryNetwork.listL1Validators", list: "validators" },
  healthCheck: { path: "data.healthCheck", glacier: "healthCheck.dataHealthCheck", bare: true },
  liveCheck: { path: "data.liveCheck", chainkitOnly: true, bare: true },
  getAvaxSupply: { path: "avaxSupply.get", glacier: "avaxSupply.getAvaxSupply", chainkitOnly: true, bare: true },
} as const satisfies Record<string, Method>;

export type PrimaryMethodName = keyof typeof METHODS;
export type MethodName = PrimaryMethodName | EvmMethodName;
/** of the primary network */
export const METHOD_NAMES = Object.keys(METHODS) as PrimaryMethodName[];

const ALL: Readonly<Record<MethodName, Method>> = { ...METHODS, ...EVM_METHODS };

export function methodNamed(name: MethodName): Method {
  return ALL[name];
}
