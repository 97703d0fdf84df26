/** What the index needs of a block besides the rows that belong to this block alone. */
import type { Address, Hash } from "../../sources/evm/parser/block.ts";
import type { Deployment, EvmFacts, MetToken } from "../facts.ts";
import { type HoldingChanges, holdingChanges } from "./holding-rows.ts";
import { type ListEntries, listEntries } from "./list-rows.ts";

export interface BlockSummary {
  readonly height: bigint;
  readonly hash: Hash;
  readonly parentHash: Hash;
  /** Unix seconds */
  readonly timestamp: bigint;
  readonly hasTraces: boolean;
  /** numbers in the block */
  readonly transactions: number;
  readonly logs: number;
  /** see EvmFacts */
  readonly tokens: readonly MetToken[];
  readonly deployments: readonly PlacedDeployment[];
  /** each once */
  readonly destroyed: readonly Address[];
  readonly holdings: HoldingChanges;
  /** of logs and of tokens */
  readonly lists: readonly ListEntries[];
}

export interface PlacedDeployment extends Deployment {
  /** of the transaction */
  readonly index: number;
}

export function summaryOf(facts: EvmFacts): BlockSummary {
  const { block, transactions, tokens } = facts;
  const { height, hash, parentHash, timestamp, hasTraces } = block;
  const deployments = transactions.flatMap(({ transaction: { index }, deployments: made }) => made.map((each) => ({ ...each, index })));
  const logs = block.transactions.reduce((sum, each) => sum + each.logs.length, 0);
  return {
    height,
    hash,
    parentHash,
    timestamp,
    hasTraces,
    transactions: block.transactions.length,
    logs,
    tokens,
    deployments,
    destroyed: [...new Set(transactions.flatMap((each) => each.destroyed))],
    holdings: holdingChanges(facts),
    lists: listEntries(facts),
  };
}

/** Contracts of a block's deployments, with repetitions. */
export function contractsOf({ deployments }: BlockSummary): Address[] {
  return deployments.map(({ contract }) => contract);
}
