import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonInput, parseJsonExactly } from "../../../src/base/json/json-input.ts";
import { messageOf } from "../codec/error-text.ts";

describe("JSON files", () => {
  test("integers of any size stay whole, in texts they stay texts", () => {
    expect(parseJsonExactly('{"a":18446744073709551615,"b":[-1,0.5,1e3],"c":"12 \\"34\\" 5","d":{"6":null}}')).toEqual({
      a: 18446744073709551615n,
      b: [-1n, 0.5, 1000],
      c: '12 "34" 5',
      d: { 6: null },
    });
  });

  test("everything but integers is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const withNumbers = JSON.stringify(parseJsonExactly(text), (_, member: unknown) =>
          typeof member === "bigint" ? Number(member) : member,
        );
        expect(JSON.parse(withNumbers)).toEqual(JSON.parse(text));
      }),
    );
  });

  const file = new JsonInput({ fee: 5n, list: [{ name: 7 }], amount: "12x", nothing: null }, "a.json");
  test.each([
    [() => file.member("absent"), "a.json: absent is missing"],
    [() => file.member("nothing"), "a.json: nothing is missing"],
    [() => file.member("fee").text(), "a.json: fee is 5; use a text"],
    [() => file.member("fee").integer(4n), "a.json: fee is 5; use an integer from 0 to 4"],
    [() => file.member("fee").member("x"), "a.json: fee is 5; use an object"],
    [() => file.member("fee").list(), "a.json: fee is 5; use a list"],
    [() => file.member("list").list()[0]?.member("name").text(), "a.json: list[0].name is 7; use a text"],
    [() => file.member("list").list()[0]?.member("other"), "a.json: list[0].other is missing"],
    [() => file.member("amount").decimal(9n), 'a.json: amount is "12x"; use an integer from 0 to 9 in quotes'],
  ])("an error names the member and what would be right (%#)", (read, message) => {
    expect(messageOf(read)).toBe(message);
  });
});
