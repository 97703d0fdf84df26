/** Blocks that another thread has read, mostly with their rows, and the answers from which they can be read again. */
import { Reader } from "../../base/codec/reader.ts";
import type { BlockAnswers } from "../../sources/evm/parser/block-parser.ts";
import { ReadBlock, type ReadBlockFacts, type RunAnswers } from "../../sources/evm/read-block.ts";
import type { EncodedRows } from "../../store/encoded-rows.ts";
import { type PreparedBlock, readPrepared } from "../index/prepared-block.ts";
import { type AssumedClass, answersIn, type ReadAnswers } from "./read-answers.ts";

/** A block that was read, and whose rows are not made. */
class CheckedBlock extends ReadBlock {
  readonly answers: () => BlockAnswers;

  constructor(facts: ReadBlockFacts, answers: () => BlockAnswers) {
    super(facts);
    this.answers = answers;
  }
}

export class EncodedBlock extends CheckedBlock {
  readonly prepared: PreparedBlock;
  readonly rows: EncodedRows;
  /** see PreparedAnswers */
  readonly assumed: readonly AssumedClass[];

  constructor(parts: Pick<EncodedBlock, "prepared" | "rows" | "assumed" | "bytes" | "answers" | "unproven">) {
    const { prepared, rows, assumed, bytes, answers, unproven } = parts;
    super({ ...prepared.summary, bytes, unproven }, answers);
    this.prepared = prepared;
    this.rows = rows;
    this.assumed = assumed;
  }
}

export function encodedBlocks(run: RunAnswers, { summaries, rows, ends, blocks }: ReadAnswers): ReadBlock[] {
  const reader = new Reader(summaries);
  // shared by all blocks of the message
  let all: BlockAnswers[] | undefined;
  const bytes = Math.ceil((run.body.length + rows.length + summaries.length) / blocks.length);
  let from = 0;
  let start = 0;
  return blocks.map((block, index) => {
    const answers = () => {
      all ??= answersIn(run)!;
      return all[index]!;
    };
    if ("facts" in block) return new CheckedBlock({ ...block.facts, bytes }, answers);
    const own = { bytes: rows, start, ends: ends.subarray(2 * from, 2 * (from + block.rows)) };
    from += block.rows;
    start = ends[2 * from - 1] ?? start;
    const { assumed, unproven } = block;
    return new EncodedBlock({ prepared: readPrepared(reader), rows: own, assumed, bytes, answers, unproven });
  });
}
