import fc from "fast-check";
import { expect, test } from "vitest";
import type { Table } from "../../../src/base/table/table.ts";
import { decodeBlock } from "../../../src/evm/decode/decode-block.ts";
import { ERC20, KINDS, type TransactionFacts } from "../../../src/evm/facts.ts";
import { tokenList } from "../../../src/evm/index/list-rows.ts";
import { evmLists } from "../../../src/evm/index/log-tables.ts";
import { NATIVE, ROLE_OF, readEntries } from "../../../src/evm/index/postings.ts";
import { hashPrefix, readInternals, readTransfers } from "../../../src/evm/index/read-parts.ts";
import {
  evmAddressInternals,
  evmAddressTransactions,
  evmBlockHashes,
  evmBlocks,
  evmContracts,
  evmDeployments,
  evmInputs,
  evmTokens,
  evmTransactionHashes,
  evmTransactions,
  evmTransactionsByStatus,
} from "../../../src/evm/index/tables.ts";
import { evmContractQueue, evmNftQueue } from "../../../src/evm/index/token-tables.ts";
import type { Address, EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { classOf, intendedChain, makeBlock, makeChain, PEOPLE, TOKENS, ZERO } from "../decode/intents.ts";
import { CHAIN, IndexedRows } from "./indexed-rows.ts";

/** All effects of a chain, with their heights. */
function happened(chain: readonly EvmBlock[]): (TransactionFacts & { height: bigint })[] {
  return chain.flatMap((block) => decodeBlock(block, classOf).transactions.map((facts) => ({ height: block.height, ...facts })));
}

function keysOf(indexed: IndexedRows, table: Table): string[] {
  return [...indexed.rows.all(table)].map(({ key }) => Object.values(key).join(" ")).sort();
}

/** What a list must hold: keys as text, each once. */
function once(keys: readonly (readonly unknown[])[]): string[] {
  return [...new Set(keys.map((key) => [CHAIN, ...key].join(" ")))].sort();
}

test("Every list has exactly what happened, each thing once", () => {
  fc.assert(
    fc.property(intendedChain, (intended) => {
      const chain = makeChain(intended);
      const indexed = new IndexedRows();
      indexed.add(chain);
      const all = happened(chain);
      const transactions = all.map(({ height, transaction }) => ({ height, ...transaction }));
      expect(keysOf(indexed, evmBlocks)).toEqual(once(chain.map(({ height }) => [height])));
      expect(keysOf(indexed, evmBlockHashes)).toEqual(once(chain.map(({ hash }) => [hash])));
      expect(keysOf(indexed, evmTransactions)).toEqual(once(transactions.map(({ height, index }) => [height, index])));
      expect(keysOf(indexed, evmTransactionHashes)).toEqual(
        once(transactions.map(({ hash, height, index }) => [hashPrefix(hash), height, index])),
      );
      const byStatus = [...indexed.rows.all(evmTransactionsByStatus)].flatMap(({ key: { isSuccess, height }, value }) =>
        value.indexes.map((index) => [isSuccess, height, index]),
      );
      expect(byStatus.map((key) => [CHAIN, ...key].join(" ")).sort()).toEqual(
        once(transactions.map(({ isSuccess, height, index }) => [isSuccess, height, index])),
      );

      const ofTokens = all.flatMap(({ height, transaction: { index }, transfers }) =>
        transfers.map(({ token }) => [tokenList(token), height, index, 0]),
      );
      const tokenLists = new Set(Object.values(TOKENS).map(tokenList));
      const listed = [...indexed.rows.all(evmLists)].flatMap(({ key: { list, window }, value }) =>
        tokenLists.has(list) ? readEntries(window, value.entries).map(({ height, index, part }) => [list, height, index, part]) : [],
      );
      expect(listed.map((key) => [CHAIN, ...key].join(" ")).sort()).toEqual(once(ofTokens));

      const internal = all.flatMap(({ height, transaction: { index }, internals }) =>
        internals.flatMap(({ from, to }) => [from, to].map((address) => [address, height, index])),
      );
      const listedInternals = [...indexed.rows.all(evmAddressInternals)].flatMap(({ key: { address, height }, value }) =>
        value.transactions.map(({ index }) => [address, height, index]),
      );
      expect(listedInternals.map((key) => [CHAIN, ...key].join(" ")).sort()).toEqual(once(internal));

      const parties = all.flatMap(({ height, transaction, transfers, internals }) => {
        const { index, from, to, created } = transaction;
        const roles = new Map<Address, number>();
        for (const { from, to } of internals) for (const party of [from, to]) roles.set(party, 0);
        for (const party of [from, to ?? created!]) roles.set(party, NATIVE);
        for (const kind of KINDS) {
          const ofKind = transfers.filter((transfer) => transfer.kind === kind).flatMap(({ from, to }) => [from, to]);
          for (const party of new Set(ofKind)) roles.set(party, (roles.get(party) ?? 0) + ROLE_OF[kind]);
        }
        return [...roles].map(([address, role]) => [address, role, height, index]);
      });
      const listedParties = [...indexed.rows.all(evmAddressTransactions)].flatMap(({ key: { address, role, height }, value }) =>
        value.transactions.map(({ index }) => [address, role, height, index]),
      );
      expect(listedParties.map((key) => [CHAIN, ...key].join(" ")).sort()).toEqual(once(parties));

      const deployments = all.flatMap(({ height, transaction: { index }, deployments }) =>
        deployments.map((deployment, position) => ({ ...deployment, place: [height, index, position] })),
      );
      expect(keysOf(indexed, evmDeployments)).toEqual(
        once(deployments.flatMap(({ deployer, factory, place }) => [deployer, factory ?? deployer].map((address) => [address, ...place]))),
      );
      const newest = new Map(deployments.map(({ contract, ...deployment }) => [contract, deployment]));
      expect([...indexed.rows.all(evmContracts)].length).toBe(newest.size);
      for (const [contract, { deployer, factory, place }] of newest) {
        const [height, index] = place;
        expect(indexed.rows.get(evmContracts, { chain: CHAIN, contract })).toEqual({ height, index, deployer, factory });
      }
    }),
    { numRuns: 60 },
  );
});

test("Rows say of transfers, internal transactions and transactions what the block said", () => {
  fc.assert(
    fc.property(intendedChain, (intended) => {
      const chain = makeChain(intended);
      const indexed = new IndexedRows();
      indexed.add(chain);
      for (const { height, transaction, transfers, internals } of happened(chain)) {
        const place = { chain: CHAIN, height, index: transaction.index };
        const row = indexed.rows.get(evmTransactions, place)!;
        const { hash, from, isSuccess, input, gasPrice, value } = transaction;
        expect(row).toMatchObject({ hash, from, isSuccess, gasPrice, value, to: transaction.to ?? transaction.created });
        expect(row).toMatchObject({ isCreation: transaction.to === undefined, transfers: transfers.length, internals: internals.length });
        expect(row.inputLength).toBe(input.length);
        const long = indexed.rows.get(evmInputs, place)?.input;
        expect(Buffer.from(long ?? row.input)).toEqual(Buffer.from(input));
        expect(Buffer.from(row.input.subarray(0, 4))).toEqual(Buffer.from(input.subarray(0, 4)));
        expect(readTransfers(row.transferPart, row)).toEqual(transfers);
        expect(readInternals(row.internalPart, row)).toEqual(internals);
      }
    }),
    { numRuns: 40 },
  );
});

test("Blocks sum up what their transactions used and paid, and count the chain's transactions", () => {
  const transaction = { from: PEOPLE[0]!, to: PEOPLE[1], isSuccess: true, inputLength: 0, intents: [] };
  const indexed = new IndexedRows();
  indexed.add(makeChain([[transaction], [], [transaction, transaction]]));
  const sums = [...indexed.rows.all(evmBlocks)].map(({ value }) => [
    value.txCount,
    value.gasUsed,
    value.feesSpent,
    value.cumulativeTransactions,
  ]);
  expect(sums).toEqual([
    [1, 21_000n, 168_000n, 1n],
    [0, 0n, 0n, 1n],
    [2, 42_000n, 336_000n, 3n],
  ]);
});

test("Asks for the metadata of contracts that were deployed or met as tokens, and of NFTs that came to be", () => {
  const mint = { kind: "nft", token: "nft", from: ZERO, to: PEOPLE[0]!, tokenId: 7n } as const;
  const create = { kind: "frame", type: "CREATE", from: PEOPLE[1]!, to: PEOPLE[2]!, value: 0n, isReverted: false } as const;
  const block = makeBlock(0n, [{ from: PEOPLE[0]!, to: PEOPLE[1], isSuccess: true, inputLength: 0, intents: [mint, mint, create] }]);
  const indexed = new IndexedRows();
  indexed.add([block]);
  expect(keysOf(indexed, evmContractQueue)).toEqual(
    once([
      [0, TOKENS.nft],
      [0, PEOPLE[2]],
    ]),
  );
  expect(keysOf(indexed, evmNftQueue)).toEqual(once([[0, TOKENS.nft, "7".padStart(64, "0")]]));
  indexed.undoTo(-1n);
  indexed.commit();
  // to ask in vain does no harm
  expect(keysOf(indexed, evmContractQueue)).toHaveLength(2);
});

test("Tells whether some block with transactions was indexed without traces", () => {
  const transaction = { from: PEOPLE[0]!, to: PEOPLE[1], isSuccess: true, inputLength: 0, intents: [] };
  const [genesis, first, second] = makeChain([[], [transaction], [transaction]]) as [EvmBlock, EvmBlock, EvmBlock];
  const indexed = new IndexedRows();
  const hasTraces = (block: EvmBlock) => {
    indexed.project(block);
    return indexed.index.tip()!.hasTraces;
  };
  expect(hasTraces({ ...genesis, hasTraces: false })).toBe(true);
  expect(hasTraces({ ...first, hasTraces: false })).toBe(false);
  expect(hasTraces(second)).toBe(false);
  indexed.undoTo(0n);
  expect(indexed.index.tip()!.hasTraces).toBe(true);
});

test("Keeps what a token was classed as when it was first in doubt, and where it was first met", () => {
  const party = { from: PEOPLE[0]!, to: PEOPLE[1]!, value: 5n };
  const plain = { kind: "amount", token: "wrapped", ...party } as const;
  const deposit = { kind: "wrap", token: "wrapped", holder: PEOPLE[0]!, value: 9n, isDeposit: true, isTold: false } as const;
  const transaction = { from: PEOPLE[0]!, to: PEOPLE[1], isSuccess: true, inputLength: 0 };
  const indexed = new IndexedRows();
  const rows: unknown[] = [];
  for (const block of makeChain([plain, deposit, plain].map((intent) => [{ ...transaction, intents: [intent] }]))) {
    indexed.add([block]);
    rows.push(indexed.rows.get(evmTokens, { chain: CHAIN, token: TOKENS.wrapped }));
  }
  const classed = { kind: ERC20, isWrapped: true, isClassed: true, hasDebts: true, height: 0n };
  expect(rows).toEqual([{ ...classed, isWrapped: false, isClassed: false }, classed, classed]);
});
