/** Signed EVM transactions as a block's body lists them. In network form, a typed one is its type byte followed by a list. */
import { encodeRlpList, encodeRlpString, type RlpItem, rlpItems } from "./rlp.ts";

/** first byte of an empty RLP list */
const SHORTEST_LIST = 0xc0;

export function readTransactionList(list: RlpItem): Buffer[] {
  return rlpItems(list).map(({ kind, encoding, payload }) => (kind === "list" ? encoding : payload));
}

/** @param transactions in network form */
export function encodeTransactionList(transactions: readonly Uint8Array[]): Buffer {
  // a legacy transaction is itself an RLP list
  return encodeRlpList(transactions.map((tx) => (tx[0]! >= SHORTEST_LIST ? tx : encodeRlpString(tx))));
}
