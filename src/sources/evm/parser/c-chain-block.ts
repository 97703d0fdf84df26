/**
 * The trust boundary between a node's C-chain RPC and the chain: converts an answer of `eth_getBlockByNumber` with full transactions to the
 * block's own bytes, or refuses it with the name of the field that contradicts the others. The hash is the header's, and the header commits
 * to the transactions and (since Apricot Phase 1) to the extra data, so only the hash is trusted. Pure.
 */

import { keccak256 } from "../../../base/bytes/hash.ts";
import { EMPTY_ID } from "../../../base/bytes/id.ts";
import { CodecError } from "../../../base/codec/error.ts";
import { encodeRlpList } from "../../../base/codec/rlp.ts";
import { type CChainBlock, encodeCChainBlock, hashExtraData, parseCChainBlock } from "../../../chains/atomic/block.ts";
import { AnswerObject } from "./answer-object.ts";
import { orderedRoot } from "./hex-rlp.ts";
import { C_CHAIN_FIELDS, ETHEREUM_FIELDS, encodeHeaderFields, encodeSignedTransaction, missingField } from "./rlp-forms.ts";

const NO_UNCLES = hashOf(encodeRlpList([]));

/**
 * The block of an answer. In two cases the header does not commit to the extra data: before Apricot Phase 1 (`extraDataHash` is zero), and
 * in a development network (`extraDataHash` is undefined), whose node returns the hash beside the header's fields.
 * @param batchesFrom time from which extra data is a batch: Apricot Phase 5
 * @throws AnswerError
 */
export function cChainBlockOfRpc(answer: unknown, batchesFrom: bigint): CChainBlock {
  const unnamed = new AnswerObject(answer, "block");
  const block = new AnswerObject(answer, `block ${unnamed.uint64("number")}`);
  const header = headerOf(block);
  const transactions = transactionsOf(block);
  const extraData = block.bytes("blockExtraData");
  const parsed = parsedBlock(block, encodeCChainBlock({ header, transactions, extraData }), batchesFrom);
  const committed = parsed.extraDataHash ?? block.hash("extDataHash");
  if (committed !== hashExtraData(extraData) && parsed.extraDataHash !== EMPTY_ID)
    throw block.wrong("blockExtraData", `the bytes of which 0x${committed}, its extDataHash, is the hash`);
  return parsed;
}

/** Returns the header of a C-chain node or of a development network, whichever has the block's hash. */
function headerOf(block: AnswerObject): Buffer {
  const hash = block.hash("hash");
  for (const fields of [C_CHAIN_FIELDS, ETHEREUM_FIELDS]) {
    const header = encodeHeaderFields(block, fields);
    if (hashOf(header) === hash) return header;
  }
  const missing = missingField(block, C_CHAIN_FIELDS);
  if (missing !== undefined) throw block.wrong(missing, "there, since the header has later fields");
  throw block.wrong("hash", `0x${hashOf(encodeHeaderFields(block, C_CHAIN_FIELDS))}, the hash of the header that the other fields make`);
}

function transactionsOf(block: AnswerObject): Buffer[] {
  if (block.list("uncles").length > 0 || block.hash("sha3Uncles") !== NO_UNCLES)
    throw block.wrong("uncles", "empty: the C-chain has no uncles");
  const transactions = block.list("transactions").map((transaction, index) => {
    const shown = new AnswerObject(transaction, `${block.where}: transactions[${index}]`);
    const bytes = encodeSignedTransaction(shown);
    const hash = hashOf(bytes);
    if (shown.hash("hash") !== hash) throw shown.wrong("hash", `0x${hash}, the hash of the transaction that the other fields make`);
    return bytes;
  });
  const root = orderedRoot(transactions.map((bytes) => bytes.toString("hex")));
  if (block.hash("transactionsRoot") !== root)
    throw block.wrong("transactions", `those that transactionsRoot stands for; theirs is 0x${root}`);
  return transactions;
}

function parsedBlock(block: AnswerObject, bytes: Buffer, batchesFrom: bigint): CChainBlock {
  try {
    return parseCChainBlock(bytes, batchesFrom);
  } catch (error) {
    if (error instanceof CodecError)
      throw block.wrong("blockExtraData", `the atomic transactions of a block of that time: ${error.message}`);
    throw error;
  }
}

function hashOf(bytes: Uint8Array): string {
  return keccak256(bytes).toString("hex");
}
