import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonError, JsonToken } from "../../../src/base/json/go-decode.ts";
import { compactJson, JsonWriter, stringJson } from "../../../src/base/json/go-encode.ts";

const latin1 = (text: string) => Buffer.from(text).toString("latin1");

/** The value of a token, read with nothing but tokens. */
function readValue(token: JsonToken): unknown {
  switch (token.kind) {
    case "object": {
      const members: [string, unknown][] = [];
      token.members((name, value) => members.push([name, readValue(value)]));
      return Object.fromEntries(members);
    }
    case "array":
      return token.elements().map(readValue);
    case "string":
      return token.text;
    default:
      return JSON.parse(token.raw);
  }
}

function errorOf(text: string): string {
  try {
    JsonToken.first(latin1(text));
  } catch (error) {
    if (error instanceof JsonError) return error.message;
    throw error;
  }
  return "none";
}

describe("reading", () => {
  test("gives the value that JSON.parse gives, whatever blanks are between", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(readValue(JsonToken.first(latin1(`${text} tail`)))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("accepts a text exactly if JSON.parse does, when nothing follows it", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      "\\",
      "\\u00",
      "1",
      "-",
      "0",
      ".",
      "e",
      "+",
      "true",
      "nul",
      "null",
      " ",
      "\n",
      "\u0001",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (isJson) expect(errorOf(text)).toBe("none");
        else if (errorOf(text) === "none") expect(() => JSON.parse(JsonToken.first(text).raw)).not.toThrow();
      }),
      { numRuns: 5000 },
    );
  });

  test("says what is wrong in Go's words", () => {
    const texts: [string, string][] = [
      ["", "EOF"],
      [" \n", "EOF"],
      ['{"a', "unexpected EOF"],
      ["tru", "unexpected EOF"],
      ["trux", "invalid character 'x' in literal true (expecting 'e')"],
      ["'", "invalid character '\\'' looking for beginning of value"],
      ['{"a" 1}', "invalid character '1' after object key"],
      ['{"a":1 "', "invalid character '\"' after object key:value pair"],
      ["[1 2]", "invalid character '2' after array element"],
      ["[-]", "invalid character ']' in numeric literal"],
      ["[1.]", "invalid character ']' after decimal point in numeric literal"],
      ["[1e]", "invalid character ']' in exponent of numeric literal"],
      ['["\\u00g0"]', "invalid character 'g' in \\u hexadecimal character escape"],
      ['["\\x"]', "invalid character 'x' in string escape code"],
      ['["\u0001"]', "invalid character '\\x01' in string literal"],
      ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
      ["[".repeat(10_001), "invalid character '[' exceeded max depth"],
    ];
    expect(texts.map(([text]) => errorOf(text))).toEqual(texts.map(([, message]) => message));
  });

  test("replaces what is no UTF-8 byte by byte, and lone surrogates, by U+FFFD", () => {
    const textOf = (bytes: string) => JsonToken.first(bytes).text;
    expect(textOf('"\xe2\x82x"')).toBe("\ufffd\ufffdx");
    expect(textOf('"\xed\xa0\x80"')).toBe("\ufffd\ufffd\ufffd");
    expect(textOf('"\\ud800\\ud83d\\ude00"')).toBe("\ufffd😀");
    expect(textOf('"\xf0\x9f\x98\x80\\/\\b"')).toBe("😀/\b");
  });

  test("takes no longer for deep or long values than their length asks for", () => {
    const deep = `${"[".repeat(9_999)}${"]".repeat(9_999)}`;
    expect(JsonToken.first(deep).end).toBe(deep.length);
    const long = `"${"\\\\".repeat(300_000)}"`;
    expect(compactJson(` ${long}`)).toBe(long);
  });
});

describe("writing", () => {
  test("gives text that JSON.parse reads back, with HTML and line separators escaped", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const json = stringJson(text);
        expect(JSON.parse(json)).toBe(text);
        expect(json).not.toMatch(/[<>&\u2028\u2029]/);
      }),
    );
  });

  test("keeps the order of members, leaves undefined ones out, and prints integers of any size", () => {
    const value = { b: 18446744073709551615n, a: undefined, "1e": [1.5, 1e21, 1e-7, null, true], c: { "<": "&" } };
    expect(new JsonWriter().value(value).finish()).toBe(
      '{"b":18446744073709551615,"1e":[1.5,1e+21,1e-7,null,true],"c":{"\\u003c":"\\u0026"}}',
    );
  });

  test("compacts a raw token outside of its strings only", () => {
    expect(compactJson('{ "a b" :\n[ 1.50 ,"\\" <" ] }')).toBe('{"a b":[1.50,"\\" \\u003c"]}');
    expect(compactJson(latin1('"\u2028é"'))).toBe(latin1('"\\u2028é"'));
  });
});
