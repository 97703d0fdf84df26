/** A block whose rows another thread has made, and the answers from which it can be read again. */
import { Reader } from "../../primitives/codec/reader.ts";
import type { EncodedRows } from "../../store/encoded-rows.ts";
import type { BlockAnswers } from "../block-parser/block-parser.ts";
import { type PreparedBlock, readPrepared } from "../index/prepared-block.ts";
import { ReadBlock, type RunAnswers } from "../source/read-block.ts";
import { type AssumedClass, answersIn, type ReadAnswers } from "./read-answers.ts";

export class EncodedBlock extends ReadBlock {
  readonly prepared: PreparedBlock;
  readonly rows: EncodedRows;
  /** see ReadAnswersBlock */
  readonly assumed: readonly AssumedClass[] | undefined;
  readonly #answers: () => BlockAnswers;

  constructor(parts: Pick<EncodedBlock, "prepared" | "rows" | "assumed" | "bytes"> & { readonly answers: () => BlockAnswers }) {
    const { prepared, rows, assumed, bytes, answers } = parts;
    super({ ...prepared.summary, bytes });
    this.prepared = prepared;
    this.rows = rows;
    this.assumed = assumed;
    this.#answers = answers;
  }

  answers(): BlockAnswers {
    return this.#answers();
  }
}

export function encodedBlocks(run: RunAnswers, { summaries, rows, ends, blocks }: ReadAnswers): EncodedBlock[] {
  const reader = new Reader(summaries);
  // shared by all blocks of the message
  let all: BlockAnswers[] | undefined;
  const answersAt = (index: number) => {
    all ??= answersIn(run)!;
    return all[index]!;
  };
  const bytes = Math.ceil((run.body.length + rows.length + summaries.length) / blocks.length);
  let from = 0;
  let start = 0;
  return blocks.map(({ rows: count, assumed }, index) => {
    const own = { bytes: rows, start, ends: ends.subarray(2 * from, 2 * (from + count)) };
    from += count;
    start = ends[2 * from - 1] ?? start;
    return new EncodedBlock({ prepared: readPrepared(reader), rows: own, assumed, bytes, answers: () => answersAt(index) });
  });
}
