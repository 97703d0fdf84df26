import fc from "fast-check";
import Type from "typebox";
import { describe, expect, test } from "vitest";
import { DataError } from "../../../src/api/data/errors.ts";
import { csv, pageQuery, repeated, sortQuery, splitCsv, timeQuery } from "../../../src/api/data/paging.ts";
import { bodyReader, type Sent, textReader } from "../../../src/api/data/request-reader.ts";

const query = Type.Object({
  ...pageQuery(),
  ...sortQuery,
  ...timeQuery,
  addresses: Type.Optional(csv("Addresses.")),
  txTypes: Type.Optional(repeated(["BaseTx", "ImportTx"], "Types.")),
  includeSpent: Type.Optional(Type.Boolean()),
  minFeePercentage: Type.Optional(Type.Number({ minimum: 2, maximum: 100 })),
  amount: Type.Optional(Type.String({ title: "a number from 0 on", pattern: "^[0-9]+$" })),
  vertexHeight: Type.Integer({ minimum: 0 }),
});
const read = textReader(query);
const readWith = (sent: Sent) => read({ vertexHeight: "1", ...sent });
const DEFAULTS = { pageSize: 10, sortOrder: "desc", vertexHeight: 1 };

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof DataError && error.status === 400) return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("A query", () => {
  test("gets its defaults, and what the schema does not name is left out", () => {
    expect(readWith({ rltoken: "secret", token: "x", includeInactive: "true" })).toEqual(DEFAULTS);
  });

  test("becomes numbers, booleans and lists", () => {
    const sent = { pageSize: "100", includeSpent: "false", txTypes: "BaseTx", minFeePercentage: "2.5", startTimestamp: "0" };
    expect(readWith(sent)).toEqual({
      ...DEFAULTS,
      pageSize: 100,
      includeSpent: false,
      txTypes: ["BaseTx"],
      minFeePercentage: 2.5,
      startTimestamp: 0,
    });
    expect(readWith({ txTypes: ["BaseTx", "ImportTx"] }).txTypes).toEqual(["BaseTx", "ImportTx"]);
    expect(readWith({ txTypes: "BaseTx,ImportTx" }).txTypes).toEqual(["BaseTx", "ImportTx"]);
    expect(readWith({ txTypes: ["BaseTx,ImportTx", "BaseTx"] }).txTypes).toEqual(["BaseTx", "ImportTx", "BaseTx"]);
  });

  test.each([
    [{ pageSize: "0" }, "pageSize must be an integer from 1 to 100, got 0"],
    [{ pageSize: "101" }, "pageSize must be an integer from 1 to 100, got 101"],
    [{ pageSize: "ten" }, 'pageSize must be an integer from 1 to 100, got "ten"'],
    [{ pageSize: "1e1" }, 'pageSize must be an integer from 1 to 100, got "1e1"'],
    [{ pageSize: "" }, 'pageSize must be an integer from 1 to 100, got ""'],
    [{ pageSize: ["1", "2"] }, 'pageSize must be an integer from 1 to 100, got 2 values: "1, 2"'],
    [{ amount: "-1" }, "amount must be a number from 0 on, got -1"],
    [{ sortOrder: "up" }, 'sortOrder must be asc or desc, got "up"'],
    [{ startTimestamp: "-1" }, "startTimestamp must be an integer from 0 on, got -1"],
    [{ endTimestamp: "99999999999999999999" }, "endTimestamp must be an integer from 0 on, got 99999999999999999999"],
    [{ includeSpent: "1" }, "includeSpent must be true or false, got 1"],
    [{ txTypes: ["BaseTx", "NoTx"] }, 'txTypes must be values, each BaseTx or ImportTx, got 2 values: "BaseTx, NoTx"'],
    [{ txTypes: "BaseTx,NoTx" }, 'txTypes must be values, each BaseTx or ImportTx, got "BaseTx,NoTx"'],
    [{ minFeePercentage: "1.9" }, "minFeePercentage must be a number from 2 to 100, got 1.9"],
    [{ addresses: ["a", "b"] }, 'addresses must be one text, got 2 values: "a, b"'],
    [{ vertexHeight: undefined }, "vertexHeight is missing; it must be an integer from 0 on"],
  ])("%j is refused: %s", (sent, message) => {
    expect(refusal(() => readWith(sent))).toBe(message);
  });

  test("is read whatever is sent: a value, or a refusal of one line that names the parameter", () => {
    const names = fc.constantFrom(...Object.keys(query.properties));
    const values = fc.oneof(fc.string({ unit: "binary" }), fc.array(fc.string()), fc.double().map(String), fc.bigInt().map(String));
    fc.assert(
      fc.property(names, values, (name, value) => {
        try {
          readWith({ [name]: value });
        } catch (error) {
          expect(error).toBeInstanceOf(DataError);
          expect((error as DataError).message).toMatch(new RegExp(`^${name} must be [^\n]{1,300}$`));
        }
      }),
    );
  });
});

test("A schema that requests are not read by is refused when the route is made", () => {
  expect(() => textReader(Type.Object({ when: Type.String({ format: "date" }) }))).toThrow("keyword format");
});

describe("A body", () => {
  const readBody = bodyReader(Type.Object({ addresses: Type.String(), most: Type.Optional(Type.Integer()) }));

  test("has the types of JSON", () => {
    expect(readBody({ addresses: "a,b", most: 3, other: null })).toEqual({ addresses: "a,b", most: 3 });
    expect(refusal(() => readBody({ addresses: ["a"] }))).toBe('addresses must be one text, got 1 values: "a"');
    expect(refusal(() => readBody({ addresses: "a", most: "3" }))).toBe("most must be an integer, got 3");
    expect(refusal(() => readBody({ addresses: "a", most: null }))).toBe("most must be an integer, got null");
  });

  test.each([[undefined], [null], [[]], ["a"], [7]])("must be an object, not %j", (body) => {
    expect(refusal(() => readBody(body))).toBe("the body must be a JSON object with addresses, most");
  });
});

test("A list in one parameter is split, trimmed and named once", () => {
  expect(splitCsv(" a, b,,a ,c")).toEqual(["a", "b", "c"]);
  expect(splitCsv(" , ")).toEqual([]);
});
