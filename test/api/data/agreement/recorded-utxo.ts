/** Decodes UTXOs and outputs from the node's answers, without the code under test. */
import { createHash } from "node:crypto";

export interface RecordedOutput {
  /** hex: asset and output */
  readonly hex: string;
  /** hex */
  readonly assetId: string;
  readonly kind: "transfer" | "mint" | "nft transfer" | "nft mint" | "property mint" | "property owned";
  /** 0 of what has none */
  readonly amount: bigint;
  readonly locktime: bigint;
  /** 0: none */
  readonly stakeableLocktime: bigint;
  readonly threshold: number;
  /** hex */
  readonly addresses: readonly string[];
}

export interface RecordedUtxo extends RecordedOutput {
  /** `0x…` with codec version and checksum */
  readonly text: string;
  /** hex */
  readonly txId: string;
  readonly outputIndex: number;
  /** hex */
  readonly utxoId: string;
}

const VERSION_BYTES = 2;
const ID_BYTES = 32;
const CHECKSUM_BYTES = 4;

/** @param encoding of the answer: `hex` and `hexc` end with a checksum, `hexnc` does not */
function unwrap(text: string, encoding: string): Buffer {
  const bytes = Buffer.from(text.slice(2), "hex");
  return encoding === "hexnc" ? bytes : bytes.subarray(0, -CHECKSUM_BYTES);
}

export function readUtxo(text: string, encoding = "hex"): RecordedUtxo {
  const bytes = unwrap(text, encoding);
  const txId = bytes.subarray(VERSION_BYTES, VERSION_BYTES + ID_BYTES);
  const outputIndex = bytes.readUInt32BE(VERSION_BYTES + ID_BYTES);
  const place = Buffer.alloc(8);
  place.writeBigUInt64BE(BigInt(outputIndex));
  return {
    text: `0x${bytes.toString("hex")}${sha256(bytes).toString("hex", ID_BYTES - CHECKSUM_BYTES)}`,
    txId: txId.toString("hex"),
    outputIndex,
    utxoId: sha256(place, txId).toString("hex"),
    ...readAssetOutput(bytes.subarray(VERSION_BYTES + ID_BYTES + 4)),
  };
}

function sha256(...parts: Uint8Array[]): Buffer {
  return parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
}

/** An output without its place, as `getStake` gives them. */
export function readOutput(text: string, encoding = "hex"): RecordedOutput {
  return readAssetOutput(unwrap(text, encoding).subarray(VERSION_BYTES));
}

function readAssetOutput(bytes: Buffer): RecordedOutput {
  return { hex: bytes.toString("hex"), assetId: bytes.toString("hex", 0, ID_BYTES), ...readBody(bytes.subarray(ID_BYTES)) };
}

const NO_STAKEABLE_LOCK = { stakeableLocktime: 0n };

/** Type IDs: chain-formats 6.1 (P), chain-formats 5.1 (X). */
function readBody(bytes: Buffer): Omit<RecordedOutput, "assetId" | "hex"> {
  const typeId = bytes.readUInt32BE(0);
  const body = bytes.subarray(4);
  switch (typeId) {
    case 6:
      return { kind: "mint", amount: 0n, ...NO_STAKEABLE_LOCK, ...readOwners(body) };
    case 7:
      return { kind: "transfer", amount: body.readBigUInt64BE(0), ...NO_STAKEABLE_LOCK, ...readOwners(body.subarray(8)) };
    case 10:
      return { kind: "nft mint", amount: 0n, ...NO_STAKEABLE_LOCK, ...readOwners(body.subarray(4)) };
    case 11:
      return { kind: "nft transfer", amount: 1n, ...NO_STAKEABLE_LOCK, ...readOwners(body.subarray(8 + body.readUInt32BE(4))) };
    case 15:
      return { kind: "property mint", amount: 0n, ...NO_STAKEABLE_LOCK, ...readOwners(body) };
    case 16:
      return { kind: "property owned", amount: 0n, ...NO_STAKEABLE_LOCK, ...readOwners(body) };
    case 22:
      return { ...readBody(body.subarray(8)), stakeableLocktime: body.readBigUInt64BE(0) };
    default:
      throw new RangeError(`a recorded output of the unknown type ${typeId}`);
  }
}

function readOwners(bytes: Buffer): Pick<RecordedOutput, "locktime" | "threshold" | "addresses"> {
  const count = bytes.readUInt32BE(12);
  const addresses = Array.from({ length: count }, (_, i) => bytes.toString("hex", 16 + i * 20, 36 + i * 20));
  return { locktime: bytes.readBigUInt64BE(0), threshold: bytes.readUInt32BE(8), addresses };
}

/**
 * The Data API shows an output to those who could spend it together (reference 8.1): as many of its owners are asked for as it takes.
 * The node's answers name outputs of which any owner was asked for.
 */
export function isVisible({ addresses, threshold }: Pick<RecordedOutput, "addresses" | "threshold">, asked: ReadonlySet<string>): boolean {
  return addresses.filter((address) => asked.has(address)).length >= Math.max(threshold, 1);
}
