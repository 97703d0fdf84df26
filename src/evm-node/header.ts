/** The child's blocks as JSON-RPC shows them, and their headers as they are hashed. */
import { encodeRlpInteger, encodeRlpList, encodeRlpString } from "../atomic/rlp.ts";
import { keccak256 } from "../primitives/hash.ts";
import type { Id } from "../primitives/id.ts";
import { EvmDownError } from "./evm-error.ts";

export interface BlockJson {
  readonly hash: string;
  readonly number: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  /** hashes, or objects that have one */
  readonly transactions: readonly (string | { readonly hash: string })[];
  readonly [field: string]: unknown;
}

interface HeaderField {
  readonly name: string;
  readonly isNumber?: boolean;
}

const text = (name: string): HeaderField => ({ name });
const number = (name: string): HeaderField => ({ name, isNumber: true });

/** In the order in which they are hashed; later hardforks append. */
const FIELDS: readonly HeaderField[] = [
  ...["parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom"].map(text),
  ...["difficulty", "number", "gasLimit", "gasUsed", "timestamp"].map(number),
  ...["extraData", "mixHash", "nonce"].map(text),
  number("baseFeePerGas"),
  text("withdrawalsRoot"),
  ...["blobGasUsed", "excessBlobGas"].map(number),
  text("parentBeaconBlockRoot"),
];

/** @throws EvmDownError if the header is not what the block's hash was made of */
export function encodeHeader(block: BlockJson): Buffer {
  const fields: Buffer[] = [];
  for (const { name, isNumber } of FIELDS) {
    const value = block[name];
    if (typeof value !== "string") break;
    fields.push(isNumber ? encodeRlpInteger(BigInt(value)) : encodeRlpString(fromHex(value)));
  }
  const header = encodeRlpList(fields);
  const hash = keccak256(header).toString("hex");
  if (hash === idOf(block.hash)) return header;
  throw new EvmDownError(`the C-chain's EVM made a block ${block.hash} whose header hashes to 0x${hash}; use anvil 1.7.1`);
}

/** Without `0x`. */
export function idOf(hash: string): Id {
  return hash.slice(2);
}

export function fromHex(hex: string): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

export function toHex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
