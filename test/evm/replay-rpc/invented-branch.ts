/**
 * Generates blocks that replace the newest ones of a chain. They contain most of the replaced blocks' transactions in the same order, but
 * distributed differently; some are lost. They are as consistent as a node's answers: headers have the roots of what is in them.
 */

import { keccak256 } from "../../../src/base/bytes/hash.ts";
import { AnswerObject } from "../../../src/sources/evm/parser/answer-object.ts";
import { effectiveGasPrice, receiptDigits } from "../../../src/sources/evm/parser/block-proof.ts";
import { orderedRoot } from "../../../src/sources/evm/parser/hex-rlp.ts";
import {
  C_CHAIN_FIELDS,
  ETHEREUM_FIELDS,
  encodeHeaderFields,
  type HeaderFields,
  signedTransactionDigits,
} from "../../../src/sources/evm/parser/rlp-forms.ts";
import { randomOf } from "../../random.ts";
import type { Block, Frame, Receipt, RecordedBlock, Transaction } from "./recording.ts";

interface Included {
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  readonly trace: { txHash: string; result: Frame } | undefined;
}

const LOST = 0.15;

export function inventBranch(chain: readonly RecordedBlock[], depth: number, length: number, seed: number): RecordedBlock[] {
  const random = randomOf(seed);
  const replaced = chain.slice(chain.length - depth);
  const contents = Array.from({ length }, (): Included[] => []);
  let at = 0;
  for (const included of replaced.flatMap(contentOf)) {
    while (at < length - 1 && random() < length / (2 * replaced.length + 1)) at++;
    if (length > 0 && random() >= LOST) contents[at]!.push(included);
  }
  const branch: RecordedBlock[] = [];
  let parent = chain[chain.length - depth - 1]!.block;
  for (const [index, content] of contents.entries()) {
    const template = (replaced[index] ?? replaced[replaced.length - 1] ?? chain[chain.length - 1]!).block;
    const block = inventBlock(parent, template, content, seed);
    branch.push(block);
    parent = block.block;
  }
  return branch;
}

function contentOf({ block, receipts, traces }: RecordedBlock): Included[] {
  return block.transactions.map((transaction, index) => ({ transaction, receipt: receipts[index]!, trace: traces?.[index] }));
}

function inventBlock(parent: Block, template: Block, content: readonly Included[], seed: number): RecordedBlock {
  const height = Number(parent.number) + 1;
  const timestamp = quantity(Math.max(Number(parent.timestamp) + 1, Number(template.timestamp)));
  let logIndex = 0;
  let gas = 0n;
  const baseFee = answer(template).optionalQuantity("baseFeePerGas");
  const receipts = content.map(({ transaction, receipt }, index): Receipt => {
    gas += BigInt(receipt.gasUsed);
    const price = baseFee === undefined ? {} : { effectiveGasPrice: quantity(effectiveGasPrice(answer(transaction), baseFee)) };
    const logs = receipt.logs.map((log) => ({ ...log, logIndex: quantity(logIndex++) }));
    return { ...receipt, ...price, transactionIndex: quantity(index), logs, cumulativeGasUsed: quantity(gas) };
  });
  const header: Block = {
    ...template,
    number: quantity(height),
    parentHash: parent.hash,
    timestamp,
    gasUsed: quantity(gas),
    // for a hash of its own, whatever is in it
    extraData: hashOf(Buffer.from(`${parent.hash} ${seed}`)),
    transactionsRoot: rootOf(content.map(({ transaction }) => signedTransactionDigits(answer(transaction)))),
    receiptsRoot: rootOf(receipts.map((receipt) => receiptDigits(answer(receipt)))),
  };
  if (template.timestampMilliseconds !== undefined) header.timestampMilliseconds = quantity(Number(timestamp) * 1000);
  const hash = hashOf(encodeHeaderFields(answer(header), fieldsOf(template)));
  const place = { blockHash: hash, blockNumber: quantity(height) };
  const placed = (index: number) => ({ ...place, transactionIndex: quantity(index) });
  return {
    height,
    block: { ...header, hash, transactions: content.map(({ transaction }, index) => ({ ...transaction, ...placed(index) })) },
    receipts: receipts.map((receipt, index) => {
      return { ...receipt, ...place, logs: receipt.logs.map((log) => ({ ...log, ...placed(index) })) };
    }),
    traces: content.map(({ trace }) => trace!),
  };
}

/** What the block's own hash is of. */
function fieldsOf(block: Block): HeaderFields {
  return [C_CHAIN_FIELDS, ETHEREUM_FIELDS].find((fields) => hashOf(encodeHeaderFields(answer(block), fields)) === block.hash)!;
}

function answer(value: object): AnswerObject {
  return new AnswerObject(value, "an invented block");
}

function rootOf(items: readonly string[]): string {
  return `0x${orderedRoot(items)}`;
}

function hashOf(bytes: Buffer): string {
  return `0x${keccak256(bytes).toString("hex")}`;
}

function quantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
