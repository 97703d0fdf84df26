import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeHex, encodeHexChecksummed, encodeHexPlain, hexBytes } from "../../../src/base/bytes/hex.ts";
import { messageOf } from "../codec/error-text.ts";

describe("hex of the API", () => {
  test("what was encoded decodes to itself, with and without a checksum", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(new Uint8Array(decodeHex(encodeHexChecksummed(bytes), { checksum: true }))).toEqual(bytes);
        expect(new Uint8Array(decodeHex(encodeHexPlain(bytes), { checksum: false }))).toEqual(bytes);
      }),
    );
  });

  test("only an even number of digits of hex is bytes, whatever else looks like a digit by its low byte", () => {
    const unit = fc.constantFrom(..."0aF", "g", "\u0130", "\u0161", "é", "\u{10030}", "\ud830");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 4 }), (text) => {
        const expected = /^([0-9a-f]{2})*$/i.test(text) ? text.toLowerCase() : undefined;
        expect(hexBytes(text)?.toString("hex")).toBe(expected);
      }),
    );
  });

  test("the checksum is the end of the SHA-256", () => {
    expect(encodeHexChecksummed(Buffer.from("0001", "hex"))).toBe("0x0001645bc8d2");
    expect(encodeHexChecksummed(Buffer.alloc(0))).toBe("0x7852b855");
    expect(encodeHexPlain(Buffer.alloc(0))).toBe("0x");
  });

  test("the empty text is no bytes, and digits may be in either case", () => {
    expect(decodeHex("", { checksum: true })).toHaveLength(0);
    expect(decodeHex("0x0001645BC8d2", { checksum: true }).toString("hex")).toBe("0001");
  });

  test.each([
    ["0001", "missing 0x prefix to hex encoding"],
    ["0X00", "missing 0x prefix to hex encoding"],
    ["0x0g", "encoding/hex: invalid byte: U+0067 'g'"],
    ["0xé0", "encoding/hex: invalid byte: U+00C3 'Ã'"],
    ["0x\u0130\u0130", "encoding/hex: invalid byte: U+00C4 'Ä'"],
    ["0x0\u0001", "encoding/hex: invalid byte: U+0001"],
    ["0x000", "encoding/hex: odd length hex string"],
    ["0x000z0", "encoding/hex: invalid byte: U+007A 'z'"],
    ["0x0001", "input string is smaller than the checksum size"],
    ["0x0001645bc8d3", "invalid input checksum"],
  ])("%j is refused: %s", (text, message) => {
    expect(messageOf(() => decodeHex(text, { checksum: true }))).toBe(message);
  });
});
