/**
 * Compares the two views of a devnet's C-chain in the Data API over HTTP: `/v1/chains/…`, made from the EVM's answers, and
 * `/v1/networks/…/blockchains/c-chain/…`, made from the network's blocks. To the last wei: the sum of all accounts is genesis plus imports,
 * less exports and base fees.
 */
import { expect } from "vitest";
import { formatEvmAddress } from "../../src/base/bytes/evm-address.ts";
import { cChainGenesis } from "../../src/devnet/anvil/chains/c-chain-genesis.ts";
import type { NetworkInstance } from "../../src/network/network.ts";
import { DataClient } from "../api/data/oracle/client.ts";

interface Block {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly parentHash: string;
  readonly blockTimestamp: number;
}

interface EvmBlock extends Block {
  readonly txCount: number;
  readonly baseFee: string;
  readonly gasUsed: string;
  readonly atomicTransactions?: readonly { readonly txHash: string; readonly txType: string }[];
}

interface Atomic {
  readonly txHash: string;
  readonly txType: string;
  readonly blockHeight: number;
  readonly blockHash: string;
  readonly timestamp: number;
  readonly evmInputs?: readonly { readonly fromAddress: string; readonly asset: Asset }[];
  readonly evmOutputs?: readonly { readonly toAddress: string; readonly asset: Asset }[];
}

interface Asset {
  /** nAVAX */
  readonly amount: string;
}

interface Movement {
  readonly from: { readonly address: string };
  readonly to: { readonly address: string };
}

interface Transaction {
  readonly nativeTransaction: Movement;
  readonly internalTransactions?: readonly Movement[];
}

const WEI_PER_NAVAX = 1_000_000_000n;
const PRIMARY = "/networks/fuji/blockchains/c-chain";
const PAGE = { pageSize: 7 };
/** tips go there */
const COINBASE = "0x0100000000000000000000000000000000000000";

export interface CChainCounts {
  readonly blocks: number;
  readonly transactions: number;
  readonly atomicTransactions: number;
  readonly accounts: number;
}

export async function holdCChainAgreement(url: string, network: NetworkInstance, chainId: string): Promise<CChainCounts> {
  const client = new DataClient(url);
  const evmBlocks = (await client.walk(`/chains/${chainId}/blocks`, "blocks", PAGE)) as EvmBlock[];
  const primaryBlocks = (await client.walk(`${PRIMARY}/blocks`, "blocks", PAGE)) as Block[];
  const atomic = (await client.walk(`${PRIMARY}/transactions`, "transactions", PAGE)) as Atomic[];
  holdBlocks(evmBlocks, primaryBlocks, atomic);
  const transactions = (await client.walk(`/chains/${chainId}/transactions`, "transactions", PAGE)) as { txHash: string }[];
  expect(transactions).toHaveLength(evmBlocks.reduce((sum, { txCount }) => sum + txCount, 0));
  const accounts = await accountsOf(client, chainId, network, transactions, atomic);
  const tip = evmBlocks[0]!.blockNumber;
  let held = 0n;
  for (const account of accounts) {
    const { nativeTokenBalance } = await client.get(`/chains/${chainId}/addresses/${account}/balances:getNative`);
    held += BigInt((nativeTokenBalance as { balance: string }).balance);
  }
  const burned = evmBlocks.reduce((sum, { baseFee, gasUsed }) => sum + BigInt(baseFee) * BigInt(gasUsed), 0n);
  expect(held, `AVAX of ${accounts.size} accounts at height ${tip}`).toBe(cChainGenesis(network).supply + flowOf(atomic) - burned);
  return { blocks: evmBlocks.length, transactions: transactions.length, atomicTransactions: atomic.length, accounts: accounts.size };
}

/** Heights, hashes and times, from genesis on. */
function holdBlocks(evmBlocks: readonly EvmBlock[], primaryBlocks: readonly Block[], atomic: readonly Atomic[]): void {
  const common = ({ blockNumber, blockHash, parentHash, blockTimestamp }: Block) => ({
    blockNumber,
    blockHash,
    parentHash,
    blockTimestamp,
  });
  expect(evmBlocks.map(common)).toEqual(primaryBlocks.map(common));
  expect(evmBlocks.at(-1)).toMatchObject({ blockNumber: "0", txCount: 0, cumulativeTransactions: "0" });
  const byHeight = new Map(evmBlocks.map((block) => [block.blockNumber, block]));
  for (const { txHash, txType, blockHeight, blockHash, timestamp } of atomic) {
    const block = byHeight.get(`${blockHeight}`)!;
    expect(block, `block of ${txHash}`).toMatchObject({ blockHash, blockTimestamp: timestamp });
    expect(block.atomicTransactions).toContainEqual({ txHash, txType });
  }
  expect(evmBlocks.flatMap(({ atomicTransactions = [] }) => atomicTransactions)).toHaveLength(atomic.length);
}

/** Everybody whom a transaction of either kind names, and whom genesis paid. */
async function accountsOf(
  client: DataClient,
  chainId: string,
  network: NetworkInstance,
  transactions: readonly { readonly txHash: string }[],
  atomic: readonly Atomic[],
): Promise<Set<string>> {
  const { alloc } = cChainGenesis(network).json as { alloc: Record<string, unknown> };
  const accounts = new Set([COINBASE, ...Object.keys(alloc).map((address) => formatEvmAddress(address.replace(/^0x/, "").toLowerCase()))]);
  for (const { txHash } of transactions) {
    const { nativeTransaction, internalTransactions = [] } = (await client.get(
      `/chains/${chainId}/transactions/${txHash}`,
    )) as unknown as Transaction;
    for (const { from, to } of [nativeTransaction, ...internalTransactions]) accounts.add(from.address).add(to.address);
  }
  for (const { evmInputs = [], evmOutputs = [] } of atomic) {
    for (const { fromAddress } of evmInputs) accounts.add(fromAddress);
    for (const { toAddress } of evmOutputs) accounts.add(toAddress);
  }
  return accounts;
}

/** wei that came in, less what went out and its fees */
function flowOf(atomic: readonly Atomic[]): bigint {
  const sum = (entries: readonly { readonly asset: Asset }[]) => entries.reduce((total, { asset }) => total + BigInt(asset.amount), 0n);
  return atomic.reduce((flow, { evmInputs = [], evmOutputs = [] }) => flow + (sum(evmOutputs) - sum(evmInputs)) * WEI_PER_NAVAX, 0n);
}
