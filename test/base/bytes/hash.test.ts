import { keccak_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keccak256 } from "../../../src/base/bytes/hash.ts";

test("Keccak-256 in compiled code is that of the library in JavaScript, of any length, and each result is a copy", () => {
  const lengths = fc.oneof(fc.nat(300), fc.constantFrom(135, 136, 137, 16_383, 16_384, 16_385, 100_000));
  fc.assert(
    fc.property(lengths, fc.nat(255), (length, seed) => {
      const bytes = Buffer.from(Array.from({ length }, (_, i) => (seed + 7 * i) & 255));
      const first = keccak256(bytes);
      const before = first.toString("hex");
      keccak256(Buffer.from([seed]));
      expect(first.toString("hex")).toBe(before);
      expect(before).toBe(Buffer.from(keccak_256(bytes)).toString("hex"));
    }),
  );
});
