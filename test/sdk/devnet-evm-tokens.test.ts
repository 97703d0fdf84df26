/** Tokens that ethers and viem create on a development network's C-chain, read with the official clients of the Data API. */
import { AvaCloudSDK } from "@avalabs/avacloud-sdk";
import { Contract, ContractFactory, Wallet as EthersWallet, getAddress, JsonRpcProvider, NonceManager } from "ethers";
import { createPublicClient, createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { avalanche } from "viem/chains";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { eventuallyHolds } from "../patience.ts";
import { CLIENT_NAMES, type Client, clientNamed } from "./data-clients.ts";
import type { Method } from "./data-methods.ts";
import { accountNamed, evmAddress, ewoq, privateKeyHex } from "./devnet/accounts.ts";
import { tokenContract } from "./devnet/tokens.ts";
import type { Anything } from "./wallet.ts";

const CHAIN_ID = "43112";
const NOBODY = "0x0000000000000000000000000000000000000000";
const ADA = getAddress(evmAddress(accountNamed("ada")));
const EWOQ = getAddress(evmAddress(ewoq));

const EVM = "data.evm";
const BALANCES = "data.evm.address.balances";
const TRANSACTIONS = "data.evm.address.transactions";
const methods = {
  chains: { path: `${EVM}.chains.list`, glacier: "evmChains.supportedChains" },
  chain: { path: `${EVM}.chains.get`, glacier: "evmChains.getChainInfo" },
  native: { path: `${BALANCES}.getNative`, glacier: "evmBalances.getNativeBalance" },
  erc20Balances: { path: `${BALANCES}.listErc20`, glacier: "evmBalances.listErc20Balances", list: "erc20TokenBalances" },
  erc721Balances: { path: `${BALANCES}.listErc721`, glacier: "evmBalances.listErc721Balances", list: "erc721TokenBalances" },
  erc1155Balances: { path: `${BALANCES}.listErc1155`, glacier: "evmBalances.listErc1155Balances", list: "erc1155TokenBalances" },
  transactions: { path: `${TRANSACTIONS}.list`, glacier: "evmTransactions.listTransactions", list: "transactions" },
  erc20Transfers: { path: `${TRANSACTIONS}.listErc20`, glacier: "evmTransactions.listErc20Transactions", list: "transactions" },
  erc721Transfers: { path: `${TRANSACTIONS}.listErc721`, glacier: "evmTransactions.listErc721Transactions", list: "transactions" },
  erc1155Transfers: { path: `${TRANSACTIONS}.listErc1155`, glacier: "evmTransactions.listErc1155Transactions", list: "transactions" },
  transaction: { path: `${EVM}.transactions.get`, glacier: "evmTransactions.getTransaction" },
  deployment: { path: `${EVM}.contracts.getDeploymentTransaction`, glacier: "evmTransactions.getDeploymentTransaction" },
  deployments: {
    path: `${EVM}.address.contracts.listDeployments`,
    glacier: "evmTransactions.listContractDeployments",
    list: "contracts",
  },
  contract: { path: `${EVM}.contracts.getMetadata`, glacier: "evmContracts.getContractMetadata" },
  collection: { path: "data.nfts.list", glacier: "nfTs.listTokens", list: "tokens" },
  nft: { path: "data.nfts.get", glacier: "nfTs.getTokenDetails" },
  block: { path: `${EVM}.blocks.get`, glacier: "evmBlocks.getBlock" },
} as const satisfies Record<string, Method>;

let network: LocalNetwork;
let provider: JsonRpcProvider;
let coin: string;
let nft: string;
let multi: string;
let moved: string;
beforeAll(async () => {
  network = await startDevnet();
  provider = new JsonRpcProvider(network.urls.C, Number(CHAIN_ID), { staticNetwork: true, cacheTimeout: -1, pollingInterval: 20 });
  coin = await makeCoin();
  [nft, multi] = await makeCollections();
});
afterAll(async () => {
  provider?.destroy();
  await network?.stop();
});

/** By ethers: 1,000.00 are made for ewoq, 12.50 go to Ada. */
async function makeCoin(): Promise<string> {
  const signer = new NonceManager(new EthersWallet(privateKeyHex(ewoq), provider));
  const { abi, bytecode } = tokenContract("Coin");
  const deployed = await (
    await new ContractFactory(abi, bytecode, signer).deploy("Test Coin", "TC", 2, 100_000n, EWOQ)
  ).waitForDeployment();
  const contract: Anything = new Contract(await deployed.getAddress(), abi, signer);
  const receipt = await (await contract.transfer(ADA, 1250n)).wait();
  moved = receipt.hash;
  return contract.getAddress();
}

/** By viem: NFT 4, whose URI holds its metadata, is made for ewoq and goes to Ada; so do 3 of 10 of ID 7 and all of ID 8. */
async function makeCollections(): Promise<[string, string]> {
  const transport = http(network.urls.C);
  const chain = { ...avalanche, id: Number(CHAIN_ID) };
  const account = privateKeyToAccount(privateKeyHex(ewoq));
  const wallet = createWalletClient({ account, chain, transport });
  const reader = createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 });
  const settled = (hash: `0x${string}`) => reader.waitForTransactionReceipt({ hash });
  const deploy = async (name: string, args: readonly unknown[]) => {
    const receipt = await settled(await wallet.deployContract({ ...tokenContract(name), args }));
    return receipt.contractAddress!;
  };
  const call = async (address: `0x${string}`, name: string, functionName: string, args: readonly unknown[]) =>
    settled(await wallet.writeContract({ address, abi: tokenContract(name).abi, functionName, args }));
  const one = await deploy("Nft", ["Test Nft", "TN", "https://nowhere.example/"]);
  await call(one, "Nft", "mint", [EWOQ, 4n]);
  await call(one, "Nft", "transferFrom", [EWOQ, ADA, 4n]);
  const many = await deploy("NamedMulti", ["data:application/json,{}"]);
  await call(many, "NamedMulti", "mintBatch", [EWOQ, [7n, 8n], [10n, 1n]]);
  await call(many, "NamedMulti", "safeBatchTransferFrom", [EWOQ, ADA, [7n, 8n], [3n, 1n], "0x"]);
  return [getAddress(one), getAddress(many)];
}

describe.each(CLIENT_NAMES)("%s", (name) => {
  let client: Client;
  beforeAll(() => {
    client = clientNamed(name, { serverUrl: network.url });
  });
  const ask = async (method: Method, params: Anything = {}): Promise<Anything> => {
    const [page] = await client.pages(method, { chainId: CHAIN_ID, ...params });
    return page!.parsed;
  };
  const list = async (method: Method & { list: string }, params: Anything): Promise<Anything[]> => {
    const pages = await client.pages(method, { chainId: CHAIN_ID, pageSize: 2, ...params });
    return pages.flatMap(({ parsed }) => (parsed as Anything)[method.list]);
  };

  test("knows the C-chain, by either of its IDs", async () => {
    const { chains } = await ask(methods.chains);
    expect(chains).toMatchObject([
      { chainId: CHAIN_ID, platformChainId: network.blockchainIds.C, rpcUrl: network.urls.C, isTestnet: true },
    ]);
    expect(await ask(methods.chain, { chainId: network.blockchainIds.C })).toEqual(chains[0]);
    const { number, hash } = (await provider.getBlock("latest"))!;
    expect(await ask(methods.block, { chainId: network.blockchainIds.C, blockId: `${number}` })).toMatchObject({ blockHash: hash });
  });

  test("finds the coin: who has how much, how it moved, and what it is called", async () => {
    const erc20Token = { address: coin, ercType: "ERC-20" };
    for (const [address, balance] of [
      [EWOQ, "98750"],
      [ADA, "1250"],
    ]) {
      expect(await list(methods.erc20Balances, { address })).toMatchObject([{ ...erc20Token, balance }]);
    }
    const transfer = { value: "1250", from: { address: EWOQ }, to: { address: ADA }, erc20Token };
    const [first, ...others] = await list(methods.erc20Transfers, { address: ADA });
    expect(others).toEqual([]);
    expect(first).toMatchObject({ txHash: moved, ...transfer });
    const mint = { value: "100000", from: { address: NOBODY }, to: { address: EWOQ } };
    expect(await list(methods.erc20Transfers, { address: EWOQ })).toMatchObject([transfer, mint]);
    expect(await ask(methods.transaction, { txHash: moved })).toMatchObject({ erc20Transfers: [transfer] });
    // what contracts say of themselves is asked shortly after their block is committed
    await eventuallyHolds(async () => {
      expect(await ask(methods.contract, { address: coin })).toMatchObject({
        name: "Test Coin",
        symbol: "TC",
        decimals: 2,
        ercType: "ERC-20",
      });
      expect(await list(methods.erc20Balances, { address: ADA })).toMatchObject([{ name: "Test Coin", symbol: "TC", decimals: 2 }]);
    });
  });

  test("finds the NFT: its owner, its way and its metadata", async () => {
    const transfers = await list(methods.erc721Transfers, { address: ADA });
    expect(transfers).toMatchObject([{ from: { address: EWOQ }, to: { address: ADA }, erc721Token: { address: nft, tokenId: "4" } }]);
    expect(await list(methods.erc721Balances, { address: EWOQ })).toEqual([]);
    const { metrics } = new AvaCloudSDK({ network: "fuji", chainId: CHAIN_ID, serverURL: network.url });
    for await (const { result } of await metrics.chains.listNftHolders({ address: nft }, { serverURL: network.url })) {
      expect(result).toEqual({
        addresses: [{ address: ADA, sortKey: "1" }],
        nftCollectionName: ["Test Nft"],
        nftSymbol: ["TN"],
        totalHolders: 1,
        totalTokens: 1,
      });
    }
    const over = async (threshold: string, startTimestamp?: number) => {
      const query = { address: coin, threshold, ...(startTimestamp !== undefined && { startTimestamp }) };
      const found = [];
      for await (const { result } of await metrics.chains.listTokenHoldersAboveThreshold(query, { serverURL: network.url }))
        found.push(...result.addresses);
      return found;
    };
    const [ewoqs, adas] = [
      { address: EWOQ, sortKey: "98750" },
      { address: ADA, sortKey: "1250" },
    ];
    expect([await over("1250"), await over("99000"), await over("100000", 0)]).toEqual([[ewoqs, adas], [], [ewoqs]]);
    expect(await list(methods.collection, { address: nft })).toMatchObject([{ tokenId: "4", ownerAddress: ADA, ercType: "ERC-721" }]);
    await eventuallyHolds(async () => {
      const token = { address: nft, tokenId: "4", name: "Test Nft", symbol: "TN", metadata: { indexStatus: "INDEXED", name: "inline" } };
      expect(await ask(methods.nft, { address: nft, tokenId: "4" })).toMatchObject(token);
      expect(await list(methods.erc721Balances, { address: ADA })).toMatchObject([token]);
    });
  });

  test("finds tokens of which there are several", async () => {
    const balances = async (address: string) =>
      (await list(methods.erc1155Balances, { address })).map(({ tokenId, balance }) => `${balance} of ${tokenId}`).sort();
    expect(await balances(ADA)).toEqual(["1 of 8", "3 of 7"]);
    expect(await balances(EWOQ)).toEqual(["7 of 7"]);
    const transfers = await list(methods.erc1155Transfers, { address: ADA });
    expect(transfers.map(({ value, erc1155Token }) => `${value} of ${erc1155Token.tokenId}`).sort()).toEqual(["1 of 8", "3 of 7"]);
    expect(transfers[0]).toMatchObject({ from: { address: EWOQ }, to: { address: ADA }, erc1155Token: { address: multi } });
  });

  test("tells who made the contracts and what an account has", async () => {
    const made = await list(methods.deployments, { address: EWOQ });
    expect(made.map(({ address }) => address)).toEqual([multi, nft, coin]);
    const deployment = await ask(methods.deployment, { address: coin });
    expect(deployment).toMatchObject({ nativeTransaction: { from: { address: EWOQ }, method: { callType: "CONTRACT_CREATION" } } });
    const { nativeTokenBalance } = await ask(methods.native, { address: EWOQ });
    expect(BigInt(nativeTokenBalance.balance)).toBe(await provider.getBalance(EWOQ));
    expect(await list(methods.transactions, { address: ADA })).toHaveLength(3);
  });
});

test("what was made after a snapshot is gone from the Data API with it, and what is made then is found", async () => {
  const client = clientNamed("chainkit", { serverUrl: network.url });
  const balances = async () => {
    const pages = await client.pages(methods.erc20Balances, { chainId: CHAIN_ID, address: ADA });
    return pages
      .flatMap(({ parsed }) => (parsed as Anything).erc20TokenBalances)
      .map(({ symbol, balance }: Anything) => `${balance} ${symbol}`);
  };
  const snapshot = await network.snapshot();
  await makeCoin();
  expect(await balances()).toHaveLength(2);
  await network.revert(snapshot);
  expect(await balances()).toEqual(["1250 TC"]);
  await makeCoin();
  await eventuallyHolds(async () => expect(await balances()).toEqual(["1250 TC", "1250 TC"]));
});
