import fc from "fast-check";
import { encodeErrorResult } from "viem";
import { expect, test } from "vitest";
import { revertReason } from "../../src/evm/revert-reason.ts";

const abi = [
  { type: "error", name: "Error", inputs: [{ type: "string", name: "message" }] },
  { type: "error", name: "Panic", inputs: [{ type: "uint256", name: "code" }] },
  { type: "error", name: "Own", inputs: [{ type: "string", name: "message" }] },
] as const;
const bytesOf = (hex: string) => Buffer.from(hex.slice(2), "hex");
const errorOf = (message: string) => bytesOf(encodeErrorResult({ abi, errorName: "Error", args: [message] }));
const panicOf = (code: bigint) => bytesOf(encodeErrorResult({ abi, errorName: "Panic", args: [code] }));

const text = fc.string({ unit: "grapheme", maxLength: 60 });

test("Any text that Solidity encodes is read back", () => {
  fc.assert(
    fc.property(text, (message) => {
      expect(revertReason(errorOf(message))).toBe(message);
    }),
  );
});

test("A text whose bytes are cut is shown up to its last whole character", () => {
  fc.assert(
    fc.property(text, fc.nat(120), (message, kept) => {
      const whole = Buffer.from(message);
      const all = errorOf(message);
      const shown = revertReason(all.subarray(0, 4 + 64 + kept), all.length)!;
      expect(message.startsWith(shown), shown).toBe(true);
      expect(Buffer.from(shown).length).toBeGreaterThanOrEqual(Math.min(whole.length, kept) - 3);
    }),
  );
});

test("Panics have their code, and what Solidity means by it", () => {
  expect(revertReason(panicOf(0x11n))).toBe("Panic(0x11): arithmetic overflow or underflow");
  expect(revertReason(panicOf(1n))).toBe("Panic(0x01): assertion failed");
  expect(revertReason(panicOf(0x99n))).toBe("Panic(0x99)");
});

test("Other errors, and what only begins like one of these, have no reason, whatever bytes they have", () => {
  const own = bytesOf(encodeErrorResult({ abi, errorName: "Own", args: ["message"] }));
  for (const output of [own, Buffer.alloc(0), errorOf("x").subarray(0, 40), errorOf("xx").subarray(0, 69), panicOf(1n).subarray(0, 30)]) {
    expect(revertReason(output)).toBeUndefined();
  }
  const notUtf8 = errorOf("abc");
  notUtf8[4 + 64] = 0xff;
  expect(revertReason(notUtf8)).toBeUndefined();
  const selectors = fc.constantFrom("08c379a0", "4e487b71").map((hex) => Buffer.from(hex, "hex"));
  fc.assert(
    fc.property(selectors, fc.uint8Array({ maxLength: 200 }), (selector, rest) => {
      const reason = revertReason(Buffer.concat([selector, rest]));
      if (reason !== undefined) expect(reason.length).toBeLessThan(250);
    }),
  );
});
