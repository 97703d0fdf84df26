/** Which digits of an amount are seen in a list. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decimal, digitGroups } from "../../../explorer/src/components/amount.tsx";

const seen = (text: string) =>
  digitGroups(text)
    .map(({ digits, isRest }) => (isRest ? "" : digits))
    .join("_");

test.each([
  ["1,234.5678901", "1,234.56_"],
  ["0.000123456789", "0.000123456_"],
  ["1,234,567.89", "1,234,567_"],
  ["12", "12"],
  ["0", "0"],
  ["-0.5", "-0.5"],
  ["0.000000000000000123456789", "0.0__123456_"],
])("of %s", (text, expected) => {
  expect(seen(text)).toBe(expected);
});

test("all groups together are the whole number, and what is seen is never 0 unless it is", () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 256n), 2n ** 256n), fc.nat(255), (amount, decimals) => {
      const whole = decimal(amount, decimals);
      const groups = digitGroups(whole);
      expect(groups.map(({ digits }) => digits).join("")).toBe(whole);
      expect(groups.every(({ digits }) => digits !== "")).toBe(true);
      expect(/[1-9]/.test(seen(whole))).toBe(amount !== 0n);
    }),
  );
});
