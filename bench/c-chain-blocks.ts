/**
 * C-chain blocks for a recording that has none: the transactions of `evm-1`, ten in a block, under headers of their own. Their EVM state is
 * made up, since Firn does not execute it; everything that a follower checks holds.
 */

import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { formatId } from "../src/base/bytes/cb58.ts";
import { keccak256 } from "../src/base/bytes/hash.ts";
import { encodeCChainBlock, hashExtraData } from "../src/chains/atomic/block.ts";
import { AnswerObject } from "../src/sources/evm/parser/answer-object.ts";
import { orderedRoot } from "../src/sources/evm/parser/hex-rlp.ts";
import { C_CHAIN_FIELDS, encodeHeaderFields, encodeSignedTransaction } from "../src/sources/evm/parser/rlp-forms.ts";
import { readLines } from "../test/conformance/asset/recording.ts";
import { recordingFolder } from "../test/conformance/recordings.ts";
import type { BlockAnswer } from "../test/sources/upstream/c-chain-answer.ts";

const TXS_PER_BLOCK = 10;
const NOTHING = new Uint8Array();

export interface CChainScale {
  readonly blocks: number;
  /** of the first block, Unix seconds */
  readonly startTime: number;
}

/** Writes a recording's file of blocks from height 1 on. */
export async function writeCChainBlocks(file: string, scale: CChainScale): Promise<void> {
  await pipeline(lines(scale), createWriteStream(file));
}

function* lines({ blocks, startTime }: CChainScale): Generator<string> {
  const recorded = [...readLines(recordingFolder("evm-1"), "C.jsonl")].map((line) => (JSON.parse(line) as { block: BlockAnswer }).block);
  const all = recorded.flatMap(({ transactions }) => transactions);
  const shape = recorded.at(-1)!;
  let parentHash = `0x${"00".repeat(32)}`;
  for (let height = 1; height <= blocks; height++) {
    const transactions = Array.from({ length: TXS_PER_BLOCK }, (_, i) => all[(height * TXS_PER_BLOCK + i) % all.length]);
    const encoded = transactions.map((transaction) => encodeSignedTransaction(new AnswerObject(transaction, "transaction")));
    const time = startTime + height;
    const block = {
      ...shape,
      ...{
        parentHash,
        number: hex(height),
        timestamp: hex(time),
        transactions,
        transactionsRoot: `0x${orderedRoot(encoded.map((bytes) => bytes.toString("hex")))}`,
      },
      ...("timestampMilliseconds" in shape && { timestampMilliseconds: hex(time * 1000) }),
      ...{ blockExtraData: "0x", extDataHash: `0x${hashExtraData(NOTHING)}`, extDataGasUsed: "0x0" },
    };
    const header = encodeHeaderFields(new AnswerObject(block, "block"), C_CHAIN_FIELDS);
    const hash = `0x${keccak256(header).toString("hex")}`;
    const bytes = encodeCChainBlock({ header, transactions: encoded, extraData: NOTHING });
    yield `${JSON.stringify({ height, id: formatId(hash.slice(2)), bytes: `0x${bytes.toString("hex")}`, block: { ...block, hash }, acceptedAt: time })}\n`;
    parentHash = hash;
  }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
