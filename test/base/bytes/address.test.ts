import { bech32, bech32m } from "@scure/base";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeBech32, formatAddress, parseAddress, parseServiceAddress } from "../../../src/base/bytes/address.ts";
import { decodeBech32, encodeBech32Bytes } from "../../../src/base/bytes/bech32.ts";
import { parseId } from "../../../src/base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { messageOf } from "../codec/error-text.ts";

const ADDRESS = "445566778899aabb445566778899aabb44556677";
const X_CHAIN_ID = parseId("2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM");
const chains = new Map([
  ["P", PLATFORM_CHAIN_ID],
  ["X", X_CHAIN_ID],
]);
const rules = { hrp: "avax", chainId: PLATFORM_CHAIN_ID, resolveAlias: (alias: string) => chains.get(alias) };
const parse = (text: string) => parseServiceAddress(text, rules);

describe("bech32", () => {
  test("agrees with an independent implementation", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.constantFrom("avax", "fuji", "custom", "local"), (bytes, hrp) => {
        const text = encodeBech32Bytes(hrp, bytes);
        expect(text).toBe(bech32.encodeFromBytes(hrp, bytes));
        expect(bech32.decodeToBytes(text).bytes).toEqual(bytes);
      }),
    );
  });

  test("20 bytes come back as they were, in upper case and with the other checksum too", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
        const expected = { hrp: "fuji", bytes: Buffer.from(bytes) };
        const text = encodeBech32Bytes("fuji", bytes);
        expect(decodeBech32(text)).toEqual(expected);
        expect(decodeBech32(text.toUpperCase())).toEqual(expected);
        expect(decodeBech32(bech32m.encodeFromBytes("fuji", bytes))).toEqual(expected);
      }),
    );
  });

  test("groups are padded to whole bytes: 19 bytes come back as 20, 32 as 33", () => {
    const ones = (length: number) => new Uint8Array(length).fill(1);
    expect(decodeBech32(encodeBech32Bytes("avax", ones(19))).bytes).toEqual(Buffer.from([...ones(19), 0]));
    expect(decodeBech32(encodeBech32Bytes("avax", ones(32))).bytes).toHaveLength(33);
  });
});

describe("address", () => {
  test.each([
    ["avax", "avax18jma8ppw3nhx5r4ap8clazz0dps7rv5ukulre5"],
    ["fuji", "fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t"],
    ["local", "local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u"],
    ["custom", "custom18jma8ppw3nhx5r4ap8clazz0dps7rv5u9xde7p"],
  ])("under %s is %s", (hrp, text) => {
    expect(encodeBech32(hrp, "3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c")).toBe(text);
    expect(encodeBech32(hrp, "3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c")).toBe(text); // remembered
  });

  test("is read with its chain, and as bare cb58 for any chain", () => {
    expect(formatAddress("P", "avax", ADDRESS)).toBe("P-avax1g32kvaugnx4tk3z4vemc3xd2hdz92enh972wxr");
    expect(parse("P-avax1g32kvaugnx4tk3z4vemc3xd2hdz92enh972wxr")).toBe(ADDRESS);
    expect(parse("P-AVAX1G32KVAUGNX4TK3Z4VEMC3XD2HDZ92ENH972WXR")).toBe(ADDRESS);
    expect(parse("7EKFm18KvWqcxMCNgpBSN51pJnEr1cVUb")).toBe(ADDRESS);
    expect(parseAddress(`X-${encodeBech32("avax", ADDRESS)}`, rules)).toEqual({ chainId: X_CHAIN_ID, address: ADDRESS });
  });

  const bytes = (length: number) => encodeBech32Bytes("avax", new Uint8Array(length));
  test.each([
    ["", "no separator found in address"],
    ["avax1g32kvaugnx4tk3z4vemc3xd2hdz92enh972wxr", "no separator found in address"],
    ["P-a1qqqqq", "invalid bech32 string length 7"],
    [`P-${"a".repeat(91)}`, "invalid bech32 string length 91"],
    ["P-avax1g32 kvaugnx", "invalid character in string: ' '"],
    ["P-avax1é32kvaugnx", "invalid character in string: 'Ã'"],
    ["P-avax1G32kvaugnx", "string not all lowercase or all uppercase"],
    ["P-avaxg32kvaugnx", "invalid separator index -1"],
    ["P-1g32kvaugnx", "invalid separator index 0"],
    ["P-avaxg32kv1augnx", "invalid separator index 9"],
    ["P-avax1g32bvaugnx", "invalid character not part of charset: 98"],
    ["P-avax1g32kvaugnx4tk3z4vemc3xd2hdz92enh972wxx", "invalid checksum (expected (bech32=972wxr, bech32m=972wxrsz6zrp), got 972wxx)"],
    ["Q-avax1g32kvaugnx4tk3z4vemc3xd2hdz92enh972wxr", "there is no ID with alias: Q"],
    [`P-${encodeBech32("fuji", ADDRESS)}`, 'expected hrp "avax" but got "fuji"'],
    [`P-${bytes(21)}`, "invalid hash length: expected 20 bytes but got 22"],
    [`P-${bytes(32)}`, "invalid hash length: expected 20 bytes but got 33"],
    [`X-${bytes(32)}`, "invalid hash length: expected 20 bytes but got 33"],
    [
      `X-${encodeBech32("avax", ADDRESS)}`,
      'mismatched chainIDs: expected "11111111111111111111111111111111LpoYY" but got "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM"',
    ],
  ])("%j is refused: %s", (text, cause) => {
    expect(messageOf(() => parse(text))).toBe(`couldn't parse address "${text}": ${cause}`);
  });

  test("the input is quoted as the node quotes it", () => {
    expect(messageOf(() => parse('a"\\\n\u0001\u200bé\u{1f600}'))).toBe(
      'couldn\'t parse address "a\\"\\\\\\n\\x01\\u200bé\u{1f600}": no separator found in address',
    );
  });
});
