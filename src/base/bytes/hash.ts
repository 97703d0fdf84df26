/** Hash functions. Hex results are cheaper than buffers, so ask for hex where an ID is needed. */
import { hash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { createKeccak, type IHasher } from "hash-wasm";

const KECCAK_BITS = 256;
/** Compiled code takes a seventh of the time; undefined in the first milliseconds of a process, or where there is no WebAssembly. */
let compiled: IHasher | undefined;
createKeccak(KECCAK_BITS).then(
  (hasher) => {
    compiled = hasher;
  },
  () => {},
);

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
  const digest = compiled === undefined ? keccak_256(bytes) : compiled.init().update(bytes).digest("binary");
  return Buffer.from(digest.buffer, digest.byteOffset, digest.length);
}

export function keccak256Hex(bytes: Uint8Array): string {
  return compiled === undefined ? Buffer.from(keccak_256(bytes)).toString("hex") : compiled.init().update(bytes).digest("hex");
}
