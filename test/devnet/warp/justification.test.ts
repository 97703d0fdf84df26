import fc from "fast-check";
import { expect, test } from "vitest";
import { FirnError } from "../../../src/base/errors/errors.ts";
import { readJustification } from "../../../src/devnet/warp/justification.ts";

/** A varint of protobuf. */
function varint(value: bigint): number[] {
  return value < 0x80n ? [Number(value)] : [Number(value & 0x7fn) | 0x80, ...varint(value >> 7n)];
}

const bytesField = (number: number, bytes: readonly number[]) => [
  ...varint(BigInt((number << 3) | 2)),
  ...varint(BigInt(bytes.length)),
  ...bytes,
];
const varintField = (number: number, value: bigint) => [...varint(BigInt(number << 3)), ...varint(value)];
const read = (...fields: number[][]) => readJustification(Uint8Array.from(fields.flat()));
const subnet = (length: number) => Array.from({ length }, (_, index) => index);

test("one of a conversion's validators is told by subnet and place", () => {
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), (index) => {
      const conversion = bytesField(1, [...bytesField(1, subnet(32)), ...(index === 0 ? [] : varintField(2, BigInt(index)))]);
      expect(read(conversion)).toEqual({ kind: "conversion", subnetId: Buffer.from(subnet(32)).toString("hex"), index });
    }),
  );
});

test("the message that registered a validator is told as it is, and the last field counts", () => {
  const registration = { kind: "registration", message: Uint8Array.from([1, 2, 3]) };
  expect(read(bytesField(2, [1, 2, 3]))).toEqual(registration);
  expect(read(bytesField(1, bytesField(1, subnet(32))), varintField(7, 300n), bytesField(2, [1, 2, 3]))).toEqual(registration);
  expect(read(bytesField(3, [1]))).toBeUndefined();
  expect(read()).toBeUndefined();
});

test.each([0, 31, 33])("a subnet's ID of %i bytes is refused", (length) => {
  expect(() => read(bytesField(1, bytesField(1, subnet(length))))).toThrow(`invalid hash length: expected 32 bytes but got ${length}`);
});

test("bytes that are no protobuf are refused, whatever they are", () => {
  for (const bytes of [[0x0a], [0x0a, 5, 1], [0x0b], [0x80], [0x08, ...Array(11).fill(0xff)]])
    expect(() => read(bytes)).toThrow("proto: cannot parse");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        readJustification(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(FirnError);
      }
    }),
  );
});
