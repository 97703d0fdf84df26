/**
 * The reason of a revert in the words of geth's errors (`abi.UnpackRevert`), which the chain's nodes have, too. The Data API's, for people, are in
 * `evm/revert-reason.ts`.
 */
import { readBytes, readWord } from "../../../evm/abi.ts";

const SELECTOR_BYTES = 4;
const ERROR = "08c379a0";
const PANIC = "4e487b71";

/** by the code that Solidity gives */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, "generic panic"],
  [0x01n, "assert(false)"],
  [0x11n, "arithmetic underflow or overflow"],
  [0x12n, "division or modulo by zero"],
  [0x21n, "enum overflow"],
  [0x22n, "invalid encoded storage byte array accessed"],
  [0x31n, "out-of-bounds array access; popping on an empty array"],
  [0x32n, "out-of-bounds access of an array or bytesN"],
  [0x41n, "out of memory"],
  [0x51n, "uninitialized function"],
]);

/** @param data with which a contract reverted, hex. Returns undefined for a contract's own errors, and for what is cut off */
export function gethReason(data: string): string | undefined {
  const bytes = Buffer.from(data.slice("0x".length), "hex");
  const selector = bytes.toString("hex", 0, SELECTOR_BYTES);
  const words = bytes.subarray(SELECTOR_BYTES);
  if (selector === ERROR) return readBytes(words)?.toString();
  const code = selector === PANIC ? readWord(words) : undefined;
  return code === undefined ? undefined : (PANICS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`);
}
