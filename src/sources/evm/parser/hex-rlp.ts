/** RLP in digits of hex, which the members of a node's answers have already: no buffer for each of them. */

import { keccak256Hex } from "../../../base/bytes/hash.ts";
import { encodeRlpInteger } from "../../../base/codec/rlp.ts";

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Encodes a string, or a hash. @param digits two for each byte */
export function rlpString(digits: string): string {
  return digits.length === 2 && digits < "80" ? digits : withLength(0x80, digits);
}

/** @param items encoded items */
export function rlpList(items: readonly string[]): string {
  return withLength(0xc0, items.join(""));
}

function withLength(base: number, payload: string): string {
  const length = payload.length / 2;
  if (length < 56) return BYTES[base + length]! + payload;
  const digits = evenDigits(length.toString(16));
  return BYTES[base + 55 + digits.length / 2]! + digits + payload;
}

/** Pads to whole bytes. */
export function evenDigits(digits: string): string {
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

const EMPTY_NODE = rlpString("");
const NIBBLES = 16;
/** Shorter nodes are embedded in their parent. */
const HASH_DIGITS = 64;

interface Entry {
  /** nibbles of its key */
  readonly path: string;
  readonly value: string;
}

/** The same for all lists: as many as the longest list so far has items. */
const PATHS: string[] = [];

/**
 * The root of the trie over a list, such as `transactionsRoot` (Ethereum's yellow paper, appendix D). All in digits of hex. A key is the RLP
 * of the index, so no key is a prefix of another and branches have no value.
 */
export function orderedRoot(values: readonly string[]): string {
  for (let index = PATHS.length; index < values.length; index++) PATHS.push(encodeRlpInteger(BigInt(index)).toString("hex"));
  return hashOf(
    nodeOf(
      values.map((value, index) => ({ path: PATHS[index]!, value })),
      0,
    ),
  );
}

/** RLP of the node with these entries, whose paths are equal up to `depth`. */
function nodeOf(entries: readonly Entry[], depth: number): string {
  const [first] = entries;
  if (first === undefined) return EMPTY_NODE;
  if (entries.length === 1) return rlpList([compactPath(first.path.slice(depth), 2), rlpString(first.value)]);
  let shared = depth;
  while (entries.every(({ path }) => path[shared] === first.path[shared])) shared++;
  if (shared > depth) return rlpList([compactPath(first.path.slice(depth, shared), 0), reference(nodeOf(entries, shared))]);
  const children = Array.from({ length: NIBBLES }, (): Entry[] => []);
  for (const entry of entries) children[Number.parseInt(entry.path[depth]!, NIBBLES)]!.push(entry);
  return rlpList([...children.map((below) => reference(nodeOf(below, depth + 1))), EMPTY_NODE]);
}

function reference(node: string): string {
  return node.length < HASH_DIGITS ? node : rlpString(hashOf(node));
}

/** @param flag 2 for a leaf, 0 for an extension */
function compactPath(nibbles: string, flag: 0 | 2): string {
  return rlpString(nibbles.length % 2 === 1 ? `${flag + 1}${nibbles}` : `${flag}0${nibbles}`);
}

function hashOf(digits: string): string {
  return keccak256Hex(Buffer.from(digits, "hex"));
}
