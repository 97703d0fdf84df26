/** Items of a contract's ABI, as compilers write them, after they were checked; and the names by which a chain calls them. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

export interface AbiParameter {
  readonly name: string;
  /** canonical: `uint256`, `address[]`, `tuple[2]` … */
  readonly type: string;
  /** of a tuple */
  readonly components?: readonly AbiParameter[];
  /** of an event */
  readonly indexed?: boolean;
}

export interface AbiItem {
  readonly type: "function" | "event" | "error" | "constructor";
  /** empty for the constructor */
  readonly name: string;
  readonly inputs: readonly AbiParameter[];
  /** of a function */
  readonly outputs?: readonly AbiParameter[];
  /** of a function: `pure`, `view`, `nonpayable`, `payable` */
  readonly stateMutability?: string;
  /** of an event without a topic of its own */
  readonly anonymous?: boolean;
}

export type Abi = readonly AbiItem[];

const TUPLE = "tuple";

function typeInSignature({ type, components = [] }: AbiParameter): string {
  return type.startsWith(TUPLE) ? `(${components.map(typeInSignature).join(",")})${type.slice(TUPLE.length)}` : type;
}

/** `transfer(address,uint256)` */
export function signatureOf({ name, inputs }: AbiItem): string {
  return `${name}(${inputs.map(typeInSignature).join(",")})`;
}

/** The Keccak-256 hash of the signature: the first topic of an event. */
export function topicOf(item: AbiItem): string {
  return `0x${hashOf(signatureOf(item))}`;
}

function hashOf(text: string): string {
  return bytesToHex(keccak_256(utf8ToBytes(text)));
}

/** An address in the letters of EIP-55, as the API has them. */
export function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = hashOf(digits);
  return `0x${[...digits].map((digit, i) => (Number.parseInt(hash[i]!, 16) >= 8 ? digit.toUpperCase() : digit)).join("")}`;
}

const SELECTOR_LENGTH = 10;

/** The first four bytes of the hash: what the input of a call, or the data of an error, begins with. */
export function selectorOf(item: AbiItem): string {
  return topicOf(item).slice(0, SELECTOR_LENGTH);
}
