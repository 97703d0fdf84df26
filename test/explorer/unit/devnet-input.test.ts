/** What the devnet panel takes from its forms, and what it says of anything else. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  InputError,
  readAddress,
  readAvax,
  readGenesis,
  readPercent,
  readPeriod,
  readTime,
  readWholeNumber,
} from "../../../explorer/src/screens/devnet/input.ts";
import { parseMoment, parsePeriod } from "../../../src/devnet/period.ts";

test("amounts are exact to the last nAVAX", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), (amount) => {
      const [whole, fraction] = [amount / 1_000_000_000n, `${amount % 1_000_000_000n}`.padStart(9, "0")];
      expect(readAvax(`${whole}.${fraction}`)).toBe(amount);
      expect(readAvax(` ${whole}.${fraction.replace(/0+$/, "") || "0"} `)).toBe(amount);
    }),
  );
});

test.each(["", "0", "0.0", "-1", "1e3", "1,000", "0x10", "1.", ".5", "1.0000000001", "18446744073.709551616", "NaN", "9".repeat(400)])(
  "no amount: %j",
  (text) => {
    expect(() => readAvax(text)).toThrow(InputError);
    expect(() => readAvax(text)).toThrow(
      /^The amount is .{1,50}; write AVAX above zero with at most nine decimals, such as 100 or 0\.000000001\.$/,
    );
  },
);

test("periods are those of firn time advance", () => {
  const part = fc.tuple(fc.integer({ min: 0, max: 9999 }), fc.constantFrom("s", "m", "h", "d", "w", "y")).map((pair) => pair.join(""));
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const seconds = parsePeriod(parts.join(""));
      if (seconds === 0n) expect(() => readPeriod(parts.join(""))).toThrow(InputError);
      else expect(BigInt(readPeriod(parts.join("")))).toBe(seconds);
    }),
  );
  for (const text of ["", "1", "d", "1 d", "-1d", "1.5d", "0s", "999999999999y"])
    expect(() => readPeriod(text)).toThrow(/such as 90s, 10m/);
});

test("times are those of firn time set", () => {
  for (const text of ["2027-01-31", "2027-01-31T12:00:01Z", "2028-02-29", "9999-12-31T23:59:59Z"]) {
    expect(BigInt(readTime(text))).toBe(parseMoment(text));
  }
  for (const text of ["", "2027-02-30", "2027-13-01", "2027-01-31T25:00:00Z", "31.1.2027", "2027-01-31T12:00:00+01:00", "tomorrow"]) {
    expect(() => readTime(text)).toThrow(/^The time is .*; write a day or a time in UTC, such as/);
  }
});

test("percent have up to four decimals and are at most 100", () => {
  for (const text of ["0", "85", "99.9999", "100", "100.0000", "85 %"]) expect(readPercent(text)).toBe(text.replace(" %", ""));
  for (const text of ["", "100.0001", "101", "-1", "1e1", "99.99999", "%"]) expect(() => readPercent(text)).toThrow(/from 0 to 100/);
});

test("addresses are of P, X or C", () => {
  for (const text of ["P-local1g65uqn6t77p656w64023nh8nd9updzmxyymev2", "X-local1a", `0x${"aB".repeat(20)}`]) {
    expect(readAddress(` ${text} `)).toBe(text);
  }
  for (const text of ["", "local1abc", "Q-local1abc", "0x12", `0x${"g".repeat(40)}`, "NodeID-1"]) {
    expect(() => readAddress(text)).toThrow(/one of P, X or C/);
  }
});

test("an empty field leaves the choice to the server, and other numbers are within bounds", () => {
  expect(readWholeNumber("The number", " ", 1n, 16n)).toBeUndefined();
  expect(readWholeNumber("The number", "016", 1n, 16n)).toBe("16");
  for (const text of ["0", "17", "1.5", "-1", "one"]) {
    expect(() => readWholeNumber("The number", text, 1n, 16n)).toThrow(`The number is ${text}; write a whole number from 1 to 16.`);
  }
  expect(readGenesis("  ")).toBeUndefined();
  expect(readGenesis('{"a":1}')).toBe('{"a":1}');
  for (const text of ["{", "[]", "null", '"a"']) expect(() => readGenesis(text)).toThrow("The genesis is not a JSON object");
});
