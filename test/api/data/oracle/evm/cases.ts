/** All useful queries of the EVM routes about a chain: all addresses, blocks, transactions and contracts, with all parameters. */
import { callCases } from "./call-cases.ts";
import { type Case, CaseMaker, type OracleCourt } from "./case-maker.ts";
import { tokenCases } from "./holder-cases.ts";
import { logCases } from "./log-cases.ts";
import { balanceCases, contractCases, nftCases } from "./ownership-cases.ts";
import { blockCases, chainCases, transactionCases } from "./transaction-cases.ts";

const STRANGER = `0x${"5".repeat(40)}`;

export function* casesOf(court: OracleCourt): Generator<Case> {
  const maker = new CaseMaker(court);
  yield* chainCases(maker);
  yield* blockCases(maker);
  yield* tokenCases(maker);
  yield* logCases(maker);
  yield* callCases(maker);
  for (const address of addressesOf(court)) {
    yield* transactionCases(maker, address);
    yield* contractCases(maker, address);
    yield* nftCases(maker, address);
    yield* balanceCases(maker, address);
  }
}

function addressesOf({ lists }: OracleCourt): Set<string> {
  const named = new Set([STRANGER]);
  for (const { transactions } of lists.blocks) {
    for (const tx of transactions) {
      for (const { from, to } of [tx, ...tx.transfers, ...tx.internals]) named.add(from).add(to);
      for (const { token } of tx.transfers) named.add(token);
      for (const { contract } of tx.deployments) named.add(contract);
    }
  }
  return named;
}
