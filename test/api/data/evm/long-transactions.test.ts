/** Pages of lists whose transactions have many parts, against the facts that the transactions were made of. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Position } from "../../../../src/api/data/context.ts";
import { listTokenTransfers } from "../../../../src/api/data/evm/balances/list-transfers.ts";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import { listAddressTransactions } from "../../../../src/api/data/evm/transactions/list-address-transactions.ts";
import { listInternalTransactions } from "../../../../src/api/data/evm/transactions/list-internal-transactions.ts";
import { listErc20Transactions, listErc1155Transactions } from "../../../../src/api/data/evm/transactions/list-token-transactions.ts";
import type { AnyDataRoute } from "../../../../src/api/data/route.ts";
import { decodeBlock } from "../../../../src/evm/decode/decode-block.ts";
import { ERC20, ERC1155 } from "../../../../src/evm/facts.ts";
import { PART_ITEMS } from "../../../../src/evm/index/read-parts.ts";
import type { StoreReader } from "../../../../src/store/store.ts";
import { classOf, type Intent, makeChain, PEOPLE, TOKENS } from "../../../evm/decode/intents.ts";
import { CHAIN } from "../../../evm/index/indexed-rows.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { ask } from "../staking/request.ts";
import { askedOf, evmChain } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";

const asked = askedOf(evmChain());
const person = fc.constantFrom(...PEOPLE);
const entries = fc.array(fc.record({ tokenId: fc.constantFrom(1n, 2n), value: fc.constantFrom(1n, 2n) }), { maxLength: 2 * PART_ITEMS });
const intent: fc.Arbitrary<Intent> = fc.oneof(
  fc.record({ kind: fc.constant("multi" as const), from: person, to: person, entries, isBatch: fc.constant(true) }),
  fc.record({
    kind: fc.constant("amount" as const),
    token: fc.constant("plain" as const),
    from: person,
    to: person,
    value: fc.constant(1n),
  }),
  fc.record({
    kind: fc.constant("frame" as const),
    type: fc.constant("CALL" as const),
    from: person,
    to: person,
    value: fc.constantFrom(1n, 2n),
    isReverted: fc.boolean(),
  }),
);
const transaction = fc.record({
  from: person,
  to: person,
  isSuccess: fc.constant(true),
  inputLength: fc.constant(0),
  intents: fc.array(intent, { maxLength: 3 * PART_ITEMS, size: "max" }),
});
const chain = fc.array(fc.array(transaction, { maxLength: 3 }), { minLength: 1, maxLength: 3 });

async function everyPage(route: AnyDataRoute, reader: StoreReader, address: string, pageSize: number): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let after: Position | undefined; ; ) {
    const params = { address: formatAddress(address) };
    const { body, next } = await ask(route, reader, asked, { pageSize: `${pageSize}` }, { params, after });
    const page = Object.values(body).find((member) => Array.isArray(member)) as Record<string, unknown>[];
    expect(page.length).toBeLessThanOrEqual(pageSize);
    items.push(...page);
    if (next === undefined) return items;
    expect(page.length).toBeGreaterThan(0);
    after = next;
  }
}

test("Every page of every list has what happened, each thing once, newest first", async () => {
  await fc.assert(
    fc.asyncProperty(chain, person, fc.constantFrom(1, 2, 7, 40), async (intended, address, pageSize) => {
      const blocks = makeChain(intended);
      const all = blocks
        .flatMap((block) => decodeBlock(block, classOf).transactions.map((facts) => ({ height: block.height, facts })))
        .reverse();
      const isOwn = ({ from, to }: { from: string; to: string }) => from === address || to === address;
      await withIndexedChains(new Map([[CHAIN, blocks]]), async (store) => {
        for (const [route, kind] of [
          [listErc20Transactions, ERC20],
          [listErc1155Transactions, ERC1155],
        ] as const) {
          const wanted = all.flatMap(({ height, facts: { transfers } }) =>
            transfers
              .toReversed()
              .flatMap((each) => (each.kind === kind && isOwn(each) ? [`${height} ${each.logIndex} ${each.value}`] : [])),
          );
          const found = await everyPage(route, store, address, pageSize);
          expect(found.map(({ blockNumber, logIndex, value }) => `${blockNumber} ${logIndex} ${value}`)).toEqual(wanted);
        }
        const moved = all.flatMap(({ height, facts: { transfers } }) =>
          transfers.toReversed().flatMap(({ token, logIndex }) => (token === TOKENS.multi ? [`${height} ${logIndex}`] : [])),
        );
        const ofToken = await everyPage(listTokenTransfers, store, TOKENS.multi, pageSize);
        expect(ofToken.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`)).toEqual(moved);
        const internal = all.flatMap(({ height, facts: { internals } }) =>
          internals.toReversed().flatMap((each) => (isOwn(each) ? [`${height} ${each.value} ${each.isReverted}`] : [])),
        );
        const internals = await everyPage(listInternalTransactions, store, address, pageSize);
        expect(internals.map(({ blockNumber, value, isReverted }) => `${blockNumber} ${value} ${isReverted}`)).toEqual(internal);
        const parts = all.flatMap(({ facts: { transaction, transfers, internals } }) => {
          const own = [transfers, internals].map((each: readonly { from: string; to: string }[]) => each.filter(isOwn).length);
          const isListed = own.some((count) => count > 0) || transaction.from === address || transaction.to === address;
          return isListed ? [own.join(" ")] : [];
        });
        const whole = await everyPage(listAddressTransactions, store, address, pageSize);
        const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
        expect(
          whole.map((each) => `${lengthOf(each.erc20Transfers) + lengthOf(each.erc1155Transfers)} ${lengthOf(each.internalTransactions)}`),
        ).toEqual(parts);
      });
    }),
    { numRuns: 30 },
  );
});

test("A page of one transaction's many transfers costs the rows of the page, wherever it is", async () => {
  const count = 40 * PART_ITEMS;
  const flood = {
    kind: "multi" as const,
    from: PEOPLE[0]!,
    to: PEOPLE[1]!,
    entries: Array.from({ length: count }, (_, id) => ({ tokenId: BigInt(id), value: 1n })),
    isBatch: true,
  };
  const blocks = makeChain([[{ from: PEOPLE[2]!, to: PEOPLE[3], isSuccess: true, inputLength: 0, intents: [flood] }]]);
  await withIndexedChains(new Map([[CHAIN, blocks]]), async (store) => {
    for (const [route, address] of [
      [listErc1155Transactions, PEOPLE[1]!],
      [listTokenTransfers, TOKENS.multi],
    ] as const) {
      let items = 0;
      for (let after: Position | undefined; ; ) {
        const counted = new CountingReader(store);
        const { body, next } = await ask(route, counted, asked, { pageSize: "10" }, { params: { address: formatAddress(address) }, after });
        items += (Object.values(body).find((member) => Array.isArray(member)) as unknown[]).length;
        expect(counted.reads).toBeLessThanOrEqual(16 + 5 * 11 + 2 * 12);
        if (next === undefined) break;
        after = next;
      }
      expect(items).toBe(count);
    }
  });
});
