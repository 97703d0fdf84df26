import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { to } from "../../../explorer/src/router.ts";
import { cleaned, queryIn } from "../../../explorer/src/screens/search/query.ts";
import { pathOf, type SearchResult, withAddress } from "../../../explorer/src/screens/search/results.ts";

describe("a text is cleaned", () => {
  test.each([
    ["  P-local1abc \n", "P-local1abc"],
    ['"0xabc",', "0xabc"],
    ["‘NodeID-abc’", "NodeID-abc"],
    ["0xabc\n  def", "0xabcdef"],
    ["`12`;", "12"],
    ["wrapped ether", "wrapped ether"],
    ["O'Neill's coin", "O'Neill's coin"],
    [" \n\"' ", ""],
  ])("%j is searched for as %j", (text, expected) => {
    expect(cleaned(text)).toBe(expected);
  });

  test("once: cleaning again changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", " ", "\n", "'", '"', ",", "“") }), (text) => {
        expect(cleaned(cleaned(text))).toBe(cleaned(text));
      }),
    );
  });
});

test("a path of the search has every text whole", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(queryIn(to.search(text))).toBe(text);
    }),
  );
  expect(queryIn("#/search/100%")).toBe("100%");
  expect(queryIn("#/P/tx/abc")).toBeUndefined();
});

describe("an address that is well formed has a page", () => {
  const HRP = "local";
  const BECH32 = "local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u";
  const EVM = "0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC";
  const contract: SearchResult = { kind: "contract", evmChainId: "1", id: EVM };

  test.each([
    [`X-${BECH32}`, BECH32],
    [EVM.toLowerCase(), EVM],
  ])("%s without any transaction", (query, id) => {
    const results = withAddress([], query, HRP);
    expect(results.map(({ kind, id: found }) => ({ kind, id: found }))).toEqual([{ kind: "address", id }]);
  });

  test("beside a contract there, and once", () => {
    const results = withAddress([contract], EVM, HRP);
    expect(results.map(({ kind }) => kind)).toEqual(["contract", "address"]);
    expect(withAddress(results, EVM, HRP)).toEqual(results);
  });

  test.each(["12", "P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t", "ab".repeat(20), "ewoq"])("but %s is none", (query) => {
    expect(withAddress([], query, HRP)).toEqual([]);
  });
});

test("every kind of result leads somewhere, whatever is in its ID", () => {
  const kinds: SearchResult["kind"][] = [
    ...(["chain", "evmChain", "transaction", "block", "vertex", "address", "validator", "subnet"] as const),
    ...(["blockchain", "l1Validator", "asset", "token", "nftCollection", "contract"] as const),
  ];
  for (const kind of kinds) {
    const path = pathOf({ kind, id: "a/b#c", evmChainId: "7", chain: "X" });
    expect(path).toMatch(/^#\/[^#]+$/);
    expect(pathOf({ kind, id: "a/b#c", evmChainId: "7", chain: "X" })).toBe(path);
  }
});
