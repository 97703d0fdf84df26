/** Blocks, receipts and traces of the generated chain as the JSON of a node, rendered once. */

import { keccak256 } from "../../src/base/bytes/hash.ts";
import { AnswerObject } from "../../src/sources/evm/parser/answer-object.ts";
import { receiptDigits } from "../../src/sources/evm/parser/block-proof.ts";
import { orderedRoot } from "../../src/sources/evm/parser/hex-rlp.ts";
import { ETHEREUM_FIELDS, encodeHeaderFields, signedTransactionDigits } from "../../src/sources/evm/parser/rlp-forms.ts";
import type { Dice } from "./dice.ts";
import type { MadeCall, MadeTransaction } from "./traffic.ts";

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
  /** without 0x; undefined: that of its header. One that is made up does not prove the block */
  readonly hash: string | undefined;
  readonly parentHash: string;
}

export function blockText({ height, hash: given, parentHash }: BlockPlace, made: readonly MadeTransaction[], dice: Dice): BlockText {
  const transactions = made.map((each) => transactionFields(each, dice));
  const encoded = transactions.map((each) => signedTransactionDigits(answer(each)));
  const hashes = encoded.map((digits) => hashOf(Buffer.from(digits, "hex")));
  const receipts = receiptsOf(made);
  const roots = given === undefined && {
    transactionsRoot: `0x${orderedRoot(encoded)}`,
    receiptsRoot: `0x${orderedRoot(receipts.map((each) => receiptDigits(answer(each))))}`,
  };
  const header = { ...headerFields(height, parentHash, made), ...roots };
  const hash = given === undefined ? hashOf(encodeHeaderFields(answer(header), ETHEREUM_FIELDS)) : `0x${given}`;
  const place = { blockHash: hash, blockNumber: quantity(height) };
  const placeOf = (index: number) => ({ ...place, transactionIndex: quantity(index) });
  const block = { ...header, hash };
  const logs: LogText[] = [];
  const placed = receipts.map((receipt, index) => {
    const where = { ...placeOf(index), transactionHash: hashes[index]! };
    const own = receipt.logs.map((log) => ({ ...log, ...where, removed: false }));
    for (const log of own) logs.push({ address: log.address, topic: log.topics[0]!, text: JSON.stringify(log) });
    return { ...receipt, ...where, logs: own };
  });
  const whole = transactions.map((each, index) => ({ ...each, ...placeOf(index), hash: hashes[index]! }));
  return {
    hash: hash.slice(2),
    block: Buffer.from(JSON.stringify({ ...block, transactions: whole })),
    shortBlock: Buffer.from(JSON.stringify({ ...block, transactions: hashes })),
    receipts: Buffer.from(JSON.stringify(placed)),
    traces: Buffer.from(`[${made.map((each, index) => traceText(each, hashes[index]!)).join(",")}]`),
    logs,
  };
}

function answer(value: object): AnswerObject {
  return new AnswerObject(value, "a generated block");
}

function hashOf(bytes: Buffer): string {
  return `0x${keccak256(bytes).toString("hex")}`;
}

function headerFields(height: number, parentHash: string, made: readonly MadeTransaction[]) {
  const zero = `0x${"00".repeat(32)}`;
  return {
    number: quantity(height),
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
    gasUsed: quantity(made.reduce((sum, { gasUsed }) => sum + gasUsed, 0)),
    timestamp: quantity(GENESIS_TIME + height * 2),
    mixHash: zero,
    nonce: "0x0000000000000000",
    baseFeePerGas: quantity(GAS_PRICE - 1n),
    uncles: [],
  };
}

/** Without their places. */
function receiptsOf(made: readonly MadeTransaction[]) {
  let cumulativeGasUsed = 0;
  let logIndex = 0;
  return made.map(({ from, to, created, gasUsed, isSuccess, logs }) => {
    cumulativeGasUsed += gasUsed;
    return {
      from: `0x${from}`,
      to: to === undefined ? null : `0x${to}`,
      contractAddress: created === undefined ? null : `0x${created}`,
      cumulativeGasUsed: quantity(cumulativeGasUsed),
      effectiveGasPrice: quantity(GAS_PRICE),
      gasUsed: quantity(gasUsed),
      logsBloom: BLOOM,
      status: isSuccess ? "0x1" : "0x0",
      type: "0x2",
      logs: logs.map(({ address, topics, data }) => {
        return { address: `0x${address}`, topics: topics.map((topic) => `0x${topic}`), data: `0x${data}`, logIndex: quantity(logIndex++) };
      }),
    };
  });
}

function transactionFields(made: MadeTransaction, dice: Dice) {
  return {
    from: `0x${made.from}`,
    gas: quantity(made.gasUsed * 2),
    gasPrice: quantity(GAS_PRICE),
    maxFeePerGas: quantity(GAS_PRICE * 2n),
    maxPriorityFeePerGas: "0x1",
    input: `0x${made.input}`,
    nonce: quantity(made.nonce),
    to: made.to === undefined ? null : `0x${made.to}`,
    value: quantity(made.value),
    type: "0x2",
    accessList: [],
    chainId: quantity(CHAIN_ID),
    v: "0x1",
    yParity: "0x1",
    r: `0x1${dice.hex(32).slice(1)}`,
    s: `0x1${dice.hex(32).slice(1)}`,
  };
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
