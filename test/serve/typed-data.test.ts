import fc from "fast-check";
import { type Hex, hashTypedData } from "viem";
import { describe, expect, test } from "vitest";
import { typedDataDigest } from "../../src/serve/evm/typed-data.ts";

const DOMAIN_TYPE = [
  { name: "name", type: "string" },
  { name: "chainId", type: "uint256" },
];
const DOMAIN = { name: "a contract", chainId: 43112 };

const digest = (data: unknown): Hex => `0x${typedDataDigest(data).toString("hex")}`;
const hex = (length: fc.SizeForArbitrary | number) =>
  fc
    .uint8Array(typeof length === "number" ? { minLength: length, maxLength: length } : {})
    .map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`);

/** A type with a value of it, as JSON has it. */
type Typed = fc.Arbitrary<readonly [type: string, value: unknown]>;
const bits = fc.integer({ min: 1, max: 32 }).map((bytes) => 8 * bytes);
const plain: Typed = fc.oneof(
  fc.string({ unit: "grapheme" }).map((text) => ["string", text] as const),
  hex("small").map((bytes) => ["bytes", bytes] as const),
  fc.boolean().map((flag) => ["bool", flag] as const),
  hex(20).map((address) => ["address", address] as const),
  bits.chain((size) => fc.bigInt(0n, 2n ** BigInt(size) - 1n).map((value) => [`uint${size}`, `${value}`] as const)),
  bits.chain((size) =>
    fc.bigInt(-(2n ** BigInt(size - 1)), 2n ** BigInt(size - 1) - 1n).map((value) => [`int${size}`, `${value}`] as const),
  ),
  fc.integer({ min: 1, max: 32 }).chain((size) => hex(size).map((bytes) => [`bytes${size}`, bytes] as const)),
);
const list: Typed = plain.chain(([type, value]) =>
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.boolean())
    .map(([count, isFixed]) => [`${type}[${isFixed ? count : ""}]`, Array(count).fill(value)] as const),
);

describe("the digest of typed data", () => {
  test("is viem's, whatever the types", () => {
    const members = fc.array(fc.oneof(plain, list), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(members, members, members, fc.constantFrom("A", "Zed", "b1"), (outer, inner, innermost, name) => {
        const typesOf = (of: readonly (readonly [string, unknown])[]) => of.map(([type], index) => ({ name: `m${index}`, type }));
        const valuesOf = (of: readonly (readonly [string, unknown])[]) =>
          Object.fromEntries(of.map(([, value], index) => [`m${index}`, value]));
        const types = {
          EIP712Domain: DOMAIN_TYPE,
          Main: [...typesOf(outer), { name: "inner", type: name }, { name: "all", type: "Last[]" }],
          [name]: [...typesOf(inner), { name: "last", type: "Last" }],
          Last: typesOf(innermost),
        };
        const last = valuesOf(innermost);
        const message = { ...valuesOf(outer), inner: { ...valuesOf(inner), last }, all: [last, last] };
        const data = { types, primaryType: "Main", domain: DOMAIN, message };
        expect(digest(data)).toBe(hashTypedData(data as Parameters<typeof hashTypedData>[0]));
      }),
    );
  });

  test("of a domain alone has no message", () => {
    const data = { types: { EIP712Domain: DOMAIN_TYPE }, primaryType: "EIP712Domain" as const, domain: DOMAIN, message: {} };
    expect(digest(data)).toBe(hashTypedData(data as unknown as Parameters<typeof hashTypedData>[0]));
  });

  const typed = (type: string, value: unknown) => ({
    types: { EIP712Domain: [], Main: [{ name: "m", type }], Self: [{ name: "m", type: "Self" }] },
    primaryType: "Main",
    domain: {},
    message: { m: value },
  });
  let deep: unknown = {};
  for (let depth = 0; depth < 100; depth++) deep = { m: deep };

  test.each([
    [undefined, "the typed data must be an object"],
    [{ types: [] }, "types must be an object"],
    [{ types: {} }, "types must have EIP712Domain"],
    [{ types: { EIP712Domain: 5 } }, "types.EIP712Domain must be a list"],
    [{ types: { EIP712Domain: [5] } }, "each of types.EIP712Domain must be an object"],
    [{ types: { EIP712Domain: [{ name: 5, type: "bool" }] } }, "must have a name and a type"],
    [{ types: { EIP712Domain: [] }, primaryType: "Nothing" }, "primaryType must be the name of one of the types"],
    [{ types: Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`T${i}`, []])) }, "types may have at most 256 members"],
    [typed("text", "a"), "m has the type text, which does not exist"],
    [typed("uint8", 256), "m must be a whole number of 8 bits, from 0 on"],
    [typed("uint8", -1), "m must be a whole number of 8 bits"],
    [typed("int8", 128), "m must be a whole number of 8 bits, signed"],
    [typed("uint7", 1), "m must be a whole number of 7 bits"],
    [typed("uint0", 0), "m must be a whole number of 0 bits"],
    [typed("uint256", 1.5), "m must be a whole number"],
    [typed("bytes4", "0x0102030405"), "m has 5 bytes; it may have at most 4"],
    [typed("bytes33", "0x00"), "which does not exist"],
    [typed("address", "0x00"), "m must be 0x and 40 digits of hex"],
    [typed("bool", "true"), "m must be true or false"],
    [typed("string", 5), "m must be a text"],
    [typed("bool[2]", [true]), "m must be a list as of bool[2]"],
    [typed("Self", 5), "m must be an object"],
    [typed("Self", deep), "the message is deeper than 64 structures"],
    [typed("bool[]", Array(10_001).fill(true)), "the message has more than 10000 values"],
  ])("is refused for %j", (data, message) => {
    expect(() => typedDataDigest(data)).toThrow(message);
  });
});
