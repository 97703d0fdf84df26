import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evmBlocks } from "../../../src/evm/index/tables.ts";
import { AnswerError } from "../../../src/sources/evm/parser/answer-object.ts";
import { type BlockAnswers, openBlock } from "../../../src/sources/evm/parser/block-parser.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { readRecording } from "../replay-rpc/recording.ts";
import { IndexedRows } from "./indexed-rows.ts";

type Members = Record<string, unknown>;
type Answers = BlockAnswers & { readonly block: { transactions: Members[] } & Members; readonly receipts: Members[] };

const recorded = readRecording(recordingFolder("evm-anvil-1")).blocks.filter(
  ({ block, receipts }) => block.transactions.length > 1 && receipts.some(({ logs }) => logs.length > 0),
);

function answersOf(index: number): Answers {
  const { block, receipts, traces } = recorded[index % recorded.length]!;
  return structuredClone({ block, receipts, traces }) as unknown as Answers;
}

/** The rows of a block that is the first of a chain, as bytes. */
function indexed(answers: BlockAnswers): IndexedRows {
  const block = openBlock(answers).block();
  const rows = new IndexedRows({ startHeight: block.height });
  rows.add([block]);
  return rows;
}

const digits = (length: number) => `0x${"f".repeat(length)}`;
const LONG = "a long text";
const extremes = fc.constantFrom("0x0", digits(8), digits(16), digits(20), digits(64), digits(66), LONG, "\u{1f525}\u202e");
const spelled = (value: string) => (value === LONG ? digits(70_000) : value);

test("Whatever a node answers is refused, or held by the rows of the index", () => {
  const places = fc.array(fc.record({ part: fc.nat(), member: fc.nat(), value: extremes }), { minLength: 1, maxLength: 3 });
  const extras = fc.dictionary(fc.constantFrom("extDataHash", "settledHeight", "blockGasCost", "timestampMilliseconds"), extremes);
  const outcomes = { held: 0, refused: 0 };
  fc.assert(
    fc.property(fc.nat(), places, extras, (index, changes, extra) => {
      const answers = answersOf(index);
      for (const [name, value] of Object.entries(extra)) answers.block[name] = spelled(value);
      const logs = answers.receipts.flatMap((receipt) => receipt.logs as Members[]);
      const parts = [answers.block, ...answers.block.transactions, ...answers.receipts, ...logs];
      for (const { part, member, value } of changes) {
        const members = parts[part % parts.length]!;
        const names = Object.keys(members);
        members[names[member % names.length]!] = spelled(value);
      }
      try {
        indexed(answers);
        outcomes.held++;
      } catch (error) {
        expect(error).toBeInstanceOf(AnswerError);
        outcomes.refused++;
      }
    }),
    { numRuns: 400 },
  );
  // about an eighth is held: fewer than these of 400 would say that the test no longer reaches the rows
  expect(outcomes.held).toBeGreaterThan(10);
  expect(outcomes.refused).toBeGreaterThan(10);
});

describe("A block", () => {
  test("holds fees beyond 256 bits to the last wei", () => {
    const answers = answersOf(0);
    for (const receipt of answers.receipts) Object.assign(receipt, { effectiveGasPrice: digits(64), gasUsed: digits(14) });
    const [row] = [...indexed(answers).rows.all(evmBlocks)];
    expect(row?.value.feesSpent).toBe(BigInt(answers.receipts.length) * BigInt(digits(64)) * BigInt(digits(14)));
  });

  test("whose transactions use more gas than any block can is refused", () => {
    const answers = answersOf(0);
    for (const receipt of answers.receipts) receipt.gasUsed = digits(16);
    expect(() => openBlock(answers)).toThrow(/gasUsed/);
  });
});
