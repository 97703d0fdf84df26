/**
 * Holds a node's answers about a block against the block's hash. The hash is that of the header, and the header commits to the transactions
 * and, where blocks are executed before they are accepted, to the receipts. The rest is held against these. Pure.
 */

import { smaller } from "../../../base/bytes/amount.ts";
import { keccak256, keccak256Hex } from "../../../base/bytes/hash.ts";
import { AnswerError, AnswerObject, listAnswer } from "./answer-object.ts";
import type { BlockAnswers } from "./block-parser.ts";
import { addressOfCreation } from "./creation-address.ts";
import { orderedRoot, rlpList, rlpString } from "./hex-rlp.ts";
import { C_CHAIN_FIELDS, ETHEREUM_FIELDS, encodeHeaderFields, isKnownType, signedTransactionDigits } from "./rlp-forms.ts";

/** as a hash of nothing: the header is from before it had one */
const NO_HASH = "0".repeat(64);
const TOPIC_TEXT = 66;
const BLOOM_BYTES = 256;
const BLOOM_HASHES = 3;

/** members of answers about blocks that belong to no header */
const BESIDE_HEADER: ReadonlySet<string> = new Set([
  ...["hash", "transactions", "uncles", "size", "totalDifficulty", "withdrawals", "version", "blockExtraData"],
  ...[...C_CHAIN_FIELDS, ...ETHEREUM_FIELDS].map(({ name }) => name),
]);

/** Nothing proves a block: its header is of a kind that is not known here, or the node alters it. */
export class UnprovenError extends AnswerError {
  /** whether it has members that this version does not know: those of a later upgrade, perhaps */
  readonly isNewKind: boolean;

  constructor(block: AnswerObject) {
    super(`block ${block.uint64("number")}: its hash 0x${block.hash("hash")} is not that of the header that its members make`);
    this.isNewKind = block.names.some((name) => !BESIDE_HEADER.has(name));
  }
}

/** Returns whether the block is proven. Throws an UnprovenError if it is not, but must be. @throws AnswerError as `proveBlock` does */
export function requireProof(answers: Pick<BlockAnswers, "block" | "receipts">, isRequired: boolean): boolean {
  const isProven = proveBlock(answers);
  if (!isProven && isRequired) throw new UnprovenError(new AnswerObject(answers.block, "block"));
  return isProven;
}

/**
 * Whether the header is one of those that this version knows, and everything else is what it commits to. False: the hash is not that of a
 * header that is known here, so nothing is proven. Throws an AnswerError that names the member that contradicts the header.
 */
export function proveBlock({ block: answer, receipts }: Pick<BlockAnswers, "block" | "receipts">): boolean {
  const unnamed = new AnswerObject(answer, "block");
  const block = new AnswerObject(answer, `block ${unnamed.uint64("number")}`);
  const fields = [C_CHAIN_FIELDS, ETHEREUM_FIELDS].find((each) => keccak256Hex(encodeHeaderFields(block, each)) === block.hash("hash"));
  if (fields === undefined) return false;
  if (fields === C_CHAIN_FIELDS) proveExtraData(block);
  const transactions = block.list("transactions").map((each, i) => new AnswerObject(each, `${block.where}: transactions[${i}]`));
  const isKnown = transactions.every(isKnownType);
  if (isKnown) proveTransactions(block, transactions);
  const given = listAnswer(receipts, `${block.where}: receipts`);
  // some nodes return receipts of what is no transaction of the block
  if (given.length !== transactions.length) return true;
  const own = given.map((each, i) => new AnswerObject(each, `${block.where}: receipts[${i}]`));
  proveReceipts(block, transactions, own, isKnown);
  return true;
}

function proveExtraData(block: AnswerObject): void {
  if (!block.has("extDataHash") || !block.has("blockExtraData") || block.hash("extDataHash") === NO_HASH) return;
  const hash = keccak256Hex(block.bytesOf(rlpString(block.digits("blockExtraData"))));
  if (hash !== block.hash("extDataHash")) throw block.wrong("blockExtraData", "the bytes of which extDataHash is the hash");
}

function proveTransactions(block: AnswerObject, transactions: readonly AnswerObject[]): void {
  const encoded = transactions.map((transaction) => {
    const digits = signedTransactionDigits(transaction);
    // a development node hashes what nobody signed with its sender
    const isSigned = transaction.shortestDigits("r") !== "";
    if (isSigned && keccak256Hex(transaction.bytesOf(digits)) !== transaction.hash("hash"))
      throw transaction.wrong("hash", "that of the transaction's other members");
    return digits;
  });
  if (orderedRoot(encoded) !== block.hash("transactionsRoot"))
    throw block.wrong("transactions", `those of its transactionsRoot, 0x${block.hash("transactionsRoot")}`);
}

function proveReceipts(
  block: AnswerObject,
  transactions: readonly AnswerObject[],
  receipts: readonly AnswerObject[],
  isKnown: boolean,
): void {
  const baseFee = block.optionalQuantity("baseFeePerGas");
  // since Helicon headers of the C-chain have the receipts of earlier blocks, and a bound of the base fee
  const isOwn = !block.has("settledHeight");
  let gas = 0n;
  let logs = 0;
  for (const [i, receipt] of receipts.entries()) {
    gas += receipt.uint64("gasUsed");
    if (receipt.has("cumulativeGasUsed") && receipt.uint64("cumulativeGasUsed") !== gas)
      throw receipt.wrong("cumulativeGasUsed", `${gas}, the sum of gasUsed`);
    logs = proveLogIndexes(receipt, logs);
    proveType(transactions[i]!, receipt);
    if (isKnown) proveParties(transactions[i]!, receipt);
    if (isKnown && isOwn) provePrice(transactions[i]!, receipt, baseFee);
  }
  if (!isOwn || !isKnown) return;
  if (block.uint64("gasUsed") !== gas) throw block.wrong("gasUsed", `${gas}, as its receipts say`);
  if (orderedRoot(receipts.map(receiptDigits)) !== block.hash("receiptsRoot"))
    throw new AnswerError(`${block.where}: its receipts are not those of its receiptsRoot, 0x${block.hash("receiptsRoot")}`);
}

/**
 * The parser counts the logs of a block, too, if the node counts those of each transaction from 0.
 * @returns number of logs of the block so far
 */
function proveLogIndexes(receipt: AnswerObject, before: number): number {
  const logs = logsOf(receipt);
  const first = logs[0]?.number("logIndex") === 0 ? 0 : before;
  for (const [i, log] of logs.entries())
    if (log.number("logIndex") !== first + i) throw log.wrong("logIndex", `${first + i}: the logs of a block are counted without a gap`);
  return before + logs.length;
}

/** A type that is not known here would prove nothing. */
function proveType(transaction: AnswerObject, receipt: AnswerObject): void {
  if (transaction.raw("type") === receipt.raw("type")) return;
  const [type, own] = [transaction, receipt].map((each) => (each.has("type") ? each.quantity("type") : undefined));
  if (own !== undefined && own !== (type ?? 0n)) throw receipt.wrong("type", `0x${(type ?? 0n).toString(16)}, as in the transaction`);
}

/** Who sent and received it, and which contract it made. */
function proveParties(transaction: AnswerObject, receipt: AnswerObject): void {
  // nearly always both have the same text
  const isSame = (name: string) => !receipt.has(name) || receipt.raw(name) === transaction.raw(name);
  if (!isSame("from") && receipt.address("from") !== transaction.address("from"))
    throw receipt.wrong("from", `0x${transaction.address("from")}, as in the transaction`);
  if (!isSame("to") && receipt.optionalAddress("to") !== transaction.optionalAddress("to"))
    throw receipt.wrong("to", "that of the transaction");
  const isCreation = transaction.optionalAddress("to") === undefined;
  const created = isCreation ? addressOfCreation(transaction.address("from"), transaction.uint64("nonce")) : undefined;
  if (receipt.has("contractAddress") && receipt.address("contractAddress") !== created)
    throw receipt.wrong("contractAddress", created === undefined ? "null" : `0x${created}, which follows from sender and nonce`);
}

function provePrice(transaction: AnswerObject, receipt: AnswerObject, baseFee: bigint | undefined): void {
  if (!receipt.has("effectiveGasPrice") || baseFee === undefined) return;
  const price = effectiveGasPrice(transaction, baseFee);
  if (receipt.quantity("effectiveGasPrice") !== price)
    throw receipt.wrong("effectiveGasPrice", `${price}, which follows from the base fee`);
}

/** The price of its gas, in wei. @param baseFee of its block */
export function effectiveGasPrice(transaction: AnswerObject, baseFee: bigint): bigint {
  if (!transaction.has("maxFeePerGas") || !transaction.has("maxPriorityFeePerGas")) return transaction.quantity("gasPrice");
  return smaller(transaction.quantity("maxFeePerGas"), baseFee + transaction.quantity("maxPriorityFeePerGas"));
}

/** In digits of hex, as the receipts' root has it. Before Byzantium it has a state root in place of the status. */
export function receiptDigits(receipt: AnswerObject): string {
  const type = receipt.has("type") ? receipt.number("type") : 0;
  const logs = logsOf(receipt);
  const list = rlpList([
    rlpString(receipt.has("status") ? receipt.shortestDigits("status") : receipt.digits("root")),
    rlpString(receipt.shortestDigits("cumulativeGasUsed")),
    rlpString(receipt.has("logsBloom") ? receipt.digits("logsBloom") : bloomOf(logs).toString("hex")),
    rlpList(logs.map(encodeLog)),
  ]);
  return type === 0 ? list : `0${type}${list}`;
}

function logsOf(receipt: AnswerObject): AnswerObject[] {
  return receipt.list("logs").map((log, i) => new AnswerObject(log, `${receipt.where}.logs[${i}]`));
}

function encodeLog(log: AnswerObject): string {
  return rlpList([
    rlpString(log.address("address")),
    rlpList(topicsOf(log).map(rlpString)),
    rlpString(log.has("data") ? log.digits("data") : ""),
  ]);
}

function topicsOf(log: AnswerObject): string[] {
  return log.list("topics").map((topic, i) => {
    if (typeof topic !== "string" || topic.length !== TOPIC_TEXT)
      throw log.wrong("topics", `texts of 0x and 64 digits of hex, also its [${i}]`);
    return topic.slice(2);
  });
}

/** For a receipt that comes without it (Ethereum's yellow paper, 4.3.1). */
function bloomOf(logs: readonly AnswerObject[]): Buffer {
  const bloom = Buffer.alloc(BLOOM_BYTES);
  for (const log of logs) {
    for (const item of [log.address("address"), ...topicsOf(log)]) {
      const hash = keccak256(Buffer.from(item, "hex"));
      for (let i = 0; i < BLOOM_HASHES; i++) {
        const bit = hash.readUInt16BE(2 * i) & (8 * BLOOM_BYTES - 1);
        bloom[BLOOM_BYTES - 1 - (bit >> 3)]! |= 1 << (bit & 7);
      }
    }
  }
  return bloom;
}
