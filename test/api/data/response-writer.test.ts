import fc from "fast-check";
import Type from "typebox";
import { describe, expect, test } from "vitest";
import { responseSteps, responseWriter } from "../../../src/api/data/response-writer.ts";

const item = Type.Object({
  id: Type.String(),
  count: Type.Integer(),
  share: Type.Optional(Type.Number()),
  isStaked: Type.Optional(Type.Boolean()),
  kind: Type.Union([Type.Literal("a"), Type.Literal("b")]),
  nothing: Type.Optional(Type.Null()),
  free: Type.Optional(Type.Unknown()),
  byName: Type.Optional(Type.Record(Type.String(), Type.Object({ status: Type.String() }))),
  list: Type.Array(Type.String()),
});
const schema = Type.Object({ items: Type.Array(item) });
const write = responseWriter(schema);

const items = fc.record(
  {
    id: fc.string({ unit: "binary" }),
    count: fc.integer(),
    share: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    isStaked: fc.boolean(),
    kind: fc.constantFrom("a" as const, "b" as const),
    nothing: fc.constant(null),
    free: fc.jsonValue(),
    byName: fc.dictionary(fc.string({ unit: "binary" }), fc.record({ status: fc.string() })),
    list: fc.array(fc.string({ unit: "grapheme" })),
  },
  { requiredKeys: ["id", "count", "kind", "list"], noNullPrototype: true },
);

describe("An answer", () => {
  test("is the JSON that JSON.stringify would make, for any strings and numbers", () => {
    fc.assert(
      fc.property(fc.array(items), (list) => {
        const answer = { items: list };
        expect(JSON.parse(write(answer))).toEqual(JSON.parse(JSON.stringify(answer)));
      }),
    );
  });

  test("with long lists is the same when it is written in pieces, each of few items", () => {
    const answer = { items: Array.from({ length: 100 }, (_, count) => ({ id: "é", count, kind: "a", list: [] })) };
    const steps = responseSteps(schema)(answer);
    let pieces = 0;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        expect(step.value).toBe(write(answer));
        break;
      }
      pieces++;
    }
    expect(pieces).toBeGreaterThan(9);
    const wrong = { items: [...answer.items, { ...answer.items[0], count: "1" }] };
    expect(() => [...responseSteps(schema)(wrong)]).toThrow('answer.items[].count must be integer, is "1"');
  });

  test("has only members of the schema, and none that are absent", () => {
    const answer = { items: [{ id: "x", count: 1, kind: "a", list: [], secret: "y", share: undefined }], more: 1 };
    expect(write(answer)).toBe('{"items":[{"id":"x","count":1,"kind":"a","list":[]}]}');
  });

  test("has a comma between any members that are there, whichever may be absent", () => {
    const text = () => Type.String();
    const forms = {
      ...{ none: Type.Object({}), all: Type.Object({ a: Type.Optional(text()), b: Type.Optional(text()), c: Type.Optional(text()) }) },
      ...{ late: Type.Object({ a: Type.Optional(text()), b: Type.Optional(text()), c: text(), d: Type.Optional(text()), e: text() }) },
    };
    const writers = Object.entries(forms).map(([name, form]) => ({ name, writeForm: responseWriter(form) }));
    fc.assert(
      fc.property(
        fc.record(Object.fromEntries([..."abcde"].map((name) => [name, fc.string()])), { requiredKeys: ["c", "e"] }),
        (answer) => {
          for (const { name, writeForm } of writers) {
            const names = { none: "", all: "abc", late: "abcde" }[name]!;
            expect(JSON.parse(writeForm(answer))).toEqual(
              Object.fromEntries(Object.entries(answer).filter(([one]) => names.includes(one))),
            );
          }
        },
      ),
    );
  });

  test("may have bigints where the schema has integers", () => {
    const answer = { items: [{ id: "x", count: 18_446_744_073_709_551_615n, kind: "b", list: [] }] };
    expect(write(answer)).toContain('"count":18446744073709551615');
  });

  test.each([
    [{ count: "1" }, 'answer.items[].count must be integer, is "1"'],
    [{ count: 1.5 }, "answer.items[].count must be integer, is 1.5"],
    [{ id: undefined }, "answer.items[].id must be string, is missing"],
    [{ id: null }, "answer.items[].id must be string, is null"],
    [{ kind: "c" }, 'answer.items[].kind must be a or b, is "c"'],
    [{ share: Number.NaN }, "answer.items[].share must be number, is null"],
    [{ list: [1] }, "answer.items[].list[] must be string, is 1"],
    [{ list: "x" }, 'answer.items[].list must be a list, is "x"'],
  ])("with %j is a defect: %s", (wrong, message) => {
    expect(() => write({ items: [{ id: "x", count: 1, kind: "a", list: [], ...wrong }] })).toThrow(message);
  });
});

describe("A value of several forms", () => {
  const active = Type.Object({ status: Type.Literal("active"), stake: Type.Integer() });
  const completed = Type.Object({ status: Type.Literal("completed"), reward: Type.String() });

  test("each item takes its own", () => {
    const list = responseWriter(Type.Object({ items: Type.Array(Type.Union([active, completed])) }));
    const answer = {
      items: [
        { status: "completed", reward: "5", stake: 3 },
        { status: "active", stake: 2n },
      ],
    };
    expect(list(answer)).toBe('{"items":[{"status":"completed","reward":"5"},{"status":"active","stake":2}]}');
    expect(() => list({ items: [{ status: "active" }] })).toThrow("answer.items[] must be one of 2 forms");
  });

  test("of a whole answer, the first item of its list tells", () => {
    const pages = responseWriter(Type.Union([Type.Object({ items: Type.Array(active) }), Type.Object({ items: Type.Array(completed) })]));
    expect(pages({ items: [{ status: "completed", reward: "5" }] })).toBe('{"items":[{"status":"completed","reward":"5"}]}');
    expect(pages({ items: [] })).toBe('{"items":[]}');
  });
});
