import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  bool,
  bytes,
  type Codec,
  decodeAll,
  decodeVersioned,
  encodeAll,
  encodeVersioned,
  fixedHex,
  list,
  optional,
  str,
  struct,
  u8,
  u16,
  u32,
  u64,
  union,
  type Value,
  variant,
} from "../../../src/base/codec/codec.ts";
import { CodecError } from "../../../src/base/codec/error.ts";

const context = { address: (address: string) => `P-${address}` };
const owners = struct({ locktime: u64, threshold: u32, addresses: list(fixedHex(20)) });
const transfer = variant("TransferOutput", { amount: u64, ...{ locktime: u64 } }, { jsonSorted: true });
const locked = variant("LockOut", { locktime: u64, memo: bytes });
const output = union({ 7: transfer, 22: locked }, new Set([5, 7, 22]));
const everything = struct({ flag: bool, small: u8, port: u16, name: str, owners, outputs: list(output), note: optional(u64) });

const hex = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map((raw) => Buffer.from(raw).toString("hex"));
const anyU64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const anyOutput = fc.oneof(
  fc.record({ kind: fc.constant("TransferOutput" as const), amount: anyU64, locktime: anyU64 }),
  fc.record({ kind: fc.constant("LockOut" as const), locktime: anyU64, memo: fc.uint8Array().map((raw) => Buffer.from(raw)) }),
);
const anything: fc.Arbitrary<Value<typeof everything>> = fc.record({
  flag: fc.boolean(),
  small: fc.nat(255),
  port: fc.nat(65535),
  name: fc.string(),
  owners: fc.record({ locktime: anyU64, threshold: fc.nat(), addresses: fc.array(hex(20)) }),
  outputs: fc.array(anyOutput),
  note: fc.option(anyU64, { nil: undefined }),
});

function failure(codec: Codec<unknown>, input: string): CodecError {
  try {
    decodeAll(codec, Buffer.from(input, "hex"));
  } catch (error) {
    if (error instanceof CodecError) return error;
  }
  throw new Error("expected a CodecError");
}

describe("codec", () => {
  test("decoding what was encoded gives the value back", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const ascii = { ...value, name: value.name.replace(/[^ -~]/g, "?") };
        expect(decodeAll(everything, encodeAll(everything, ascii))).toEqual(ascii);
      }),
    );
  });

  test("mutated bytes either decode and encode to themselves or fail with a CodecError", () => {
    fc.assert(
      fc.property(anything, fc.nat(), fc.nat(255), (value, position, byte) => {
        const input = encodeAll(everything, { ...value, name: "x" });
        input[position % input.length] = byte;
        try {
          expect(encodeAll(everything, decodeAll(everything, input))).toEqual(input);
        } catch (error) {
          if (!(error instanceof CodecError)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("an error names the path, the offset and the facts", () => {
    const error = failure(owners, "0000000000000001000000020000000111223344");
    expect(error).toMatchObject({ kind: "short", offset: 16, path: "addresses[0]", facts: { need: 20, left: 4 } });
    expect(error.message).toBe("addresses[0] at byte 16: short (need 20, left 4)");
  });

  test("left-over bytes are an error", () => {
    expect(failure(u16, "000102")).toMatchObject({ kind: "trailing", facts: { read: 2, provided: 3 } });
  });

  test("a bool is 0 or 1", () => {
    expect(failure(bool, "02")).toMatchObject({ kind: "bool" });
  });

  test("a count above 2^31-1 is refused before anything is allocated", () => {
    expect(failure(list(u8), "80000000")).toMatchObject({ kind: "length" });
  });

  test("a list of values without bytes is refused", () => {
    expect(failure(list(struct({})), "00000001")).toMatchObject({ kind: "zero-length" });
  });

  test("a union tells an unknown type from one that is not allowed here", () => {
    expect(failure(output, "00000005")).toMatchObject({ kind: "wrong-type", facts: { typeId: 5 } });
    expect(failure(output, "00000063")).toMatchObject({ kind: "unknown-type", facts: { typeId: 99 } });
  });

  test("versioned objects refuse another version, a missing version and too many bytes", () => {
    expect(decodeVersioned(u8, encodeVersioned(u8, 5))).toBe(5);
    const kinds = ["000105", "00", "00000505"].map((input) => {
      try {
        decodeVersioned(u8, Buffer.from(input, "hex"), { limit: 3 });
      } catch (error) {
        return (error as CodecError).kind;
      }
      return undefined;
    });
    expect(kinds).toEqual(["version", "no-version", "oversize"]);
  });

  test("JSON keeps every digit, spells IDs as the node does and sorts where the node sorts", () => {
    const codec = struct({ chainId: fixedHex(2), fxIds: list(u64), fxId: { jsonOnly: () => '"secp"' }, output });
    const value = { chainId: "beef", fxIds: [2n ** 64n - 1n], output: { kind: "TransferOutput" as const, locktime: 1n, amount: 2n } };
    expect(codec.json(value, context)).toBe(
      '{"chainID":"0xbeef","fxIDs":[18446744073709551615],"fxID":"secp","output":{"amount":2,"locktime":1}}',
    );
  });

  test("types are read off the definition", () => {
    expectTypeOf<Value<typeof owners>>().toEqualTypeOf<{ locktime: bigint; threshold: number; addresses: string[] }>();
    // @ts-expect-error a JSON-only member is no part of the value
    const withJsonOnly: Value<ReturnType<typeof withFxId>> = { amount: 1n, fxId: "x" };
    expect(withJsonOnly).toBeDefined();
  });
});

function withFxId() {
  return struct({ amount: u64, fxId: { jsonOnly: () => "" } });
}
