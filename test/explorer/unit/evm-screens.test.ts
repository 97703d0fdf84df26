/** What screens of EVM chains compute. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attributesOf } from "../../../explorer/src/screens/evm/nft-attributes.ts";
import { type FailedCall, originOfFailure } from "../../../explorer/src/screens/evm/origin-of-failure.ts";
import { shareOf } from "../../../explorer/src/screens/evm/share-of.ts";

describe("a share", () => {
  test.each([
    ["0", "0", "0 %"],
    ["0", "10", "0 %"],
    ["1", "3", "33.33 %"],
    ["1", "2", "50 %"],
    ["1", "1000000", "< 0.01 %"],
    ["999999", "1000000", "99.99 %"],
    ["1", "1", "100 %"],
    ["105", "1000", "10.5 %"],
    [`${2n ** 256n - 1n}`, `${2n ** 256n - 1n}`, "100 %"],
  ])("of %s in %s is %s", (part, whole, share) => {
    expect(shareOf(part, whole)).toBe(share);
  });

  test("is never shown as more than it is", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), fc.bigInt({ min: 1n, max: 2n ** 256n }), (part, whole) => {
        const [, percents = "0", fraction = ""] = /^(\d+)(?:\.(\d+))? %$/.exec(shareOf(part, whole)) ?? [];
        const hundredths = BigInt(percents) * 100n + BigInt(fraction.padEnd(2, "0"));
        expect(hundredths).toBe((part * 10_000n) / whole);
      }),
    );
  });
});

describe("attributes of an NFT", () => {
  test("are read as marketplaces and as ERC-1155 write them", () => {
    expect(attributesOf('[{"trait_type":"Colour","value":"teal"},{"value":5},"bare",{"trait_type":"List","value":[1]}]')).toEqual([
      { key: "0", name: "Colour", value: "teal" },
      { key: "1", name: "", value: "5" },
      { key: "2", name: "", value: "bare" },
      { key: "3", name: "List", value: "[1]" },
    ]);
    expect(attributesOf('{"size":3,"rich":{"name":"n","value":"v"},"none":null}').map(({ name, value }) => [name, value])).toEqual([
      ["size", "3"],
      ["rich", "v"],
      ["none", "null"],
    ]);
  });

  test("of anything are at most a thousand texts", () => {
    expect(attributesOf(JSON.stringify(Array(5000).fill(1)))).toHaveLength(1000);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        for (const { name, value } of attributesOf(text)) expect([typeof name, typeof value]).toEqual(["string", "string"]);
      }),
    );
  });
});

describe("the call that a transaction failed in", () => {
  const call = (depth: number, output = "0x", error?: string): FailedCall => ({ depth, output, error });

  test("is the innermost one that failed with the same data", () => {
    const inner = call(2, "0xaa", "reverted");
    expect(originOfFailure([call(0, "0xaa", "reverted"), call(1, "0xbb"), call(1, "0xaa", "reverted"), inner, call(3)])).toBe(inner);
  });

  test("is the transaction's own if it failed by itself, or with other data", () => {
    const root = call(0, "0xaa", "reverted");
    expect(originOfFailure([root, call(1, "0xbb", "reverted")])).toBe(root);
    const empty = call(0, "0x", "out of gas");
    expect(originOfFailure([empty, call(1, "0x", "out of gas")])).toBe(empty);
  });

  test("is none if it did not fail", () => {
    expect(originOfFailure([call(0), call(1, "0x", "reverted")])).toBeUndefined();
    expect(originOfFailure([])).toBeUndefined();
  });
});
