/** Recorded blocks prove themselves; whoever alters one member of them is found out, or has altered nothing that is indexed. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AnswerError } from "../../../src/sources/evm/parser/answer-object.ts";
import { openBlock } from "../../../src/sources/evm/parser/block-parser.ts";
import { proveBlock } from "../../../src/sources/evm/parser/block-proof.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { type RecordedBlock, readRecording } from "../../evm/replay-rpc/recording.ts";
import { sized } from "../../share.ts";
import { altered, placesIn } from "./altered.ts";

type Json = Record<string, unknown>;
type Answers = Pick<RecordedBlock, "block" | "receipts">;

const blocksOf = (name: "evm-1" | "evm-anvil-1" | "evm-helicon-1") => readRecording(recordingFolder(name)).blocks;

/** What is indexed of the block, its traces aside; undefined if it is refused. */
function indexed({ block, receipts }: Answers): unknown {
  try {
    if (!proveBlock({ block, receipts })) return undefined;
    return openBlock({ block, receipts, traces: undefined }).block();
  } catch (error) {
    if (error instanceof AnswerError) return undefined;
    throw error;
  }
}

describe.each(["evm-1", "evm-anvil-1", "evm-helicon-1"] as const)("the blocks of %s", (name) => {
  test("are proven by their headers, all of them", () => {
    for (const { block, receipts, height } of blocksOf(name)) expect(proveBlock({ block, receipts }), `block ${height}`).toBe(true);
  });

  test("altered in one place, are refused or say the same", () => {
    const blocks = blocksOf(name).filter(({ block }) => block.transactions.length > 0);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), (which, where, how) => {
        const { block, receipts } = blocks[which % blocks.length]!;
        const answers = { block, receipts } as Answers;
        const isOwn = (block as unknown as Json).settledHeight === undefined;
        // what a header of Helicon does not have: the outcome of its own transactions, and logs
        const isFree = (path: readonly (string | number)[]) =>
          !isOwn &&
          path[0] === "receipts" &&
          (path[2] === "logs" || ["status", "gasUsed", "cumulativeGasUsed", "effectiveGasPrice"].includes(String(path[2])));
        // the sender follows from the signature, which costs too much; receipt and trace must name it, too
        const places = placesIn(answers).filter((path) => !isFree(path));
        const path = places[where % places.length]!;
        const seen = indexed(altered(answers, path, how));
        if (seen !== undefined) expect(seen, path.join(".")).toEqual(indexed(answers));
      }),
      { numRuns: sized({ whole: 1500, share: 200 }) },
    );
  });
});

test("a header of a kind that is not known proves nothing, and refuses nothing", () => {
  const [{ block, receipts }] = blocksOf("evm-1").filter(({ block: { transactions } }) => transactions.length > 0) as [RecordedBlock];
  expect(proveBlock({ block: { ...block, hash: `0x${"12".repeat(32)}` } as never, receipts })).toBe(false);
});

test("receipts without their bloom filters are proven by their logs", () => {
  for (const { block, receipts } of blocksOf("evm-1")) {
    const bare = receipts.map(({ logsBloom: _, ...rest }: Json) => rest);
    expect(proveBlock({ block, receipts: bare })).toBe(true);
  }
});
