/** Compares what a follower of the C-chain says of every block, transaction and call with a node's answers, and of much else. */
import { DataClient } from "../api/data/oracle/client.ts";
import type { Case, OracleCourt } from "../api/data/oracle/evm/case-maker.ts";
import { casesOf } from "../api/data/oracle/evm/cases.ts";
import { type Ask, asking, hexOf, type RawLog } from "../api/data/oracle/evm/chain-answers.ts";
import { chosen, failuresOf, openCourt } from "../api/data/oracle/evm/court.ts";
import { reindexNfts } from "../api/data/oracle/evm/reindex-nfts.ts";
import type { OracleBlock } from "../api/data/oracle/evm/world.ts";
import type { Manifest } from "../evm/workload/run-workload.ts";
import { atomicCases, atomicCount } from "./atomic-cases.ts";

/** These are asked of all there is; of others, some. */
const ALWAYS = /\/(blocks|transactions)\/|balances:getNative/;
/** blocks of one `eth_getLogs` */
const LOG_BLOCKS = 100;

export interface EvmTrialOptions {
  /** of the follower */
  readonly url: string;
  /** of the node */
  readonly node: string;
  readonly chainId: string;
  readonly contracts: Manifest["contracts"];
  readonly seed: number;
  /** about so many of the queries that are not always asked */
  readonly sample: number;
}

export interface EvmTrial {
  readonly failures: readonly string[];
  readonly summary: string;
}

export const cChainRpc = (node: string) => `${node}/ext/bc/C/rpc`;

export async function tryEvm({ url, node, chainId, contracts, seed, sample }: EvmTrialOptions): Promise<EvmTrial> {
  const rpc = cChainRpc(node);
  const chain = await new DataClient(url).get(`/chains/${chainId}`);
  await reindexNfts(url, chainId, contracts);
  const ercTypes = new Map(contracts.map(({ address, erc }) => [address.toLowerCase(), erc]));
  const court = await openCourt({ url, rpc, chain, chainNames: [chainId, chain.platformChainId as string], ercTypes });
  const atomic = atomicCases(court, node);
  const all = [...casesOf(court)];
  const [always, others] = [all.filter(({ name }) => ALWAYS.test(name)), all.filter(({ name }) => !ALWAYS.test(name))];
  const asked: readonly Case[] = [...atomic, ...always, ...chosen(others, { seed, most: sample })];
  const { failures } = await failuresOf(asked);
  const { blocks } = court.lists;
  const logs = await logsThatDiffer(asking(rpc), blocks);
  return {
    failures: [...failures, ...logs],
    summary: `${asked.length} of ${atomic.length + all.length} queries compared: ${counted(court)}`,
  };
}

function counted({ lists: { blocks } }: OracleCourt): string {
  const transactions = blocks.flatMap((block) => block.transactions);
  const sum = (of: (tx: OracleBlock["transactions"][number]) => number) => transactions.reduce((total, tx) => total + of(tx), 0);
  const counts = {
    blocks: blocks.length,
    transactions: transactions.length,
    "failed ones": sum(({ receipt }) => (Number(receipt.status) === 1 ? 0 : 1)),
    "atomic transactions": blocks.reduce((total, block) => total + atomicCount(block), 0),
    "internal transactions": sum(({ internals }) => internals.length),
    logs: sum(({ receipt }) => receipt.logs.length),
    transfers: sum(({ transfers }) => transfers.length),
    deployments: sum(({ deployments }) => deployments.length),
  };
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** The node's own search, beside its receipts, which everything else is held against. */
async function logsThatDiffer(ask: Ask, blocks: readonly OracleBlock[]): Promise<string[]> {
  const failures: string[] = [];
  for (let from = 0; from < blocks.length; from += LOG_BLOCKS) {
    const some = blocks.slice(from, from + LOG_BLOCKS);
    const [fromBlock, toBlock] = [hexOf(from), hexOf(from + some.length - 1)];
    const found = (await ask("eth_getLogs", [{ fromBlock, toBlock }])) as RawLog[];
    const placed = some.flatMap(({ transactions }) => transactions.flatMap(({ receipt }) => receipt.logs));
    const [searched, told] = [found, placed].map((logs) =>
      JSON.stringify(logs.map(({ address, topics, data, logIndex }) => [address, topics, data, logIndex])),
    );
    if (searched !== told)
      failures.push(`eth_getLogs of blocks ${from} to ${from + some.length - 1} has ${found.length} logs, the receipts ${placed.length}`);
  }
  return failures;
}
