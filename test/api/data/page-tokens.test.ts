import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Position } from "../../../src/api/data/context.ts";
import type { Filter } from "../../../src/api/data/page-token-codec.ts";
import { PageTokens } from "../../../src/api/data/page-tokens.ts";
import { openTokenSecret } from "../../../src/api/data/token-secret.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const tokens = new PageTokens(Buffer.alloc(32, 1));
const NONE = new Map<string, Filter>();

const text = fc.string({ unit: "grapheme", maxLength: 30 });
const hex = fc.uint8Array({ minLength: 1, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex"));
const value = fc.oneof(text, hex, fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.double({ noNaN: true }));
const name = fc.stringMatching(/^[a-z]{1,10}$/);
const positions: fc.Arbitrary<Position> = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true });
const filters = fc
  .dictionary(name, fc.oneof(text, fc.array(text, { maxLength: 5 })), { maxKeys: 5, noNullPrototype: true })
  .map((entries): ReadonlyMap<string, Filter> => new Map(Object.entries(entries)));

describe("A page token", () => {
  test("gives position and filters back, whatever they are, in the characters that clients replay", () => {
    fc.assert(
      fc.property(positions, filters, (position, sent) => {
        const token = tokens.seal("list", position, sent);
        expect(token).toMatch(/^[A-Za-z0-9_-]{1,512}$/);
        const opened = tokens.open("list", token, sent);
        expect(opened.position).toStrictEqual(position);
        expect(new Map(opened.filters)).toEqual(sent);
      }),
    );
  });

  test("wins over filters that are sent with it, and over those that are sent anew", () => {
    const token = tokens.seal("list", { height: 5n }, new Map([["sortOrder", "asc"]]));
    const sent = new Map<string, Filter>([
      ["sortOrder", "desc"],
      ["assetId", "other"],
    ]);
    expect(tokens.open("list", token, sent).filters).toEqual(new Map([["sortOrder", "asc"]]));
  });

  test("is refused with any one character changed, left out or added", () => {
    const token = tokens.seal("list", { height: 5n, id: "ab".repeat(32) }, new Map([["addresses", "avax1abc"]]));
    const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=.: ";
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...characters, ""), (at, character) => {
        fc.pre(token[at] !== character);
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect(() => tokens.open("list", changed, NONE)).toThrow("pageToken is not from this list");
      }),
      { numRuns: 2000 },
    );
    expect(() => tokens.open("list", `${token}A`, NONE)).toThrow("pageToken is not from this list");
  });

  test.each(["", "x", "1f7b4c0e-8f2a-4a52-9a5f-0c2f6f8f4d11", "A".repeat(10_000), "%00"])("is not %j", (token) => {
    expect(() => tokens.open("list", token, NONE)).toThrow("pageToken is not from this list");
  });

  test("is refused by another list and under another secret", () => {
    const token = tokens.seal("list", { height: 5n }, NONE);
    expect(() => tokens.open("other", token, NONE)).toThrow("pageToken is not from this list");
    expect(() => new PageTokens(Buffer.alloc(32, 2)).open("list", token, NONE)).toThrow("pageToken is not from this list");
  });

  test("asks for a list of addresses again that is too long to carry, and for the same one", () => {
    const addresses = Array.from({ length: 64 }, (_, index) => `avax1${String(index).padStart(38, "q")}`).join(",");
    const sent = new Map<string, Filter>([
      ["addresses", addresses],
      ["sortBy", "amount"],
    ]);
    const token = tokens.seal("list", { amount: 7n, id: "cd".repeat(32) }, sent);
    expect(token.length).toBeLessThanOrEqual(512);
    expect(tokens.open("list", token, new Map([["addresses", addresses]])).filters).toEqual(sent);
    expect(() => tokens.open("list", token, NONE)).toThrow("addresses must be sent again with this pageToken");
    expect(() => tokens.open("list", token, new Map([["addresses", "avax1other"]]))).toThrow(
      "addresses must be the same as in the request",
    );
  });

  test("carries a repeated parameter of any number of values, or asks for it again", () => {
    const many = Array.from({ length: 300 }, () => "");
    const sent = new Map<string, Filter>([["txTypes", many]]);
    expect(tokens.open("list", tokens.seal("list", {}, sent), sent).filters).toEqual(sent);
  });
});

describe("The secret of page tokens", () => {
  test("is made once, is the owner's alone, and stays", () => {
    const directory = scratchDirectory();
    const secret = openTokenSecret(directory);
    expect(secret).toHaveLength(32);
    expect(openTokenSecret(directory)).toEqual(secret);
    const path = join(directory, "data-api", "page-token.key");
    expect(readFileSync(path)).toEqual(secret);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(openTokenSecret(scratchDirectory())).not.toEqual(secret);
  });

  test("that was cut off is not used", () => {
    const directory = scratchDirectory();
    mkdirSync(join(directory, "data-api"), { recursive: true });
    writeFileSync(join(directory, "data-api", "page-token.key"), "short");
    expect(() => openTokenSecret(directory)).toThrow("has 5 bytes, not 32");
  });
});
