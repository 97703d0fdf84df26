/** Rows of interchain messages, of chains that random actions made. test/api/data/evm/icm.test.ts holds what routes show against the actions. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { icmEventsOf } from "../../../src/evm/decode/icm-logs.ts";
import { evmIcmLists, evmIcmReceived, evmIcmSent, evmIcmTransactions } from "../../../src/evm/index/icm-tables.ts";
import { makeBlock, PEOPLE } from "../decode/intents.ts";
import { eventLog, icmWorld, MESSENGER } from "./icm-world.ts";
import { IndexedRows } from "./indexed-rows.ts";

const OPTIONS = { maxReorgDepth: 100, messengers: [MESSENGER] };

test("rows are the same however blocks were indexed, undone and indexed again", () => {
  fc.assert(
    fc.property(icmWorld, fc.nat(), fc.boolean(), ({ chains }, random, isPrepared) => {
      for (const chain of chains) {
        const straight = new IndexedRows(OPTIONS);
        straight.add(chain, { recordsUndo: false });
        const indexed = new IndexedRows(OPTIONS);
        for (const block of chain) indexed.add([block]);
        const kept = random % chain.length;
        indexed.undoTo(BigInt(kept));
        indexed.commit();
        const shorter = new IndexedRows(OPTIONS);
        shorter.add(chain.slice(0, kept + 1));
        expect(indexed.dump()).toEqual(shorter.dump());
        for (const block of chain.slice(kept + 1)) {
          if (isPrepared) indexed.projectPrepared(block);
          else indexed.project(block, { recordsUndo: false });
        }
        indexed.commit();
        for (const table of [evmIcmLists, evmIcmSent, evmIcmReceived])
          expect([...indexed.rows.all(table)]).toEqual([...straight.rows.all(table)]);
      }
    }),
    { numRuns: 60 },
  );
});

test("a message costs its chain seven rows, however often it is sent, paid for, tried and acknowledged", () => {
  fc.assert(
    fc.property(icmWorld, ({ chains, messages }) => {
      for (const [i, chain] of chains.entries()) {
        const indexed = new IndexedRows(OPTIONS);
        indexed.add(chain);
        const sides = messages.flatMap(({ sent, received }) => [sent, received]).filter((side) => side?.chain === i);
        expect([...indexed.rows.all(evmIcmSent), ...indexed.rows.all(evmIcmReceived)]).toHaveLength(sides.length);
        expect([...indexed.rows.all(evmIcmLists)]).toHaveLength(4 * sides.length);
        const transactions = new Set(sides.map((side) => side!.txHash));
        expect([...indexed.rows.all(evmIcmTransactions)]).toHaveLength(transactions.size);
      }
    }),
    { numRuns: 60 },
  );
});

const [person] = PEOPLE;
const MESSAGE = {
  messageNonce: 1n,
  originSenderAddress: `0x${person}`,
  destinationBlockchainID: `0x${"c2".repeat(32)}`,
  destinationAddress: `0x${person}`,
  requiredGasLimit: 1n,
  allowedRelayerAddresses: [],
  receipts: [{ receivedMessageNonce: 5n, relayerRewardAddress: `0x${person}` }],
  message: "0x010203",
};

test("logs that are cut, longer or dirty are no events, or events with the same members; none of them fails", () => {
  const args = {
    ...{ messageID: `0x${"11".repeat(32)}`, destinationBlockchainID: `0x${"c2".repeat(32)}` },
    ...{ message: MESSAGE, feeInfo: { feeTokenAddress: `0x${person}`, amount: 3n } },
  };
  const log = eventLog("SendCrossChainMessage", args);
  const eventsOf = (data: Uint8Array, topics = log.topics) => {
    const block = makeBlock(1n, [{ from: person!, to: person, isSuccess: true, inputLength: 0, intents: [] }]);
    return icmEventsOf({ ...block, transactions: [{ ...block.transactions[0]!, logs: [{ ...log, data, topics, index: 0 }] }] });
  };
  const { data } = log;
  expect(eventsOf(data)).toMatchObject([
    { kind: "sent", fee: 3n, message: { nonce: 1n, from: person, receipts: [{ nonce: 5n, relayer: person }] } },
  ]);
  expect(eventsOf(data, log.topics.slice(0, 2))).toEqual([]);
  fc.assert(
    fc.property(fc.nat(data.length - 1), fc.integer({ min: 0, max: 255 }), fc.nat(data.length), (at, byte, length) => {
      const changed = Buffer.from(data);
      changed[at] = byte;
      for (const bytes of [changed, data.subarray(0, length), Buffer.concat([data, changed])]) {
        for (const { message } of eventsOf(bytes)) expect(message!.receipts.length).toBeLessThanOrEqual(data.length / 64);
      }
    }),
    { numRuns: 2000 },
  );
});
