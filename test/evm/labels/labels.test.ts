import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { bundledMethodName, bundledSignatures } from "../../../src/evm/labels/bundled-signatures.ts";
import { openLabels } from "../../../src/evm/labels/open-labels.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const USDC = "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E";
const usdc = USDC.slice(2).toLowerCase();
const TOKEN = { chainId: 43114, address: USDC, name: "USD Coin", symbol: "USDC", decimals: 6 };
const NOBODY = "00".repeat(20);

function file(content: unknown): string {
  const path = join(scratchDirectory(), "file.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

interface Files {
  tokenList?: unknown;
  prices?: unknown;
  names?: unknown;
  abis?: readonly unknown[];
}

function labels({ tokenList, prices, names, abis = [] }: Files) {
  const files = {
    tokenList: tokenList === undefined ? undefined : file(tokenList),
    prices: prices === undefined ? undefined : file(prices),
    names: names === undefined ? undefined : file(names),
    abis: abis.map(file),
  };
  return openLabels(files, 43114n);
}

const list = (token: object) => ({ tokenList: { name: "L", tokens: [{ ...TOKEN, ...token }] } });

describe("Names of addresses", () => {
  test("are those of accounts and contracts, found by how they begin", async () => {
    const given = await labels({ names: { [USDC]: "Treasury", [`0x${"ab".repeat(20)}`]: " Treasurer's desk " } });
    expect(given.name(usdc)).toBe("Treasury");
    expect(given.name("ab".repeat(20))).toBe("Treasurer's desk");
    expect(given.name(NOBODY)).toBeUndefined();
    expect(given.addressesNamed("treasur", 10)).toEqual(["ab".repeat(20), usdc]);
    expect(given.addressesNamed("treasury", 10)).toEqual([usdc]);
    expect(given.addressesNamed("treasur", 1)).toHaveLength(1);
  });

  test.each([
    [{ [USDC.replace("B", "b")]: "a" }, `use ${USDC}`],
    [{ "0x12": "a" }, "an address: 0x and 40 hex digits"],
    [{ [USDC]: "" }, "1 to 200 characters"],
    [{ [USDC]: "a".repeat(201) }, "1 to 200 characters"],
    [{ [USDC]: 5 }, "a text"],
    [{ [USDC]: "a", [USDC.toLowerCase()]: "b" }, "each address once"],
    [[USDC], "an object"],
  ])("%# are refused with what would be right", async (names, sentence) => {
    await expect(labels({ names })).rejects.toThrow(sentence);
  });
});

describe("A token list", () => {
  test("names tokens of the chain and of no other", async () => {
    const given = await labels({
      tokenList: {
        name: "List",
        tokens: [
          { ...TOKEN, logoURI: "https://example.org/usdc.png", extensions: { reputation: "Benign", other: 1 } },
          { ...TOKEN, chainId: 1, name: "another chain's" },
          { chainId: 101, address: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v" },
          { ...TOKEN, address: `0x${"ab".repeat(20)}` },
        ],
      },
    });
    expect(given.token(usdc)).toEqual({
      name: "USD Coin",
      symbol: "USDC",
      decimals: 6,
      logoUri: "https://example.org/usdc.png",
      reputation: "Benign",
    });
    expect(given.token("ab".repeat(20))).toEqual({ name: "USD Coin", symbol: "USDC", decimals: 6 });
    expect(given.token(NOBODY)).toBeUndefined();
  });

  test.each([
    ["no JSON", { tokenList: "{" }, "is not JSON"],
    ["no list", { tokenList: {} }, "tokens is missing"],
    ["a token without a name", list({ name: undefined }), "tokens[0].name is missing"],
    ["no address", list({ address: "0x12" }), 'tokens[0].address is "0x12"; use an address: 0x and 40 hex digits'],
    ["a slip in an address", list({ address: USDC.replace("B97E", "B97e") }), `use ${USDC} if that address is meant, or all lowercase`],
    ["absurd decimals", list({ decimals: 256 }), "tokens[0].decimals is 256; use an integer from 0 to 255"],
    ["an unknown reputation", list({ extensions: { reputation: "Good" } }), "use Malicious or Benign"],
    ["a token twice", { tokenList: { tokens: [TOKEN, { ...TOKEN, address: USDC.toLowerCase() }] } }, "use each address once for a chain"],
  ])("is refused with a sentence: %s", async (_, files, sentence) => {
    await expect(labels(files)).rejects.toThrow(sentence);
  });

  test("that is not there is named", async () => {
    const missing = join(scratchDirectory(), "missing.json");
    await expect(openLabels({ tokenList: missing, prices: undefined, names: undefined, abis: [] }, 1n)).rejects.toThrow(
      /missing\.json cannot be read: it does not exist; name a file with a token list/,
    );
  });
});

describe("Prices", () => {
  test("are of a token or of the chain's own, by currency", async () => {
    const given = await labels({ prices: { native: { usd: 23.41 }, [USDC]: { usd: 1, eur: 0 } } });
    expect([given.price("native", "usd"), given.price(usdc, "usd"), given.price(usdc, "eur")]).toEqual([23.41, 1, 0]);
    expect([given.price("native", "eur"), given.price(NOBODY, "usd")]).toEqual([undefined, undefined]);
  });

  test.each([
    ["a list", [], "use an object"],
    ["no address", { usdc: { usd: 1 } }, "use an address"],
    ["an unknown currency", { native: { xyz: 1 } }, "use prices in usd, eur"],
    ["a text", { native: { usd: "1" } }, 'native.usd is "1"; use a number from 0 on'],
    ["less than nothing", { native: { usd: -1 } }, "native.usd is -1; use a number from 0 on"],
    ["a token twice", { [USDC]: { usd: 1 }, [USDC.toLowerCase()]: { usd: 1 } }, "use each token once"],
  ])("are refused with a sentence: %s", async (_, prices, sentence) => {
    await expect(labels({ prices })).rejects.toThrow(sentence);
  });
});

const entry = (name: string, ...inputs: object[]) => ({ type: "function", name, inputs });

describe("Methods", () => {
  test("of standards are known without a file", async () => {
    const given = await labels({});
    expect(given.methodName("a9059cbb", NOBODY)).toBe("transfer(address,uint256)");
    expect(given.methodName("00000000", NOBODY)).toBeUndefined();
  });

  test("are named by the operator's ABIs, tuples spelled out, a contract's own first", async () => {
    const order = { type: "tuple[2][]", components: [{ type: "uint256" }, { type: "tuple", components: [{ type: "bytes" }] }] };
    const given = await labels({
      abis: [
        [entry("place", order, { type: "address" }), { type: "event", name: "Placed" }, { type: "constructor", inputs: [] }],
        { contractName: "Own", address: USDC, abi: [entry("collate_propagate_storage", { type: "bytes16" })] },
        { abi: [entry("burn", { type: "uint256" })] },
      ],
    });
    const selector = (signature: string) => toFunctionSelector(`function ${signature}`).slice(2);
    const place = "place((uint256,(bytes))[2][],address)";
    expect(given.methodName(selector(place), NOBODY)).toBe(place);
    // both signatures have the selector 42966c68
    expect(given.methodName("42966c68", usdc)).toBe("collate_propagate_storage(bytes16)");
    expect(given.methodName("42966c68", NOBODY)).toBe("burn(uint256)");
  });

  test.each([
    ["an object without one", {}, "abi is missing"],
    ["a function without inputs", [{ type: "function", name: "f" }], "[0].inputs is missing"],
    ["no name", [entry("")], "use the name of a function"],
    ["no type", [entry("f", { type: "uint256 x" })], 'inputs[0].type is "uint256 x"; use a type of the contract ABI'],
    ["a tuple without components", [entry("f", { type: "tuple" })], "components is missing"],
  ])("are not taken from what is no ABI: %s", async (_, abi, sentence) => {
    await expect(labels({ abis: [abi] })).rejects.toThrow(sentence);
  });

  test("that Firn brings have one selector each, the one that encoders compute", () => {
    const signatures = bundledSignatures();
    expect(new Set(signatures.map((signature) => toFunctionSelector(`function ${signature}`))).size).toBe(signatures.length);
    for (const signature of signatures) {
      expect(bundledMethodName(toFunctionSelector(`function ${signature}`).slice(2))).toBe(signature);
    }
  });
});
