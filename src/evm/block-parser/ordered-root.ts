/** The root of the trie over a list, such as `transactionsRoot` (Ethereum's yellow paper, appendix D). */
import { encodeRlpInteger, encodeRlpList, encodeRlpString } from "../../primitives/codec/rlp.ts";
import { keccak256 } from "../../primitives/hash.ts";

const EMPTY_NODE = encodeRlpString(new Uint8Array());
const NIBBLES = 16;
/** Shorter nodes are embedded in their parent. */
const HASH_BYTES = 32;

interface Entry {
  /** nibbles of its key */
  readonly path: readonly number[];
  readonly value: Uint8Array;
}

/** Returns hex. A key is the RLP of the index, so no key is a prefix of another and branches have no value. */
export function orderedRoot(values: readonly Uint8Array[]): string {
  const entries = values.map((value, index) => ({ path: nibblesOf(encodeRlpInteger(BigInt(index))), value }));
  return keccak256(nodeOf(entries, 0)).toString("hex");
}

/** RLP of the node with these entries, whose paths are equal up to `depth`. */
function nodeOf(entries: readonly Entry[], depth: number): Buffer {
  const [first, ...others] = entries;
  if (first === undefined) return EMPTY_NODE;
  if (others.length === 0) return encodeRlpList([compactPath(first.path.slice(depth), 2), encodeRlpString(first.value)]);
  let shared = depth;
  while (others.every(({ path }) => path[shared] === first.path[shared])) shared++;
  if (shared > depth) return encodeRlpList([compactPath(first.path.slice(depth, shared), 0), reference(nodeOf(entries, shared))]);
  const children = Array.from({ length: NIBBLES }, (_, nibble) => entries.filter(({ path }) => path[depth] === nibble));
  return encodeRlpList([...children.map((below) => reference(nodeOf(below, depth + 1))), EMPTY_NODE]);
}

function reference(node: Buffer): Buffer {
  return node.length < HASH_BYTES ? node : encodeRlpString(keccak256(node));
}

/** @param flag 2 for a leaf, 0 for an extension */
function compactPath(nibbles: readonly number[], flag: 0 | 2): Buffer {
  const isOdd = nibbles.length % 2 === 1;
  const padded = isOdd ? [flag + 1, ...nibbles] : [flag, 0, ...nibbles];
  return encodeRlpString(Buffer.from(padded.map((nibble) => nibble.toString(NIBBLES)).join(""), "hex"));
}

function nibblesOf(bytes: Buffer): number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 0xf]);
}
