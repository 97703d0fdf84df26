/**
 * Reads a message of answers about a run of blocks as far as the blocks alone determine it: parses and checks them, decodes them, and makes
 * and encodes their rows. Runs on any thread. Anything that is not simply valid is left to the reading that asks again, rates nodes and says why.
 */
import { Writer } from "../../base/codec/reader.ts";
import type { Address, EvmBlock } from "../../sources/evm/parser/block.ts";
import { type BlockAnswers, openBlock } from "../../sources/evm/parser/block-parser.ts";
import { requireProof } from "../../sources/evm/parser/block-proof.ts";
import type { ReadBlockFacts, RunAnswers } from "../../sources/evm/read-block.ts";
import { type UnprovenContent, unprovenContent } from "../../sources/evm/unproven-content.ts";
import { RowEncoder } from "../../store/encoded-rows.ts";
import { type DoubtfulContract, decodeBlock, doubtfulTokens } from "../decode/decode-block.ts";
import type { TokenClass } from "../facts.ts";
import { prepareBlock } from "../index/prepared-block.ts";

/** What can be sent to another thread. */
export interface ReadTask extends RunAnswers {
  /** the chain's number in the store */
  readonly chain: number;
}

export interface AssumedClass extends TokenClass {
  readonly token: Address;
}

/** Flat memory of its own for what is large, so that it can be handed over. */
export interface ReadAnswers {
  /** what `readPrepared` reads of all blocks, one after the other */
  readonly summaries: Uint8Array;
  /** rows of all blocks: see EncodedRows */
  readonly rows: Uint8Array;
  readonly ends: Int32Array;
  readonly blocks: readonly ReadAnswersBlock[];
}

type ReadAnswersBlock = PreparedAnswers | UnpreparedAnswers;

export interface PreparedAnswers {
  readonly unproven: UnprovenContent | undefined;
  /** number of rows */
  readonly rows: number;
  /** classes of tokens with which the block was decoded */
  readonly assumed: readonly AssumedClass[];
}

/** The class of a token is not known, so the block has no rows yet, and no summary. */
interface UnpreparedAnswers {
  readonly facts: Omit<ReadBlockFacts, "bytes">;
}

/** Classes of contracts that have one. */
export type ClassesOf = (tokens: readonly Address[]) => Promise<ReadonlyMap<Address, TokenClass>>;

interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** undefined: the answers are not complete, or not valid, or more has to be asked for a block */
export async function readAnswers(task: ReadTask, classesOf: ClassesOf): Promise<ReadAnswers | undefined> {
  const opened = openAll(task);
  if (opened === undefined) return undefined;
  const blocks = opened.map(({ block }) => block);
  const doubtful = blocks.map(doubtfulTokens);
  const tokens = new Set(doubtful.flat().map(({ address }) => address));
  const classes = tokens.size === 0 ? new Map<Address, TokenClass>() : await classesOf([...tokens]);
  const rows = new RowEncoder(blocks.reduce((sum, { transactions }) => sum + ROWS * transactions.length, 0));
  const summaries = new Writer(blocks.length * SUMMARY_BYTES);
  const read = blocks.map((block, index): ReadAnswersBlock => {
    const assumed = assumedOf(doubtful[index]!, classes);
    const unproven = task.isCompared ? unprovenContent(block, opened[index]!.isProven) : undefined;
    if (assumed === undefined) {
      const { height, hash, parentHash, transactions } = block;
      return { facts: { height, hash, parentHash, transactions: transactions.length, unproven } };
    }
    const before = rows.rows;
    prepareBlock(
      decodeBlock(block, (token) => classes.get(token)),
      task.chain,
      rows,
      summaries,
    );
    return { rows: rows.rows - before, assumed, unproven };
  });
  const { bytes, ends } = rows.finish();
  return { summaries: new Uint8Array(summaries.view()), rows: new Uint8Array(bytes), ends: Int32Array.from(ends), blocks: read };
}

/** expected per transaction, and bytes per block */
const ROWS = 6;
const SUMMARY_BYTES = 16_384;

/** undefined: the class of some contract is not known */
function assumedOf(doubtful: readonly DoubtfulContract[], classes: ReadonlyMap<Address, TokenClass>): readonly AssumedClass[] | undefined {
  if (doubtful.some(({ address }) => !classes.has(address))) return undefined;
  return doubtful.map(({ address }) => ({ token: address, ...classes.get(address)! }));
}

/** undefined unless every block is valid and complete, and the child of the one before. */
function openAll(task: ReadTask): { readonly block: EvmBlock; readonly isProven: boolean }[] | undefined {
  try {
    const answers = answersIn(task);
    const blocks: { readonly block: EvmBlock; readonly isProven: boolean }[] = [];
    for (const [index, each] of answers?.entries() ?? []) {
      const isProven = requireProof(each, task.isProofRequired);
      const opened = openBlock(each);
      const before = blocks.at(-1)?.block;
      const isNext = opened.height === task.from + BigInt(index) && (before === undefined || opened.parentHash === before.hash);
      if (!isNext || opened.creators.length > 0 || opened.salted.length > 0) return undefined;
      blocks.push({ block: opened.block(), isProven });
    }
    return answers && blocks;
  } catch {
    return undefined;
  }
}

/** Answers by block; undefined unless every reply is a result. */
export function answersIn({ body, firstId, count, tracer }: RunAnswers): BlockAnswers[] | undefined {
  const replies: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"));
  const results: unknown[] = [];
  const calls = count * (tracer === undefined ? 2 : 3);
  if (!Array.isArray(replies) || replies.length !== calls) return undefined;
  for (const { id, result, error } of replies as readonly Reply[]) {
    const place = typeof id === "number" ? id - firstId : -1;
    const isOne = Number.isInteger(place) && place >= 0 && place < calls && results[place] === undefined;
    if (!isOne || error != null || result == null) return undefined;
    results[place] = result;
  }
  return Array.from({ length: count }, (_, index) => {
    const [block, receipts, traces] = [results[index], results[count + index], results[2 * count + index]];
    const isEmpty = isWithoutTransactions(block);
    return { block, receipts: isEmpty ? [] : receipts, traces: tracer === undefined ? undefined : isEmpty ? [] : traces };
  });
}

function isWithoutTransactions(block: unknown): boolean {
  const { transactions } = block as { readonly transactions?: unknown };
  return !Array.isArray(transactions) || transactions.length === 0;
}
