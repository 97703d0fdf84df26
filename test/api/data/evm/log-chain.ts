/** Chains whose transactions have given logs. */
import fc from "fast-check";
import type { EvmBlock, EvmLog } from "../../../../src/sources/evm/parser/block.ts";
import { type IntendedTransaction, makeChain, PEOPLE } from "../../../evm/decode/intents.ts";

export type GivenLog = Omit<EvmLog, "index">;

const SENT: IntendedTransaction = { from: PEOPLE[0]!, to: PEOPLE[1]!, isSuccess: true, inputLength: 0, intents: [] };

/** @param given logs by block and transaction. @param restarts indexes of logs begin at 0 in each transaction */
export function chainOfLogs(given: readonly (readonly (readonly GivenLog[])[])[], { restarts = false } = {}): EvmBlock[] {
  return makeChain(given.map((block) => block.map(() => SENT))).map((block, height) => {
    let next = 0;
    const transactions = block.transactions.map((transaction, index) => {
      if (restarts) next = 0;
      return { ...transaction, logs: given[height]![index]!.map((log) => ({ ...log, index: next++ })) };
    });
    return { ...block, transactions };
  });
}

export const EMITTERS: readonly string[] = ["c1", "c2", "c3"].map((byte) => byte.repeat(20));
export const TOPICS: readonly string[] = ["d1", "d2", "00"].map((byte) => byte.repeat(32));

const topic = fc.constantFrom(...TOPICS);

/** Short and long data, no topics to four, repeated topics. */
export const givenLog: fc.Arbitrary<GivenLog> = fc.record({
  address: fc.constantFrom(...EMITTERS),
  topics: fc.array(topic, { maxLength: 4 }),
  data: fc.constantFrom(0, 1, 32, 1023, 1024, 1025, 5000).chain((length) => fc.nat(255).map((byte) => new Uint8Array(length).fill(byte))),
});

const transaction = fc.oneof({ weight: 6, arbitrary: fc.array(givenLog, { maxLength: 4 }) }, fc.array(givenLog, { maxLength: 60 }));
export const givenChain = fc.array(fc.array(transaction, { maxLength: 4 }), { minLength: 1, maxLength: 6 });
