/** The requests to every client about an EVM chain: each method for an even selection of what exists, each filter, and empty lists. */
import type { Params } from "./data-clients.ts";
import { pagesOf, type Request } from "./data-requests.ts";
import { spread } from "./data-world.ts";
import type { EvmMethodName } from "./evm-methods.ts";
import type { EvmWorld } from "./evm-world.ts";

const NOBODY = `0x${"fe".repeat(20)}`;

export function evmRequestsOf(world: EvmWorld): Request[] {
  return [...chainRequests(world), ...addressRequests(world), ...balanceRequests(world), ...contractRequests(world), ...nftRequests(world)];
}

const request = (method: EvmMethodName, params: Params = {}): Request => ({ method, params });

function chainRequests({ chainId, platformChainId, blocks, txs, busy }: EvmWorld): Request[] {
  const chosen = [...oneOfEach(txs, ({ method, txStatus }) => `${method.callType} ${txStatus}`), ...spread(txs, 40)];
  return [
    request("listChains"),
    request("listChains", { network: "fuji", feature: "nftIndexing" }),
    request("listChains", { network: "mainnet" }),
    ...[chainId, platformChainId].map((name) => request("getChain", { chainId: name })),
    ...[busy[0], NOBODY].flatMap((address) => [request("listChainsOfAddress", { address }), request("getChainsOfAddress", { address })]),
    request("listEvmBlocks", { chainId, pageSize: pagesOf(blocks.length) }),
    ...(["listEvmBlocksOfAll", "listEvmBlocksByAlias"] as const).flatMap((method) => [
      request(method, { pageSize: pagesOf(blocks.length) }),
      request(method, { network: "mainnet" }),
    ]),
    ...spread(blocks, 6).flatMap(({ blockNumber, blockHash }) => [
      request("getEvmBlock", { chainId, blockId: blockNumber }),
      request("getEvmBlock", { chainId: platformChainId, blockId: blockHash }),
      request("listTransactionsOfBlock", { chainId, blockId: blockNumber }),
      request("listTransactionsOfBlock", { chainId, blockId: blockHash, pageSize: 1 }),
    ]),
    ...(["listEvmTransactionsOfAll", "listEvmTransactionsByAlias"] as const).flatMap((method) => [
      request(method, { pageSize: pagesOf(txs.length), status: "failed" }),
      request(method, { pageSize: pagesOf(txs.length), network: "fuji" }),
      request(method, { network: "mainnet" }),
    ]),
    ...[{}, { status: "failed" }, { status: "success" }].map((status) =>
      request("listEvmTransactions", { chainId, ...status, pageSize: pagesOf(txs.length) }),
    ),
    ...new Set(chosen.map(({ txHash }) => txHash)),
  ].map((each) => (typeof each === "string" ? request("getEvmTransaction", { chainId, txHash: each }) : each));
}

const LISTS_OF_ADDRESS = ["listTransactionsOfAddress", "listNative", "listErc20", "listErc721", "listErc1155", "listInternals"] as const;

function addressRequests({ chainId, blocks, busy, addresses }: EvmWorld): Request[] {
  const middle = { startBlock: Math.floor(blocks.length / 3), endBlock: Math.floor((2 * blocks.length) / 3) };
  return LISTS_OF_ADDRESS.flatMap((method) => [
    ...busy.map((address) => request(method, { chainId, address, pageSize: 7 })),
    ...spread(addresses, 12).map((address) => request(method, { chainId, address, pageSize: 3 })),
    request(method, { chainId, address: busy[1], ...middle, pageSize: 4 }),
    request(method, { chainId, address: NOBODY }),
    ...(method === "listTransactionsOfAddress" ? [request(method, { chainId, address: busy[0], sortOrder: "asc", pageSize: 25 })] : []),
  ]);
}

function balanceRequests({ chainId, blocks, busy, addresses, contracts }: EvmWorld): Request[] {
  const newest = blocks.length - 1;
  const coins = contracts.filter(({ ercType }) => ercType === "ERC-20").map(({ address }) => address);
  const collection = (ercType: string) => contracts.find((contract) => contract.ercType === ercType)?.address;
  const holders = [...new Set([...busy, ...spread(addresses, 12)])];
  return [
    ...holders.flatMap((address) => [
      request("getNativeBalance", { chainId, address }),
      request("listErc20Balances", { chainId, address, pageSize: 2 }),
      request("listErc721Balances", { chainId, address, pageSize: 2 }),
      request("listErc1155Balances", { chainId, address, pageSize: 2 }),
      request("listCollectibles", { chainId, address, pageSize: 2 }),
    ]),
    request("getNativeBalance", { chainId, address: busy[0], blockNumber: `${newest}`, currency: "eur" }),
    ...busy.slice(0, 3).flatMap((address) => [
      request("listErc20Balances", { chainId, address, contractAddresses: spread(coins, 5).join(), currency: "eur", pageSize: 2 }),
      request("listErc20Balances", { chainId, address, filterSpamTokens: false, blockNumber: `${newest}`, pageSize: 3 }),
      request("listErc1155Balances", {
        chainId,
        address,
        blockNumber: `${newest}`,
        contractAddress: collection("ERC-1155"),
        pageSize: 1,
      }),
      request("listErc721Balances", { chainId, address, contractAddress: collection("ERC-721"), pageSize: 1 }),
      request("listCollectibles", { chainId, address, contractAddress: collection("ERC-721"), pageSize: 1 }),
    ]),
    ...(["listErc20Balances", "listErc721Balances", "listErc1155Balances", "listCollectibles"] as const).map((method) =>
      request(method, { chainId, address: NOBODY }),
    ),
  ];
}

function contractRequests({ chainId, contracts, busy }: EvmWorld): Request[] {
  const deployed = contracts.filter(({ deploymentDetails }) => deploymentDetails !== undefined);
  const deployers = [...new Set(deployed.map(({ deploymentDetails }) => deploymentDetails!.deployerAddress))];
  const chosen = [
    ...new Set([...oneOfEach(contracts, ({ ercType, ...rest }) => [ercType, ...Object.keys(rest)].join()), ...spread(contracts, 20)]),
  ];
  return [
    ...chosen.map(({ address }) => request("getContract", { chainId, address })),
    request("getContract", { chainId, address: NOBODY }),
    ...spread(deployed, 10).map(({ address }, index) =>
      request("getDeployment", { chainId, address, ...(index % 2 === 1 && { currency: "usd" }) }),
    ),
    ...[...deployers, ...contracts.map(({ address }) => address)]
      .slice(0, 30)
      .map((address) => request("listDeployments", { chainId, address, pageSize: 4 })),
    request("listDeployments", { chainId, address: NOBODY }),
    ...spread(contracts, 30).map(({ address }) => request("listTransfers", { chainId, address, pageSize: 4 })),
    request("listTransfers", { chainId, address: busy[0] }),
    ...oneOfEach(contracts, ({ ercType }) => ercType).map(({ address }) =>
      request("listTransfers", { chainId, address, startBlock: 30, endBlock: 100, pageSize: 3 }),
    ),
  ];
}

function nftRequests({ chainId, nfts, busy }: EvmWorld): Request[] {
  const chosen = [...oneOfEach(nfts, ({ ercType, metadata }) => `${ercType} ${metadata.indexStatus}`), ...spread(nfts, 12)];
  return [
    ...[...new Set(nfts.map(({ address }) => address))].map((address) => request("listNfts", { chainId, address, pageSize: 2 })),
    request("listNfts", { chainId, address: busy[0] }),
    ...chosen.map(({ address, tokenId }) => request("getNft", { chainId, address, tokenId })),
  ];
}

function oneOfEach<T>(items: readonly T[], formOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [formOf(item), item])).values()];
}
