import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddresses } from "../../../src/api/data/addresses.ts";
import { parseIdParam, parseNodeIdParam } from "../../../src/api/data/ids.ts";
import { encodeBech32, formatAddress } from "../../../src/base/bytes/address.ts";
import { encodeBech32Bytes } from "../../../src/base/bytes/bech32.ts";
import { formatId, formatNodeId } from "../../../src/base/bytes/cb58.ts";
import { smallNetwork } from "../../serve/small-store.ts";

const context = { network: smallNetwork };
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("hex"));
const ONE = "05".repeat(20);
const text = encodeBech32("avax", ONE);

describe("Addresses", () => {
  test("come with or without a chain's letter, in any number up to the limit, each once", () => {
    const written = fc.tuple(address, fc.constantFrom("", "P-", "X-", "C-"), fc.constantFrom(",", ", ", ",,"));
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 64 }), (list) => {
        const csv = list.map(([hex, letter, comma]) => `${letter}${encodeBech32("avax", hex)}${comma}`).join("");
        expect(parseAddresses(csv, context, { max: 64 })).toEqual([...new Set(list.map(([hex]) => hex))]);
      }),
    );
  });

  test("of the EVM are read in any letters where a route takes them", () => {
    const evm = "0xAbCdEf0000000000000000000000000000000001";
    expect(parseAddresses(`${evm},${evm.toLowerCase()},${text}`, context, { max: 2, allowsEvm: true })).toEqual([
      evm.slice(2).toLowerCase(),
      ONE,
    ]);
    expect(() => parseAddresses(evm, context, { max: 2 })).toThrow("no EVM address");
    expect(() => parseAddresses(evm.slice(0, -1), context, { max: 2, allowsEvm: true })).toThrow("0x and 40 hex digits");
  });

  test.each([
    ["", "addresses must name at least one address"],
    [" , ", "addresses must name at least one address"],
    [encodeBech32("fuji", ONE), "must be avax1… on this network; this one is of a network with the prefix fuji"],
    [`${text.slice(0, -1)}${text.endsWith("q") ? "p" : "q"}`, "Invalid address format in addresses"],
    [formatAddress("D", "avax", ONE), "Invalid address format in addresses"],
    [encodeBech32Bytes("avax", Buffer.alloc(22)), "must be the bech32 text of 20 bytes; this one has"],
    ["hello", "Invalid address format in addresses"],
    [formatId(ONE), "Invalid address format in addresses"],
  ])("like %j are refused: %s", (csv, message) => {
    expect(() => parseAddresses(csv, context, { max: 64 })).toThrow(message);
  });

  test("are refused one beyond the limit", () => {
    const many = Array.from({ length: 65 }, (_, index) => encodeBech32("avax", index.toString(16).padStart(40, "0"))).join(",");
    expect(() => parseAddresses(many, context, { max: 64 })).toThrow("addresses must name at most 64 addresses, got more");
    expect(parseAddresses(many, context, { max: 65 })).toHaveLength(65);
  });
});

describe("IDs", () => {
  test("are read from what they are written as", () => {
    const id = "ab".repeat(32);
    expect(parseIdParam("txHash", formatId(id))).toBe(id);
    expect(parseNodeIdParam("nodeId", formatNodeId(ONE))).toBe(ONE);
  });

  test.each(["", "0x00", formatId("ab".repeat(31)), `${formatId("ab".repeat(32)).slice(0, -1)}1`, "🙂"])("are not %j", (wrong) => {
    expect(() => parseIdParam("txHash", wrong)).toThrow("txHash must be an ID: cb58 of 32 bytes, got");
    expect(() => parseNodeIdParam("nodeId", wrong)).toThrow("nodeId must be a node ID: NodeID- and the cb58 of 20 bytes, got");
  });
});

test("A list of more items than any list may have is refused before they are read", () => {
  expect(() => parseAddresses(",".repeat(1_000_000), context, { max: 1024 })).toThrow("a comma-separated list may have at most 8192 items");
});
