/** Parses a transaction and its receipt, and checks them against each other and against their block. */

import { AnswerError, AnswerObject } from "./answer-object.ts";
import type { EvmLog, EvmTransaction, Hash } from "./block.ts";
import { addressOfCreation } from "./creation-address.ts";

const MAX_TOPICS = 4;

/** EIP-2718 allows types up to 0x7f; some chains have their own above that. A column holds one byte. */
const MAX_TYPE = 0xff;
/** what nodes return instead of an address if the transaction creates a contract */
const NOBODY: ReadonlySet<unknown> = new Set(["", "0x", "0x0"]);

export type TransactionWithoutFrames = Omit<EvmTransaction, "frames">;

/** Parses the transactions of one block in their order. */
export class TransactionParser {
  readonly #block: Hash;
  #lastLog = -1;
  #isFirstLog = true;
  /** of the transaction, if its node counts the logs of each from 0 */
  #firstLog = 0;

  constructor(block: Hash) {
    this.#block = block;
  }

  parse(transaction: AnswerObject, receipt: AnswerObject, index: number): TransactionWithoutFrames {
    const hash = transaction.hash("hash");
    this.#mustBelong(transaction, index);
    this.#mustBelong(receipt, index);
    if (!receipt.isHash("transactionHash", hash)) throw receipt.wrong("transactionHash", `0x${hash}, the transaction of that place`);
    const from = transaction.address("from");
    const to = NOBODY.has(transaction.raw("to")) ? undefined : transaction.optionalAddress("to");
    // deposits of rollups have no nonce of their own
    const nonce = transaction.optionalUint64("nonce") ?? receipt.optionalUint64("depositNonce") ?? 0n;
    this.#isFirstLog = true;
    const gasPrice = receipt.optionalQuantity("effectiveGasPrice") ?? transaction.optionalQuantity("gasPrice") ?? 0n;
    return {
      hash,
      index,
      type: transaction.has("type") ? transaction.number("type", MAX_TYPE) : 0,
      from,
      to,
      created: to === undefined ? (receipt.optionalAddress("contractAddress") ?? addressOfCreation(from, nonce)) : undefined,
      nonce,
      value: transaction.optionalQuantity("value") ?? 0n,
      input: transaction.bytes(transaction.has("input") ? "input" : "data"),
      gasLimit: transaction.uint64("gas"),
      gasUsed: receipt.uint64("gasUsed"),
      gasPrice,
      maxFeePerGas: transaction.optionalQuantity("maxFeePerGas"),
      maxPriorityFeePerGas: transaction.optionalQuantity("maxPriorityFeePerGas"),
      isSuccess: isSuccess(receipt),
      logs: receipt.list("logs").map((log, i) => this.#log(new AnswerObject(log, `${receipt.where}.logs[${i}]`))),
    };
  }

  #mustBelong(part: AnswerObject, index: number): void {
    if (!part.isHash("blockHash", this.#block)) throw part.wrong("blockHash", `0x${this.#block}, the block that was asked for`);
    if (part.number("transactionIndex") !== index) throw part.wrong("transactionIndex", `${index}, its place in the block`);
  }

  #log(log: AnswerObject): EvmLog {
    const given = log.number("logIndex");
    if (this.#isFirstLog) this.#firstLog = given === 0 ? this.#lastLog + 1 : 0;
    this.#isFirstLog = false;
    const index = this.#firstLog + given;
    if (index <= this.#lastLog) throw log.wrong("logIndex", `above ${this.#lastLog}, the log before it`);
    this.#lastLog = index;
    if (log.has("blockHash") && !log.isHash("blockHash", this.#block))
      throw log.wrong("blockHash", `0x${this.#block}, the block that was asked for`);
    const topics = log.list("topics");
    if (topics.length > MAX_TOPICS) throw log.wrong("topics", `at most ${MAX_TOPICS}`);
    return {
      address: log.address("address"),
      topics: topics.map((topic, i) => topicOf(topic, log, i)),
      data: log.has("data") ? log.bytes("data") : NO_DATA,
      index,
    };
  }
}

const NO_DATA = new Uint8Array();
const TOPIC = /^0x[0-9a-f]{64}$/i;

function topicOf(topic: unknown, log: AnswerObject, index: number): Hash {
  if (typeof topic !== "string" || !TOPIC.test(topic))
    throw new AnswerError(`${log.where}.topics[${index}] is not 0x and 64 digits of hex`);
  return topic.slice(2).toLowerCase();
}

/** Before Byzantium, receipts had a state root instead of a status. Such a transaction counts as successful. */
function isSuccess(receipt: AnswerObject): boolean {
  if (!receipt.has("status") && receipt.has("root")) return true;
  const status = receipt.quantity("status");
  if (status > 1n) throw receipt.wrong("status", "0x0 or 0x1");
  return status === 1n;
}
