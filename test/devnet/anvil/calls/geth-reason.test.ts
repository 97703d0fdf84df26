import fc from "fast-check";
import { encodeErrorResult, parseAbi } from "viem";
import { expect, test } from "vitest";
import { gethReason } from "../../../../src/devnet/anvil/calls/forward.ts";

const abi = parseAbi(["error Error(string)", "error Panic(uint256)", "error Locked(uint256 until, string why)"]);

test("the reason of require and revert is their text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const asSent = Buffer.from(text).toString();
      expect(gethReason(encodeErrorResult({ abi, errorName: "Error", args: [text] }))).toBe(asSent);
    }),
  );
});

test.each([
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
  [0x02n, "unknown panic code: 0x2"],
  [2n ** 256n - 1n, `unknown panic code: 0x${"f".repeat(64)}`],
])("panic %i is told in geth's words", (code, reason) => {
  expect(gethReason(encodeErrorResult({ abi, errorName: "Panic", args: [code] }))).toBe(reason);
});

test("a contract's own errors have no reason, and neither has what is cut off", () => {
  expect(gethReason(encodeErrorResult({ abi, errorName: "Locked", args: [7n, "no"] }))).toBeUndefined();
  const whole = encodeErrorResult({ abi, errorName: "Error", args: ["a reason that is longer than a word of 32 bytes"] });
  for (let bytes = 0; bytes < 4 + 64 + 47; bytes++) expect(gethReason(whole.slice(0, 2 + 2 * bytes)), `${bytes} bytes`).toBeUndefined();
  // its offset, or its length, is beyond every end
  for (const at of [4, 36]) {
    expect(gethReason(`${whole.slice(0, 2 + 2 * at)}${"f".repeat(64)}${whole.slice(2 + 2 * at + 64)}`)).toBeUndefined();
  }
});
