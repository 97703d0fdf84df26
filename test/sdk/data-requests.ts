/**
 * The requests to every client: each method for everything in the store or an even selection of it, each filter, and empty lists. Pages are
 * small, so that every list with more than a few items has several.
 */

import { encodeBech32 } from "../../src/base/bytes/address.ts";
import { decodeBech32 } from "../../src/base/bytes/bech32.ts";
import { formatNodeId } from "../../src/base/bytes/cb58.ts";
import type { Params } from "./data-clients.ts";
import type { MethodName } from "./data-methods.ts";
import { CHAINS, type Chain, type ChainWorld, spread, type World } from "./data-world.ts";

export interface Request {
  readonly method: MethodName;
  readonly params: Params;
  /** of the parameters, those that avacloud and glacier do not know */
  readonly chainkitOnly?: true;
}

/** The clients know only these. */
export const PUBLIC_IDS: Readonly<Record<Chain, string>> = {
  "p-chain": "11111111111111111111111111111111LpoYY",
  "x-chain": "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm",
  "c-chain": "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
};
const NOBODYS_NODE = formatNodeId("00".repeat(20));
const MOST_ADDRESSES = 64;

/** Eight pages or more of a list of this length, as long as pages can be as large. */
export const pagesOf = (length: number) => Math.min(100, Math.max(2, Math.ceil(length / 8)));

const request = (method: MethodName, params: Params = {}): Request => ({ method, params });

export function requestsOf(world: World): Request[] {
  const chains = CHAINS.map((chain) => world.chains[chain]);
  const hrp = decodeBech32(world.addresses[0]!).hrp;
  const nobody = encodeBech32(hrp, "00".repeat(20));
  return [
    ...chains.flatMap((chain) => [
      ...transactionRequests(chain, nobody),
      ...utxoRequests(chain, nobody),
      ...balanceRequests(chain, nobody),
      ...blockRequests(chain),
    ]),
    ...platformRequests(world, nobody),
    ...assetChainRequests(world),
    ...stakingRequests(world, nobody),
    ...networkRequests(world, nobody),
  ];
}

function transactionRequests({ chain: blockchainId, txs, blocks, addresses }: ChainWorld, nobody: string): Request[] {
  const oneOfEachType = [...new Map(txs.map((tx) => [tx.txType, tx])).values()];
  const chosen = new Set([...oneOfEachType, ...spread(txs, 15)]);
  const some = spread(addresses, 3).join();
  const times = timesOf(blocks);
  const types = spread(oneOfEachType, 2).map(({ txType }) => txType);
  return [
    request("listTransactions", { blockchainId, pageSize: pagesOf(txs.length) }),
    request("listTransactions", { blockchainId, addresses: nobody }),
    ...(addresses.length === 0
      ? []
      : [
          request("listTransactions", { blockchainId: PUBLIC_IDS[blockchainId], addresses: some, sortOrder: "asc", pageSize: 5 }),
          request("listTransactions", { blockchainId, addresses: some, txTypes: types, pageSize: 2 }),
          request("listTransactions", { blockchainId, addresses: some, txTypes: types.slice(0, 1), ...times, pageSize: 3 }),
        ]),
    ...[...chosen].map(({ txHash }, index) =>
      request("getTransaction", { blockchainId: index % 2 === 0 ? blockchainId : PUBLIC_IDS[blockchainId], txHash }),
    ),
  ];
}

/** The middle third of a chain's time. */
function timesOf(blocks: ChainWorld["blocks"]): Params {
  const at = (part: number) => blocks[Math.floor((blocks.length - 1) * part)]?.blockTimestamp ?? 0;
  return { startTimestamp: at(2 / 3), endTimestamp: at(1 / 3) + 1 };
}

function utxoRequests({ chain: blockchainId, utxos, addresses }: ChainWorld, nobody: string): Request[] {
  const some = spread(addresses, 3).join() || nobody;
  const primaryNetworkAddressesBodyDto = { addresses: spread(addresses, 6).join() || nobody };
  return [
    request("listUtxos", { blockchainId, includeSpent: true, pageSize: pagesOf(utxos) }),
    request("listUtxos", { blockchainId, addresses: some, includeSpent: true, sortOrder: "asc", pageSize: 23 }),
    request("listUtxos", { blockchainId, addresses: spread(addresses, 1).join() || nobody, pageSize: 5 }),
    request("listUtxos", { blockchainId: PUBLIC_IDS[blockchainId], addresses: nobody }),
    {
      ...request("listUtxos", { blockchainId, addresses: some, minUtxoAmount: 1000, sortBy: "amount", pageSize: 17 }),
      chainkitOnly: true,
    },
    request("listUtxosByPost", { blockchainId, primaryNetworkAddressesBodyDto, sortBy: "timestamp", pageSize: pagesOf(utxos) }),
    request("listUtxosByPost", {
      blockchainId,
      primaryNetworkAddressesBodyDto,
      sortBy: "amount",
      sortOrder: "asc",
      minUtxoAmount: 2,
      pageSize: 300,
    }),
    ...spread(addresses, 4).map((address) =>
      request("getLastActivityByPost", { blockchainId, primaryNetworkAddressesBodyDto: { addresses: `${address},${nobody}` } }),
    ),
    ...spread(addresses, 8).map((address) => request("getLastActivity", { blockchainId, addresses: address })),
  ];
}

function balanceRequests({ chain: blockchainId, blocks, addresses }: ChainWorld, nobody: string): Request[] {
  return [
    request("getBalances", { blockchainId }),
    request("getBalances", { blockchainId, addresses: nobody }),
    ...spread(addresses, 20).map((address) => request("getBalances", { blockchainId, addresses: address })),
    ...spread(blocks, 6).map(({ blockTimestamp }) => request("getBalances", { blockchainId, blockTimestamp: blockTimestamp + 1 })),
  ];
}

function blockRequests({ chain: blockchainId, blocks }: ChainWorld): Request[] {
  const proposers = new Set(blocks.flatMap(({ proposerDetails }) => proposerDetails?.proposerNodeId ?? []));
  return [
    request("listBlocks", { blockchainId, pageSize: pagesOf(blocks.length) }),
    request("listBlocks", { blockchainId: PUBLIC_IDS[blockchainId], ...timesOf(blocks), pageSize: pagesOf(blocks.length) }),
    ...spread(blocks, 10).map(({ blockNumber }) => request("getBlock", { blockchainId, blockId: blockNumber })),
    ...spread(blocks, 10).map(({ blockHash }) => request("getBlock", { blockchainId, blockId: blockHash })),
    ...[...proposers].slice(0, 2).map((nodeId) => request("listBlocksOfNode", { blockchainId, nodeId, pageSize: pagesOf(blocks.length) })),
    request("listBlocksOfNode", { blockchainId, nodeId: NOBODYS_NODE }),
  ];
}

function platformRequests({ chains, l1Validators, evmAddresses }: World, nobody: string): Request[] {
  const blockchainId = "p-chain";
  const { addresses, txs } = chains[blockchainId];
  const types = [...new Set(txs.map(({ txType }) => txType))];
  return [
    request("listTransactions", { blockchainId, addresses: spread(addresses, 4).join(), txTypes: types, pageSize: 19 }),
    request("listStaking", { blockchainId, pageSize: 3 }),
    request("listStaking", { blockchainId: PUBLIC_IDS[blockchainId], addresses: spread(addresses, MOST_ADDRESSES).join(), pageSize: 2 }),
    request("listStaking", { blockchainId, txTypes: ["AddValidatorTx", "AddPermissionlessValidatorTx", "AddDelegatorTx"], pageSize: 2 }),
    request("listStaking", { blockchainId, addresses: nobody }),
    ...spread(l1Validators, 4).map(({ validationId }) =>
      request("listTransactions", { blockchainId, l1ValidationId: validationId, pageSize: 1 }),
    ),
    ...(evmAddresses.length === 0
      ? []
      : [request("listTransactions", { blockchainId: "c-chain", addresses: spread(evmAddresses, 8).join(), pageSize: 3 })]),
  ];
}

function assetChainRequests({ chains, assets, vertices }: World): Request[] {
  const blockchainId = "x-chain";
  const heights = [...new Set(vertices.map(({ vertexHeight }) => vertexHeight)), 99];
  return [
    ...spread(assets, 5).flatMap((assetId, index) => [
      request("getAsset", { blockchainId: index === 0 ? PUBLIC_IDS[blockchainId] : blockchainId, assetId }),
      request("listAssetTransactions", { blockchainId, assetId, pageSize: index === 0 ? 2 : pagesOf(chains[blockchainId].txs.length) }),
    ]),
    ...spread(assets, 3)
      .slice(0, 2)
      .flatMap((assetId) => [
        request("listAssetTransactions", { blockchainId, assetId, txTypes: ["BaseTx", "OperationTx"], pageSize: 5 }),
        request("listAssetTransactions", { blockchainId, assetId, ...timesOf(chains[blockchainId].blocks), pageSize: 5 }),
        request("listUtxos", { blockchainId, assetId, includeSpent: true, pageSize: 41 }),
      ]),
    request("listVertices", { blockchainId, pageSize: 3 }),
    ...vertices.map(({ vertexHash }) => request("getVertex", { blockchainId, vertexHash })),
    ...heights.map((vertexHeight) => request("listVerticesByHeight", { blockchainId, vertexHeight, pageSize: 1 })),
    request("listVerticesByHeight", { blockchainId, vertexHeight: heights[0], sortOrder: "asc" }),
  ];
}

function stakingRequests({ nodes, subnets, addresses }: World, nobody: string): Request[] {
  const nodeIds = spread(nodes, 20).join();
  const owners = spread(addresses, MOST_ADDRESSES).join();
  const orders = ["blockIndex", "delegationCapacity", "timeRemaining", "delegationFee", "uptimePerformance"];
  const figures = [
    { minDelegationCapacity: "0", maxDelegationCapacity: "720000000000000000" },
    { minTimeRemaining: 0, maxTimeRemaining: 2147483647 },
    { minFeePercentage: 2, maxFeePercentage: 100 },
    { minUptimePerformance: 0, maxUptimePerformance: 100 },
  ];
  return [
    request("listValidators", { pageSize: pagesOf(nodes.length) }),
    ...["completed", "active", "pending", "removed"].map((validationStatus) =>
      request("listValidators", { validationStatus, sortOrder: "asc", pageSize: pagesOf(nodes.length) }),
    ),
    ...orders.map((sortBy) => request("listValidators", { subnetId: PUBLIC_IDS["p-chain"], sortBy, pageSize: pagesOf(3 * nodes.length) })),
    ...figures.map((bounds) => request("listValidators", { ...bounds, pageSize: pagesOf(3 * nodes.length) })),
    request("listValidators", { nodeIds: spread(nodes, 3).join(), pageSize: 2 }),
    request("listValidators", { nodeIds: nodes[0]?.slice(9, 11) ?? "a", pageSize: 2 }),
    ...spread(subnets, 5).map((subnetId) => request("listValidators", { subnetId, validationStatus: "active", pageSize: 2 })),
    ...spread(nodes, 12).map((nodeId) => request("getValidator", { nodeId, pageSize: 1 })),
    request("getValidator", { nodeId: nodes[0] ?? NOBODYS_NODE, validationStatus: "completed", sortOrder: "asc" }),
    request("getValidator", { nodeId: NOBODYS_NODE }),
    request("listDelegators", { pageSize: 7 }),
    ...["completed", "active", "pending"].map((delegationStatus) =>
      request("listDelegators", { delegationStatus, sortOrder: "asc", pageSize: 5 }),
    ),
    request("listDelegators", { rewardAddresses: owners, nodeIds, pageSize: 3 }),
    request("listDelegators", { rewardAddresses: nobody }),
    ...(["listPendingRewards", "listHistoricalRewards"] as const).flatMap((method) => [
      request(method, { addresses: owners, pageSize: 11 }),
      request(method, { nodeIds: nodeIds || NOBODYS_NODE, sortOrder: "asc", pageSize: 3 }),
      request(method, { addresses: nobody }),
    ]),
  ];
}

function networkRequests({ subnets, blockchains, l1Validators, addresses }: World, nobody: string): Request[] {
  const [l1] = l1Validators;
  return [
    request("getNetwork"),
    request("listSubnets", { pageSize: 2 }),
    request("listSubnets", { sortOrder: "asc", pageSize: 3 }),
    ...subnets.map((subnetId) => request("getSubnet", { subnetId })),
    request("listBlockchains", { pageSize: 3 }),
    request("listBlockchains", { sortOrder: "asc" }),
    ...[...blockchains, ...Object.values(PUBLIC_IDS)].map((blockchainId) => request("getBlockchain", { blockchainId })),
    request("listL1Validators", { pageSize: 2 }),
    request("listL1Validators", { includeInactiveL1Validators: true, pageSize: 1 }),
    ...(l1 === undefined
      ? []
      : [
          request("listL1Validators", { l1ValidationId: l1.validationId, includeInactiveL1Validators: true }),
          request("listL1Validators", { nodeId: l1.nodeId, subnetId: l1.subnetId }),
        ]),
    request("listChainIds", { addresses: spread(addresses, MOST_ADDRESSES).join() }),
    request("listChainIds", { addresses: nobody }),
    request("healthCheck"),
    request("liveCheck"),
    request("getAvaxSupply"),
  ];
}
