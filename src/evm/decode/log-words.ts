/** Words of a log, strictly: what is no address or has surplus bytes is no transfer. */
import { keccak256 } from "../../primitives/hash.ts";
import type { Address, Hash } from "../block.ts";

const WORD_BYTES = 32;
/** an address lies in the last 20 bytes of a word, behind zeroes */
const ADDRESS_PADDING = "00".repeat(12);

export const ZERO_ADDRESS: Address = "00".repeat(20);

/** First topic of an event's logs. @param signature `Transfer(address,address,uint256)` */
export function eventTopic(signature: string): Hash {
  return keccak256(Buffer.from(signature)).toString("hex");
}

/** undefined if the bytes in front of the address are not zero. @param word 64 digits */
export function addressOfWord(word: Hash): Address | undefined {
  return word.startsWith(ADDRESS_PADDING) ? word.slice(ADDRESS_PADDING.length) : undefined;
}

export function numberOfWord(word: Hash): bigint {
  return BigInt(`0x${word}`);
}

/** Data as words of 64 digits; undefined unless there are exactly so many. */
export function words(data: Uint8Array, count: number): Hash[] | undefined {
  return data.length === count * WORD_BYTES ? allWords(data) : undefined;
}

/** undefined if the last one is not whole */
export function allWords(data: Uint8Array): Hash[] | undefined {
  if (data.length % WORD_BYTES !== 0) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const found: Hash[] = [];
  for (let at = 0; at < bytes.length; at += WORD_BYTES) found.push(bytes.toString("hex", at, at + WORD_BYTES));
  return found;
}
