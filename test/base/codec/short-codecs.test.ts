import fc from "fast-check";
import { expect, test } from "vitest";
import { type Codec, decodeAll, encodeAll } from "../../../src/base/codec/codec.ts";
import { packedBytes, shortBytes, varint, varint64 } from "../../../src/base/codec/varint.ts";

const again = <T>(codec: Codec<T>, value: T): T => decodeAll(codec, encodeAll(codec, value));

test("Numbers take as few bytes as they need, and come back", () => {
  const edges = [0, 1, 127, 128, 16_383, 16_384, 2 ** 32, 2 ** 49 - 1];
  fc.assert(
    fc.property(
      fc.oneof(
        fc.constantFrom(...edges),
        fc.maxSafeNat().map((value) => value % 2 ** 49),
      ),
      (value) => {
        expect(again(varint, value)).toBe(value);
        expect(encodeAll(varint, value).length).toBe(Math.max(1, Math.ceil(value.toString(2).length / 7)));
        expect(encodeAll(varint64, BigInt(value))).toEqual(encodeAll(varint, value));
      },
    ),
  );
  const large = fc.oneof(fc.constantFrom(2n ** 49n, 2n ** 63n, 2n ** 64n - 1n), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));
  fc.assert(
    fc.property(large, (value) => {
      expect(again(varint64, value)).toBe(value);
    }),
  );
});

test("Numbers that do not fit are not written, and longer forms of a number are not read", () => {
  for (const value of [-1, 2 ** 49, Number.NaN]) expect(() => encodeAll(varint, value)).toThrow(RangeError);
  for (const value of [-1n, 2n ** 64n]) expect(() => encodeAll(varint64, value)).toThrow(RangeError);
  expect(() => decodeAll(varint, Buffer.from("8000", "hex"))).toThrow(/length/);
  expect(() => decodeAll(varint, Buffer.from("ffffffffffffff01", "hex"))).toThrow(/length/);
  expect(() => decodeAll(varint64, Buffer.from("8080808080808000", "hex"))).toThrow(/length/);
  expect(() => decodeAll(varint64, Buffer.from("ffffffffffffffffff03", "hex"))).toThrow(/length/);
  expect(() => decodeAll(varint64, Buffer.from("80", "hex"))).toThrow(/short/);
});

const zeros = fc.nat({ max: 600 }).map((length) => new Uint8Array(length));
const sparse = fc.array(fc.oneof(zeros, fc.uint8Array({ maxLength: 20 })), { maxLength: 6 }).map((pieces) => Buffer.concat(pieces));

test("Bytes come back, and take no more than their length and itself", () => {
  fc.assert(
    fc.property(sparse, (value) => {
      expect(Buffer.from(again(shortBytes, value))).toEqual(value);
      expect(Buffer.from(again(packedBytes, value))).toEqual(value);
      expect(encodeAll(packedBytes, value).length).toBeLessThanOrEqual(encodeAll(varint, 2 * value.length).length + value.length);
    }),
  );
  expect(encodeAll(packedBytes, Buffer.from(`${"00".repeat(31)}07`, "hex")).length).toBe(4);
});

test("Packed bytes that name more than they have are refused before memory is taken for them", () => {
  const header = encodeAll(varint, 2 * 2 ** 40 + 1);
  expect(() => decodeAll(packedBytes, Buffer.concat([header, Buffer.of(0, 255)]))).toThrow(/short/);
  expect(() => decodeAll(packedBytes, Buffer.of(5, 0, 3))).toThrow(/length/);
});
