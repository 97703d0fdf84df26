import { expect, test } from "vitest";
import { avaxText, decimalText } from "../../../../src/api/data/network/decimal.ts";

test.each<[bigint, string]>([
  [0n, "0"],
  [1n, "0.000000001"],
  [1_000_000_000n, "1"],
  [360_000_000_000_000_000n, "360000000"],
  [6_786_673_898_334n, "6786.673898334"],
  [100n, "0.0000001"],
  [-1_500_000_000n, "-1.5"],
])("%d nAVAX are %s AVAX", (nAvax, text) => {
  expect(avaxText(nAvax)).toBe(text);
});

test("quotients are cut off behind their last digit", () => {
  expect(decimalText(2n, 3n, 20)).toBe("0.66666666666666666666");
  expect(decimalText(0n, 7n, 20)).toBe("0.00000000000000000000");
  expect(decimalText(10n, 4n, 1)).toBe("2.5");
});
