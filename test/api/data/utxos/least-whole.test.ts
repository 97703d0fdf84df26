import fc from "fast-check";
import { expect, test } from "vitest";
import { AMOUNT_TEXT, leastWhole } from "../../../../src/api/data/utxos/least-whole.ts";

test.each([
  ["0", 0n],
  ["2.5", 3n],
  ["2.000", 2n],
  ["1e2", 100n],
  ["1.25E+1", 13n],
  ["25e-1", 3n],
  ["1e-99", 1n],
  ["0e-5", 0n],
  ["9007199254740993.0", 9007199254740993n],
  ["900719925474099.3e1", 9007199254740993n],
  ["18446744073709551615", 2n ** 64n - 1n],
])("the least integer from %s on is %i", (text, least) => {
  expect(leastWhole(text)).toBe(least);
});

test("every number from 0 on is read that JavaScript writes, and amounts as large as it writes exactly", () => {
  const amounts = fc.double({ min: 0, max: 1e40, noNaN: true });
  fc.assert(
    fc.property(amounts, (amount) => {
      const text = String(amount);
      // exponents of three digits are of no amount
      fc.pre(!/e-[0-9]{3}/.test(text));
      expect(text).toMatch(AMOUNT_TEXT);
      if (amount <= Number.MAX_SAFE_INTEGER) expect(leastWhole(text)).toBe(BigInt(Math.ceil(amount)));
    }),
  );
});
