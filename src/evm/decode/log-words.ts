/** Reads the words of a log strictly: a word that is not an address, or has surplus bytes, is not part of a transfer. */
import { keccak256 } from "../../base/bytes/hash.ts";
import type { Address, Hash } from "../../sources/evm/parser/block.ts";

const WORD_BYTES = 32;
/** an address is the last 20 bytes of a word, after zeros */
const ADDRESS_PADDING = "00".repeat(12);

export const ZERO_ADDRESS: Address = "00".repeat(20);

/** Returns the first topic of an event's logs. @param signature `Transfer(address,address,uint256)` */
export function eventTopic(signature: string): Hash {
  return keccak256(Buffer.from(signature)).toString("hex");
}

/** undefined if the bytes before the address are not zero. @param word 64 digits */
export function addressOfWord(word: Hash): Address | undefined {
  return word.startsWith(ADDRESS_PADDING) ? word.slice(ADDRESS_PADDING.length) : undefined;
}

export function numberOfWord(word: Hash): bigint {
  return BigInt(`0x${word}`);
}

/** Splits data into words of 64 digits; undefined unless there are exactly `count`. */
export function words(data: Uint8Array, count: number): Hash[] | undefined {
  return data.length === count * WORD_BYTES ? allWords(data) : undefined;
}

/** undefined if the last word is not complete */
export function allWords(data: Uint8Array): Hash[] | undefined {
  if (data.length % WORD_BYTES !== 0) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const found: Hash[] = [];
  for (let at = 0; at < bytes.length; at += WORD_BYTES) found.push(bytes.toString("hex", at, at + WORD_BYTES));
  return found;
}
