/** Which transactions of a chain webhooks are told of, against plain loops over its blocks, while branches replace each other. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EvmWebhook } from "../../src/api/data/webhooks/webhook-desk.ts";
import { formatEvmAddress } from "../../src/base/bytes/evm-address.ts";
import type { Change } from "../../src/base/table/table.ts";
import { decodeBlock } from "../../src/evm/decode/decode-block.ts";
import { ERC20 } from "../../src/evm/facts.ts";
import { evmUpstreams } from "../../src/evm/index/tables.ts";
import type { EvmBlock } from "../../src/sources/evm/parser/block.ts";
import { classOf, intendedBlock, PEOPLE, TOKENS } from "../evm/decode/intents.ts";
import { CHAIN } from "../evm/index/indexed-rows.ts";
import { messagesOf, type QueuedMessage } from "./messages.ts";
import { OWNER, PLAIN, SCOPE, StoredChain, serviceOf } from "./stored-chain.ts";

const ADDRESSES = [...PEOPLE, TOKENS.plain, TOKENS.nft, "77".repeat(20)];
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

interface Wanted {
  readonly addresses: readonly string[];
  readonly eventSignatures: readonly string[];
  readonly includeLogs: boolean;
  readonly includeInternalTxs: boolean;
}

const wanted: fc.Arbitrary<Wanted> = fc.record({
  addresses: fc.uniqueArray(fc.constantFrom(...ADDRESSES), { minLength: 1, maxLength: 3 }),
  eventSignatures: fc.constantFrom([], [], [TRANSFER], [`0x${"12".repeat(32)}`]),
  includeLogs: fc.boolean(),
  includeInternalTxs: fc.boolean(),
});

/** Adds blocks above the one so far below the tip, in place of those that are there. `looks`: 2 begins again before. `makes`: a webhook, after that */
const growth = fc.record({
  depth: fc.nat(4),
  blocks: fc.array(intendedBlock, { minLength: 1, maxLength: 4 }),
  looks: fc.nat(2),
  makes: fc.option(wanted),
});

interface Told {
  readonly txHash: string;
  readonly logs: number;
  readonly addresses: ReadonlySet<string>;
}

/** Transactions of the blocks that a webhook must know of, in order. @param before hashes of the blocks that were there when it was made */
function expectedOf(blocks: readonly EvmBlock[], { addresses, eventSignatures }: Wanted, before: ReadonlySet<string>): Told[] {
  const later = blocks.filter(({ hash }) => !before.has(hash));
  return later.flatMap((block) => {
    const facts = decodeBlock(block, classOf);
    return facts.transactions.flatMap((fact, i): Told[] => {
      const { hash, from, to, created, logs } = block.transactions[i]!;
      const inTopics = (topics: readonly string[]) => topics.slice(1).map((topic) => topic.slice(24));
      const touched = new Set([from, to ?? created!, ...logs.flatMap(({ address, topics }) => [address, ...inTopics(topics)])]);
      for (const { token, ...parties } of fact.transfers) for (const one of [token, parties.from, parties.to]) touched.add(one);
      for (const parties of fact.internals) for (const one of [parties.from, parties.to]) touched.add(one);
      if (!addresses.some((address) => touched.has(address))) return [];
      const isSigned = logs.some(
        ({ address, topics }) =>
          eventSignatures.includes(`0x${topics[0]}`) && [address, ...inTopics(topics)].some((one) => addresses.includes(one)),
      );
      return eventSignatures.length === 0 || isSigned ? [{ txHash: `0x${hash}`, logs: logs.length, addresses: touched }] : [];
    });
  });
}

/** Transactions that a receiver knows once it has all messages. Each removal must be of the newest that it knows. */
function knownOf(messages: readonly QueuedMessage[]): string[] {
  const known: string[] = [];
  for (const { event, isRemoval } of messages) {
    const { txHash } = event.transaction;
    expect(event.removed === true).toBe(isRemoval);
    if (isRemoval) expect(known.pop()).toBe(txHash);
    else known.push(txHash);
  }
  return known;
}

function settingsOf({ addresses: _, ...options }: Wanted): EvmWebhook {
  return { ...PLAIN, ...options };
}

test("are those with a watched address, each once and in order, whatever branches there were and however often the process began again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wanted, { maxLength: 3 }), fc.array(growth, { minLength: 1, maxLength: 6 }), async (asked, growths) => {
      const chain = new StoredChain();
      await chain.grow(0, [[]]);
      let service = await serviceOf(chain.store);
      const made: { one: Wanted; before: ReadonlySet<string> }[] = [];
      const make = async (one: Wanted) => {
        await service.desk.create(OWNER, settingsOf(one), one.addresses);
        made.push({ one, before: new Set(chain.blocks.map(({ hash }) => hash)) });
      };
      for (const one of asked) await make(one);
      for (const { depth, blocks, looks, makes } of growths) {
        await chain.grow(depth, blocks);
        if (looks === 2) service = await serviceOf(chain.store);
        for (let i = 0; i < looks; i++) await service.feed.step(SCOPE);
        if (makes !== null) await make(makes);
      }
      while (await service.feed.step(SCOPE));
      for (const [i, { one, before }] of made.entries()) {
        const messages = await messagesOf(chain.store, i + 1);
        expect(knownOf(messages)).toEqual(expectedOf(chain.blocks, one, before).map(({ txHash }) => txHash));
        expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(messages.length);
      }
      await chain.store.close();
    }),
    { numRuns: 60 },
  );
});

test("are told of with what their receipts say", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(intendedBlock, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.boolean(),
      async (intended, includeLogs, includeInternalTxs) => {
        const chain = new StoredChain();
        await chain.grow(0, [[]]);
        const { desk, feed } = await serviceOf(chain.store);
        await desk.create(OWNER, settingsOf({ addresses: [], eventSignatures: [], includeLogs, includeInternalTxs }), ADDRESSES);
        await chain.grow(0, intended);
        while (await feed.step(SCOPE));
        const messages = await messagesOf(chain.store, 1);
        const all = chain.blocks.slice(1).flatMap((block) => {
          let cumulative = 0n;
          const facts = decodeBlock(block, classOf);
          return block.transactions.map((transaction, i) => {
            cumulative += transaction.gasUsed;
            return { block, transaction, facts: facts.transactions[i]!, cumulative, index: i };
          });
        });
        expect(messages).toHaveLength(all.length);
        for (const [i, { event }] of messages.entries()) {
          const { block, transaction, facts, cumulative, index } = all[i]!;
          const isCreation = transaction.to === undefined;
          expect(event.transaction).toMatchObject({
            ...{ txHash: `0x${transaction.hash}`, blockHash: `0x${block.hash}`, blockNumber: `${block.height}`, transactionIndex: index },
            ...{ from: formatEvmAddress(transaction.from), to: isCreation ? "" : `0x${transaction.to}`, value: `${transaction.value}` },
            ...{
              txStatus: transaction.isSuccess ? "1" : "0",
              nonce: `${transaction.nonce}`,
              input: `0x${Buffer.from(transaction.input).toString("hex")}`,
            },
            ...{ receiptGasUsed: `${transaction.gasUsed}`, receiptCumulativeGasUsed: `${cumulative}`, chainId: "43112" },
            erc20Transfers: facts.transfers
              .filter(({ kind }) => kind === ERC20)
              .map(({ from, to, value, logIndex }) => ({
                from: formatEvmAddress(from),
                to: formatEvmAddress(to),
                value: `${value}`,
                logIndex,
              })),
          });
          const { erc721Transfers, erc1155Transfers, internalTransactions } = event.transaction;
          expect(erc721Transfers.length + erc1155Transfers.length).toBe(facts.transfers.filter(({ kind }) => kind !== ERC20).length);
          expect(internalTransactions?.length).toBe(includeInternalTxs ? facts.internals.length : undefined);
          const logs = transaction.logs.map(({ address, topics, data, index: logIndex }) => ({
            ...{ address: formatEvmAddress(address), topic0: "", data: `0x${Buffer.from(data).toString("hex")}`, logIndex, removed: false },
            ...Object.fromEntries(topics.map((topic, at) => [`topic${at}`, `0x${topic}`])),
          }));
          if (includeLogs) expect(event.logs).toMatchObject(logs);
          else expect(event.logs).toBeUndefined();
        }
        await chain.store.close();
      },
    ),
    { numRuns: 40 },
  );
});

test("are those after the newest block that the chain's node had when the webhook was made", async () => {
  const chain = new StoredChain();
  await chain.grow(0, [[]]);
  const head = { headHeight: 95n, headTimestamp: 0n, seenAt: 0n, problem: "" };
  await chain.store.commit([{ table: evmUpstreams, key: { chain: CHAIN }, value: head } as Change]);
  const { desk, feed } = await serviceOf(chain.store);
  await desk.create(OWNER, PLAIN, PEOPLE);
  const payment = { from: PEOPLE[0]!, to: PEOPLE[1]!, isSuccess: true, inputLength: 0, intents: [] };
  for (const blocks of [80, 15, 3]) {
    await chain.grow(
      0,
      Array.from({ length: blocks }, () => [payment]),
    );
    while (await feed.step(SCOPE));
  }
  expect((await messagesOf(chain.store, 1)).map(({ height }) => height)).toEqual([96n, 97n, 98n]);
  await chain.store.close();
});
