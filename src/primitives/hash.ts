/** Hash functions. Hex results are cheaper than buffers, so ask for hex where an ID is needed. */
import { hash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";

export function sha256(bytes: Uint8Array): Buffer {
  return hash("sha256", bytes, "buffer");
}

export function sha256Hex(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

/** Makes an address from a public key, or a node ID from a certificate (chain-formats 2.3). */
export function ripemd160Sha256Hex(bytes: Uint8Array): string {
  return hash("ripemd160", hash("sha256", bytes, "buffer"), "hex");
}

export function keccak256(bytes: Uint8Array): Buffer {
  return Buffer.from(keccak_256(bytes));
}
