/** Blocks, receipts and traces of the generated chain as the JSON of a node, rendered once. */
import type { Dice } from "./dice.ts";
import type { MadeCall, MadeLog, MadeTransaction } from "./traffic.ts";

export interface LogText {
  readonly address: string;
  readonly topic: string;
  readonly text: string;
}

export interface BlockText {
  readonly hash: string;
  /** with full transactions */
  readonly block: Buffer;
  /** with transaction hashes */
  readonly shortBlock: Buffer;
  readonly receipts: Buffer;
  readonly traces: Buffer;
  readonly logs: readonly LogText[];
}

const BLOOM = `0x${"00".repeat(256)}`;
const GAS_PRICE = 25_000_000_000n;
const GENESIS_TIME = 1_700_000_000;

function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

export interface BlockPlace {
  readonly height: number;
  /** without 0x */
  readonly hash: string;
  readonly parentHash: string;
}

export function blockText({ height, hash, parentHash }: BlockPlace, transactions: readonly MadeTransaction[], dice: Dice): BlockText {
  const place = { blockHash: `0x${hash}`, blockNumber: quantity(height) };
  const hashes = transactions.map(() => `0x${dice.hex(32)}`);
  const logs: LogText[] = [];
  let cumulativeGasUsed = 0;
  const receipts = transactions.map((transaction, index) => {
    cumulativeGasUsed += transaction.gasUsed;
    const where = { ...place, transactionHash: hashes[index]!, transactionIndex: quantity(index) };
    const own = transaction.logs.map((log) => logText(log, where, logs));
    return receiptText(transaction, where, cumulativeGasUsed, own);
  });
  const header = headerFields(height, hash, parentHash, cumulativeGasUsed);
  const texts = transactions.map((transaction, index) => transactionText(transaction, { ...place, hash: hashes[index]!, index }, dice));
  return {
    hash,
    block: Buffer.from(`{${header},"transactions":[${texts.join(",")}]}`),
    shortBlock: Buffer.from(`{${header},"transactions":${JSON.stringify(hashes)}}`),
    receipts: Buffer.from(`[${receipts.join(",")}]`),
    traces: Buffer.from(`[${transactions.map((transaction, index) => traceText(transaction, hashes[index]!)).join(",")}]`),
    logs,
  };
}

function headerFields(height: number, hash: string, parentHash: string, gasUsed: number): string {
  const zero = `0x${"00".repeat(32)}`;
  const header = {
    number: quantity(height),
    hash: `0x${hash}`,
    parentHash: `0x${parentHash}`,
    sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
    logsBloom: BLOOM,
    transactionsRoot: zero,
    stateRoot: zero,
    receiptsRoot: zero,
    miner: `0x${"00".repeat(20)}`,
    difficulty: "0x0",
    totalDifficulty: "0x0",
    extraData: "0x",
    size: "0x8000",
    gasLimit: quantity(300_000_000),
    gasUsed: quantity(gasUsed),
    timestamp: quantity(GENESIS_TIME + height * 2),
    mixHash: zero,
    nonce: "0x0000000000000000",
    baseFeePerGas: quantity(GAS_PRICE - 1n),
    uncles: [],
  };
  return JSON.stringify(header).slice(1, -1);
}

interface LogPlace {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly transactionHash: string;
  readonly transactionIndex: string;
}

function logText({ address, topics, data }: MadeLog, place: LogPlace, logs: LogText[]): string {
  const named = topics.map((topic) => `0x${topic}`);
  const text = JSON.stringify({
    address: `0x${address}`,
    topics: named,
    data: `0x${data}`,
    ...place,
    logIndex: quantity(logs.length),
    removed: false,
  });
  logs.push({ address: `0x${address}`, topic: named[0]!, text });
  return text;
}

function receiptText(made: MadeTransaction, place: LogPlace, cumulativeGasUsed: number, logs: readonly string[]): string {
  const fields = {
    ...place,
    from: `0x${made.from}`,
    to: made.to === undefined ? null : `0x${made.to}`,
    contractAddress: made.created === undefined ? null : `0x${made.created}`,
    cumulativeGasUsed: quantity(cumulativeGasUsed),
    effectiveGasPrice: quantity(GAS_PRICE),
    gasUsed: quantity(made.gasUsed),
    logsBloom: BLOOM,
    status: made.isSuccess ? "0x1" : "0x0",
    type: "0x2",
  };
  return `${JSON.stringify(fields).slice(0, -1)},"logs":[${logs.join(",")}]}`;
}

interface TransactionPlace {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly hash: string;
  readonly index: number;
}

function transactionText(made: MadeTransaction, { blockHash, blockNumber, hash, index }: TransactionPlace, dice: Dice): string {
  return JSON.stringify({
    blockHash,
    blockNumber,
    from: `0x${made.from}`,
    gas: quantity(made.gasUsed * 2),
    gasPrice: quantity(GAS_PRICE),
    maxFeePerGas: quantity(GAS_PRICE * 2n),
    maxPriorityFeePerGas: "0x1",
    hash,
    input: `0x${made.input}`,
    nonce: quantity(made.nonce),
    to: made.to === undefined ? null : `0x${made.to}`,
    transactionIndex: quantity(index),
    value: quantity(made.value),
    type: "0x2",
    accessList: [],
    chainId: quantity(CHAIN_ID),
    v: "0x1",
    yParity: "0x1",
    r: `0x1${dice.hex(32).slice(1)}`,
    s: `0x1${dice.hex(32).slice(1)}`,
  });
}

export const CHAIN_ID = 43_999;

function traceText(made: MadeTransaction, txHash: string): string {
  const isCreation = made.to === undefined;
  const call: MadeCall = {
    type: isCreation ? "CREATE" : "CALL",
    from: made.from,
    to: (made.to ?? made.created)!,
    value: made.value,
    input: made.input,
    calls: made.calls,
    ...(isCreation && { output: made.input.slice(0, made.input.length / 4) }),
  };
  return JSON.stringify({ txHash, result: { ...frame(call, made.gasUsed), ...(!made.isSuccess && { error: "execution reverted" }) } });
}

function frame({ type, from, to, value, input, output, calls }: MadeCall, gasUsed: number): object {
  return {
    from: `0x${from}`,
    gas: quantity(gasUsed * 2),
    gasUsed: quantity(gasUsed),
    to: `0x${to}`,
    input: `0x${input ?? ""}`,
    ...(output !== undefined && { output: `0x${output}` }),
    ...(calls !== undefined && calls.length > 0 && { calls: calls.map((call) => frame(call, Math.floor(gasUsed / 8))) }),
    ...(type !== "STATICCALL" && { value: quantity(value ?? 0n) }),
    type,
  };
}
