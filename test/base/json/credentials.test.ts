import { expect, test } from "vitest";
import { withoutCredentials } from "../../../src/base/json/credentials.ts";

test.each([
  ["postgres:/firn:secret@db/firn", '"…@db/firn"'],
  ["firn:sec@ret@db", '"…@db"'],
  ['firn:se"cret@db', '"…@db"'],
  ["postgres//db/firn?password=secret&x=1", '"postgres//db/firn?password=…&x=1"'],
  [["http://a/", "htp://u:secret@b"], '["http://a/","…@b"]'],
  [{ rpc: "ws:/u:secret@a", name: "x" }, '{"rpc":"…@a","name":"x"}'],
  ["http://127.0.0.1", '"http://127.0.0.1"'],
])("%j is shown without what is secret", (value, shown) => {
  expect(withoutCredentials(JSON.stringify(value))).toBe(shown);
});
