import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressForm, readAddress } from "../../../explorer/src/screens/address/address-form.ts";
import { decodeBech32, encodeBech32Bytes } from "../../../src/base/bytes/bech32.ts";
import { formatEvmAddress } from "../../../src/base/bytes/evm-address.ts";

const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
const hrp = fc.constantFrom("avax", "fuji", "local", "custom");

function problemOf(form: AddressForm): string {
  if (form.kind !== "none") throw new Error(`${form.address} is an address`);
  return form.problem;
}

describe("bech32", () => {
  test("every address that the node writes is read, with each chain's letter and without, in small and in capital letters", () => {
    fc.assert(
      fc.property(address, hrp, fc.constantFrom("P", "X", "C", undefined), fc.boolean(), (bytes, prefix, chain, isUpper) => {
        const text = encodeBech32Bytes(prefix, bytes);
        const shown = `${chain === undefined ? "" : `${chain}-`}${isUpper ? text.toUpperCase() : text}`;
        expect(readAddress(shown, prefix)).toEqual({ kind: "bech32", address: text, chain });
      }),
    );
  });

  test("a text is an address exactly if the node decodes it to 20 bytes of this network", () => {
    const mutated = fc
      .tuple(fc.uint8Array({ minLength: 18, maxLength: 22 }), hrp, fc.nat(80), fc.constantFrom("", "q", "1", "b", "Q", "ä", " "), fc.nat(2))
      .map(([bytes, prefix, at, character, removed]) => {
        const text = encodeBech32Bytes(prefix, bytes);
        return text.slice(0, at) + character + text.slice(at + removed);
      });
    fc.assert(
      fc.property(mutated, hrp, (text, prefix) => {
        fc.pre(!text.startsWith("0x") && !text.includes("-"));
        let isAddress = false;
        try {
          const decoded = decodeBech32(text);
          isAddress = decoded.hrp === prefix && decoded.bytes.length === 20;
        } catch {}
        expect(readAddress(text, prefix).kind).toBe(isAddress ? "bech32" : "none");
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["P-fuji18jma8ppw3nhx5r4ap8clazz0dps7rv5u6wmu4t", "another network, whose addresses begin with fuji1"],
    ["Q-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u", "this begins with Q-"],
    ["local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96v", "a character is wrong or missing"],
    ["local18jma8ppw3nhx5r4ap8clazb0dps7rv5u00z96u", "“b” after the 1"],
    ["local18Jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u", "both small and capital letters"],
    ["x", "this has 1 characters"],
    ["nothing-like-it", "this begins with nothing-"],
    ["somewords", "no 1 with a prefix"],
  ])("%s is refused, saying what is wrong and what would be right", (text, reason) => {
    const problem = problemOf(readAddress(text, "local"));
    expect(problem).toContain(reason);
    expect(problem).toContain("An address is local1… with or without P-, X- or C-, or 0x and 40 hex digits");
  });
});

describe("0x", () => {
  test("every 20 bytes are read in small letters, in capital letters and with the checksum, and get the checksum", () => {
    fc.assert(
      fc.property(address, (bytes) => {
        const digits = Buffer.from(bytes).toString("hex");
        const expected = formatEvmAddress(digits);
        for (const text of [`0x${digits}`, `0X${digits.toUpperCase()}`, expected, digits]) {
          expect(readAddress(text, "local")).toEqual({ kind: "evm", address: expected, isChecksumWrong: false });
        }
      }),
    );
  });

  test("a wrong checksum is noticed", () => {
    const form = readAddress("0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52Fc", "local");
    expect(form).toEqual({ kind: "evm", address: "0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC", isChecksumWrong: true });
  });

  test.each([
    ["0x12", "this has 2"],
    [`0x${"ab".repeat(32)}`, "the hash of a block or transaction"],
    [`0x${"zz".repeat(20)}`, "other characters"],
  ])("%s is refused with the reason", (text, reason) => {
    expect(problemOf(readAddress(text, "local"))).toContain(reason);
  });
});
