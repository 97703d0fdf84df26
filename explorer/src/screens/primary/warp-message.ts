/** Warp messages in transactions of L1 validators (ACP-77): what an L1's contract told the P-chain. */
import { sha256 } from "@noble/hashes/sha2.js";
import { base58, bech32 } from "@scure/base";

const CHECKSUM_BYTES = 4;
const [ID_BYTES, ADDRESS_BYTES, BLS_KEY_BYTES, BLS_SIGNATURE_BYTES] = [32, 20, 48, 96];

export interface Owner {
  readonly threshold: number;
  /** bytes of 20 */
  readonly addresses: readonly Uint8Array[];
}

export type L1Message =
  | {
      readonly is: "registration";
      readonly subnetId: string;
      readonly nodeId: Uint8Array;
      readonly blsPublicKey: Uint8Array;
      /** Unix seconds until which it can be used */
      readonly expiry: bigint;
      readonly remainingBalanceOwner: Owner;
      readonly disableOwner: Owner;
      readonly weight: bigint;
    }
  | { readonly is: "weight"; readonly validationId: string; readonly nonce: bigint; readonly weight: bigint };

export interface WarpMessage {
  readonly networkId: number;
  /** cb58 of the blockchain that sent it */
  readonly sourceChainId: string;
  /** the contract that sent it */
  readonly sourceAddress: Uint8Array;
  /** number of validators that signed */
  readonly signers: number;
  /** undefined: of a kind that is not known here */
  readonly message: L1Message | undefined;
}

/** Reads a signed message. Returns undefined if the bytes are none. */
export function decodeWarpMessage(bytes: Uint8Array): WarpMessage | undefined {
  try {
    const reader = new Reader(bytes);
    reader.version();
    const networkId = reader.uint32();
    const sourceChainId = cb58(reader.take(ID_BYTES));
    const payload = new Reader(reader.bytes());
    if (reader.uint32() !== BIT_SET_SIGNATURE) return undefined;
    const signers = reader.bytes().reduce((sum, byte) => sum + bitsOf(byte), 0);
    reader.take(BLS_SIGNATURE_BYTES);
    payload.version();
    if (payload.uint32() !== ADDRESSED_CALL) return undefined;
    const sourceAddress = payload.bytes();
    return { networkId, sourceChainId, sourceAddress, signers, message: decodeL1Message(payload.bytes()) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const BIT_SET_SIGNATURE = 0;
const ADDRESSED_CALL = 1;
const REGISTRATION = 1;
const WEIGHT = 3;

function decodeL1Message(bytes: Uint8Array): L1Message | undefined {
  const reader = new Reader(bytes);
  reader.version();
  const type = reader.uint32();
  if (type === REGISTRATION) {
    return {
      is: "registration",
      subnetId: cb58(reader.take(ID_BYTES)),
      nodeId: reader.bytes(),
      blsPublicKey: reader.take(BLS_KEY_BYTES),
      expiry: reader.uint64(),
      remainingBalanceOwner: reader.owner(),
      disableOwner: reader.owner(),
      weight: reader.uint64(),
    };
  }
  if (type !== WEIGHT) return undefined;
  return { is: "weight", validationId: cb58(reader.take(ID_BYTES)), nonce: reader.uint64(), weight: reader.uint64() };
}

function bitsOf(byte: number): number {
  return byte.toString(2).replaceAll("0", "").length;
}

/** Numbers are big-endian. Throws a RangeError at the end of the bytes, as a DataView does. */
class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  version(): void {
    this.take(2);
  }

  uint32(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4);
  }

  uint64(): bigint {
    this.#at += 8;
    return this.#view.getBigUint64(this.#at - 8);
  }

  /** bytes behind their length */
  bytes(): Uint8Array {
    return this.take(this.uint32());
  }

  take(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new RangeError("the bytes end too early");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  owner(): Owner {
    const threshold = this.uint32();
    const count = this.uint32();
    if (count * ADDRESS_BYTES > this.#bytes.length) throw new RangeError("the bytes end too early");
    return { threshold, addresses: Array.from({ length: count }, () => this.take(ADDRESS_BYTES)) };
  }
}

/** Base58 of the bytes and the last four bytes of their SHA-256. */
export function cb58(bytes: Uint8Array): string {
  const text = new Uint8Array(bytes.length + CHECKSUM_BYTES);
  text.set(bytes);
  text.set(sha256(bytes).subarray(-CHECKSUM_BYTES), bytes.length);
  return base58.encode(text);
}

export function nodeId(bytes: Uint8Array): string {
  return `NodeID-${cb58(bytes)}`;
}

/** @param prefix what addresses of the network begin with, such as `avax` */
export function addressText(prefix: string, bytes: Uint8Array): string {
  return bech32.encode(prefix, bech32.toWords(bytes));
}

/** The bytes of an address in cb58, as the node writes owners of L1 validators; undefined if it is none. */
export function addressOfCb58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text).subarray(0, -CHECKSUM_BYTES);
  } catch {
    return undefined;
  }
}

/** Bytes of `0x…`; undefined if it is no hex. */
export function bytesOf(hex: string): Uint8Array | undefined {
  if (!/^(0x)?([0-9a-fA-F]{2})*$/.test(hex)) return undefined;
  const digits = hex.replace(/^0x/, "");
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

export function hexOf(bytes: ArrayLike<number>): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
