/** The root hash of Ethereum's Merkle Patricia trie whose keys are hashes, as for accounts and storage. */

import { keccak256 } from "../../base/bytes/hash.ts";
import { encodeRlpList, encodeRlpString } from "../../base/codec/rlp.ts";

export interface TrieEntry {
  /** 32 bytes in hex; must be unique */
  readonly key: string;
  readonly value: Uint8Array;
}

const DIGITS = [..."0123456789abcdef"];
const HASH_BYTES = 32;
const NOTHING = encodeRlpString(new Uint8Array());

export const EMPTY_TRIE_ROOT = keccak256(NOTHING);

/** Yields in between, for callers that share a thread. */
export function* trieRoot(entries: readonly TrieEntry[]): Generator<undefined, Buffer> {
  return keccak256(yield* encodeNode(entries, 0));
}

/** @param depth number of leading digits that all keys share, above this node */
function* encodeNode(entries: readonly TrieEntry[], depth: number): Generator<undefined, Buffer> {
  const [first] = entries;
  if (first === undefined) return NOTHING;
  if (entries.length === 1) return encodeRlpList([encodePath(first.key.slice(depth), "leaf"), encodeRlpString(first.value)]);
  const end = sharedDigits(entries, depth);
  if (end > depth) return encodeRlpList([encodePath(first.key.slice(depth, end), "extension"), reference(yield* encodeNode(entries, end))]);
  yield;
  const children: Buffer[] = [];
  for (const digit of DIGITS) {
    const below = entries.filter(({ key }) => key[depth] === digit);
    children.push(reference(yield* encodeNode(below, depth + 1)));
  }
  return encodeRlpList([...children, NOTHING]);
}

function sharedDigits([first, ...others]: readonly TrieEntry[], depth: number): number {
  let end = depth;
  while (others.every(({ key }) => key[end] === first!.key[end])) end++;
  return end;
}

/** The first digit encodes the kind of node, and whether the number of digits is odd. */
function encodePath(digits: string, kind: "leaf" | "extension"): Buffer {
  const isOdd = digits.length % 2 === 1;
  const flag = (kind === "leaf" ? 2 : 0) + Number(isOdd);
  return encodeRlpString(Buffer.from(`${flag}${isOdd ? "" : "0"}${digits}`, "hex"));
}

/** A short node is embedded in its parent. */
function reference(node: Buffer): Buffer {
  return node.length < HASH_BYTES ? node : encodeRlpString(keccak256(node));
}
