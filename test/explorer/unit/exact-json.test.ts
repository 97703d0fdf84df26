import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indented, withExactIntegers } from "../../../explorer/src/api/exact-json.ts";

type Value = string | number | bigint | boolean | null | Value[] | { [name: string]: Value };

/** JSON as Firn writes it: 64-bit integers are numbers. */
function write(value: Value): string {
  if (typeof value === "bigint") return `${value}`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join()}]`;
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`)}}`;
}

/** What a reader must get. */
function expected(value: Value): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : `${value}`;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(expected);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expected(member)]));
}

const json = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "grapheme" }),
    fc.stringMatching(/^[\\"0-9,:]{0,40}$/),
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value")),
    fc.dictionary(
      fc.string().filter((name) => name !== "__proto__"),
      tie("value"),
    ),
  ),
})).value;

describe("JSON with 64-bit integers", () => {
  test("is read to the last digit", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(withExactIntegers(write(value)))).toEqual(expected(value));
      }),
    );
  });

  test("keeps texts that look like numbers, and fractions", () => {
    const text = '{"a":"18446744073709551615","18446744073709551615":0.12345678901234567,"b":[18446744073709551615,-9223372036854775808]}';
    expect(withExactIntegers(text)).toBe(
      text.replace("[18446744073709551615,-9223372036854775808]", '["18446744073709551615","-9223372036854775808"]'),
    );
  });

  test("is shown in lines as JSON.stringify would, but to the last digit", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = write(value);
        expect(JSON.parse(withExactIntegers(indented(text)))).toEqual(expected(value));
      }),
    );
    const small = { a: [1, { b: "x,{}:[" }, [], {}], c: null };
    expect(indented(JSON.stringify(small))).toBe(JSON.stringify(small, null, 2));
  });
});
