/** Reads large answers about a block, and keeps only the members that the parser reads. */
import { type AnswerReader, SKIPPED, WHOLE } from "../../../base/json/json-events.ts";
import { JsonValue } from "../../../base/json/json-value.ts";

const MIB = 2 ** 20;
const BLOCK_BYTES = 128 * MIB;

const UNUSED = new Set(["withdrawals", "uncles", "blockNumber", "blockTimestamp", "removed"]);

/** for `eth_getBlockByNumber`, `eth_getBlockReceipts`, `eth_getTransactionReceipt` */
export function blockPartReader(): AnswerReader {
  return new JsonValue((name) => (UNUSED.has(name) ? SKIPPED : WHOLE), BLOCK_BYTES);
}
