/**
 * Generates blocks that replace the newest ones of a chain. They contain most of the replaced blocks' transactions in the same order, but
 * distributed differently; some are lost. They are as consistent as a node's answers (hashes, parents, indexes), but the hashes are made
 * up.
 */
import { keccak256 } from "../../../src/primitives/hash.ts";
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
  const hash = `0x${keccak256(Buffer.from(`${parent.hash} ${seed}`)).toString("hex")}`;
  const place = { blockHash: hash, blockNumber: quantity(height) };
  const timestamp = quantity(Math.max(Number(parent.timestamp) + 1, Number(template.timestamp)));
  let logIndex = 0;
  let gas = 0n;
  const receipts = content.map(({ receipt }, index): Receipt => {
    gas += BigInt(receipt.gasUsed);
    const transactionIndex = quantity(index);
    const logs = receipt.logs.map((log) => ({ ...log, ...place, transactionIndex, logIndex: quantity(logIndex++) }));
    return { ...receipt, ...place, transactionIndex, logs, cumulativeGasUsed: quantity(gas) };
  });
  const transactions = content.map(({ transaction }, index) => ({ ...transaction, ...place, transactionIndex: quantity(index) }));
  const block: Block = {
    ...template,
    number: quantity(height),
    hash,
    parentHash: parent.hash,
    timestamp,
    gasUsed: quantity(gas),
    transactions,
  };
  if (template.timestampMilliseconds !== undefined) block.timestampMilliseconds = quantity(Number(timestamp) * 1000);
  return { height, block, receipts, traces: content.map(({ trace }) => trace!) };
}

function quantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
