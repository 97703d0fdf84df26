import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonError, LongText, SKIPPED, WHOLE } from "../../../src/base/json/json-events.ts";
import { JsonReader } from "../../../src/base/json/json-reader.ts";
import { JsonValue } from "../../../src/base/json/json-value.ts";

const NO_LIMITS = { maxDepth: 1e6, maxTextBytes: 1e9, maxBytes: 1e9 };

function read(
  text: string | Buffer,
  cuts: readonly number[] = [],
  { limits = NO_LIMITS, wanted = (_: string) => WHOLE as number } = {},
): unknown {
  const value = new JsonValue(wanted, limits.maxBytes);
  const reader = new JsonReader(value, limits);
  const bytes = Buffer.from(text);
  let start = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]) {
    reader.write(bytes.subarray(start, cut));
    start = cut;
  }
  reader.end();
  return value.result();
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });
/** texts with what is rare in them, and long ones */
const json = fc.oneof(
  fc.json(),
  fc.json({ stringUnit: "binary" }),
  fc.jsonValue({ maxDepth: 6 }).map((value) => JSON.stringify(value, null, "\t")),
  fc
    .record({ a: fc.string({ minLength: 200, maxLength: 600 }), __proto__: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })) })
    .map((value) => JSON.stringify(value)),
);

/** A lone surrogate does not survive the way over the wire. */
const sent = (text: string) => Buffer.from(text).toString("utf8");

function parsed(text: string): unknown {
  try {
    return { value: JSON.parse(sent(text)) };
  } catch {
    return "no JSON";
  }
}

function readOrNot(text: string, at: readonly number[]): unknown {
  try {
    return { value: read(text, at) };
  } catch (error) {
    expect(error).toBeInstanceOf(JsonError);
    return "no JSON";
  }
}

describe("the reader of JSON", () => {
  test("makes of any JSON what JSON.parse makes of it, wherever it is cut", () => {
    fc.assert(
      fc.property(json, cuts, (text, at) => {
        expect(read(text, at)).toStrictEqual(JSON.parse(sent(text)));
      }),
      { numRuns: 500 },
    );
  });

  test("refuses what JSON.parse refuses, and nothing else", () => {
    const damage = fc.record({
      at: fc.nat(),
      remove: fc.nat(3),
      insert: fc.constantFrom("", ",", "]", "}", "[", "{", '"', "\\", ":", "0", "-", "e", "nul", " ", "\n", "\\u12"),
    });
    fc.assert(
      fc.property(json, fc.array(damage, { maxLength: 3 }), cuts, (text, damages, at) => {
        let damaged = text;
        for (const { at: place, remove, insert } of damages) {
          const start = place % (damaged.length + 1);
          damaged = damaged.slice(0, start) + insert + damaged.slice(start + remove);
        }
        expect(readOrNot(damaged, at)).toStrictEqual(parsed(damaged));
      }),
      { numRuns: 1000 },
    );
  });

  test("leaves out what is not wanted, and tells of long texts only how long they are", () => {
    const wanted = (name: string) => (name === "skipped" ? SKIPPED : name === "short" ? 4 : WHOLE);
    fc.assert(
      fc.property(fc.json(), fc.string(), cuts, (any, text, at) => {
        const inner = JSON.stringify(text);
        const whole = `{"a":${any},"skipped":${any},"short":["12345",${inner}],"b":[{"skipped":[${any}],"c":"12345"}],"d":{"short":"1234"}}`;
        const bytes = Buffer.byteLength(inner) - 2;
        const got = read(whole, at, { wanted }) as Record<string, unknown>;
        const short = got.short as unknown[];
        expect(short[0]).toEqual(new LongText(5));
        expect(short[1]).toStrictEqual(bytes > 4 ? new LongText(bytes) : sent(text));
        expect(got.b).toStrictEqual([{ c: "12345" }]);
        expect(got.d).toStrictEqual({ short: "1234" });
        expect(Object.keys(got)).toEqual(["a", "short", "b", "d"]);
      }),
    );
  });

  test("ends at its limits of depth, of a text and of what it holds, which what is skipped does not count against", () => {
    const limits = { maxDepth: 10, maxTextBytes: 1000, maxBytes: 6000 };
    const over = (text: string) => expect(() => read(text, [], { limits })).toThrow(expect.objectContaining({ isTooLarge: true }));
    over("[".repeat(11));
    over(`[${"0,".repeat(150)}`);
    over(`["${"x".repeat(1001)}"`);
    over(`[${`"${"x".repeat(900)}",`.repeat(7)}`);
    over(`{"${"x".repeat(1001)}":1`);
    const skipping = { limits, wanted: () => SKIPPED };
    expect(read(`{"x":[${"0,".repeat(1000)}"${"y".repeat(5000)}"]}`, [7, 2500], skipping)).toEqual({});
    expect(() => read(`{"x":${"[".repeat(11)}`, [], skipping)).toThrow(/nested deeper/);
  });
});
