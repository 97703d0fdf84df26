/** What texts can be, by their form. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { readingsOf } from "../../../../src/api/data/search/readings.ts";
import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { formatEvmAddress } from "../../../../src/base/bytes/evm-address.ts";

const network = { hrp: "avax" };
const read = (text: string) => readingsOf(text, network);
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array).toString("hex"));

test("Any text can be read, and has a problem or a reading unless nothing of it is visible", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: "binary", maxLength: 200 })), (text) => {
      const { name, understoodAs } = read(text);
      expect(understoodAs.includes("a name")).toBe(name !== undefined);
      if (/[a-z0-9]/i.test(text)) expect(name).toBeDefined();
    }),
  );
});

test("A mistyped character of an ID, an address or a node ID is told", () => {
  const id = bytes(32).map(formatId);
  const node = bytes(20).map(formatNodeId);
  const owner = bytes(20).map((owner) => `X-${encodeBech32("avax", owner)}`);
  fc.assert(
    fc.property(fc.oneof(id, node, owner), fc.nat(), fc.constantFrom("2", "3", "7"), (text, at, other) => {
      // behind what tells the form
      const start = text.startsWith("NodeID-") ? 7 : text.startsWith("X-") ? 7 : 0;
      const place = start + (at % (text.length - start));
      fc.pre(text[place] !== other);
      const { problems, id, owner, nodeId } = read(text.slice(0, place) + other + text.slice(place + 1));
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain("look for a mistyped or missing character");
      expect([id, owner, nodeId]).toEqual([undefined, undefined, undefined]);
    }),
  );
});

test("A wrong checksum of an EVM address is told without the right one, and no other address is taken for wrong", () => {
  fc.assert(
    fc.property(bytes(20), fc.nat(), (address, at) => {
      const right = formatEvmAddress(address);
      for (const text of [right, `0x${address}`, `0x${address.toUpperCase()}`, address]) {
        expect(read(text)).toMatchObject({ evmAddress: address, problems: [] });
      }
      const letters = [...right].flatMap((letter, i) => (i > 1 && /[a-f]/i.test(letter) ? [i] : []));
      fc.pre(letters.length > 0);
      const place = letters[at % letters.length]!;
      const letter = right[place]!;
      const swapped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      const wrong = right.slice(0, place) + swapped + right.slice(place + 1);
      const isOneCase = wrong.slice(2) === wrong.slice(2).toLowerCase() || wrong.slice(2) === wrong.slice(2).toUpperCase();
      const { problems, evmAddress } = read(wrong);
      expect(evmAddress).toBe(address);
      expect(problems.length).toBe(isOneCase ? 0 : 1);
      if (!isOneCase) expect(problems[0]).toContain(`the checksum of "${wrong}" is wrong`);
      expect(problems.join()).not.toContain(right);
    }),
  );
});

test.each([
  ["1,234,567", { number: 1_234_567n }],
  ["1 234", { number: 1234n }],
  ["007", { number: 7n }],
  ["18446744073709551615", { number: 2n ** 64n - 1n }],
  ["  Wrapped\u200b  AVAX\u202e ", { name: "wrapped avax" }],
  ["ＵＳＤＣ", { name: "usdc" }],
])("%s is read", (text, wanted) => {
  expect(read(text)).toMatchObject(wanted);
});

test.each(["18446744073709551616", "1,23", "-1", "1.5", "0x"])("%s is no height", (text) => {
  expect(read(text).number).toBeUndefined();
});

test("An address of another network, and hex digits of another length, are told", () => {
  const fuji = encodeBech32("fuji", "11".repeat(20));
  expect(read(`P-${fuji}`).problems).toEqual([`"P-${fuji}" is an address of another network: here addresses begin with avax1`]);
  expect(read("0x1234").problems).toEqual(['"0x1234" has 4 hex digits; an address has 40, a hash has 64']);
  expect(read("0x12xy").problems).toEqual(['"0x12xy" has other characters than hex digits after 0x']);
});
