import { expect, test } from "vitest";
import { didYouMean, nearName } from "../../../src/base/text/near-name.ts";

const names = ["httpPort", "httpHost", "dataDir", "limits"];

test.each([
  ["httpProt", "httpPort"],
  ["http-port", "httpPort"],
  ["HTTP_HOST", "httpHost"],
  ["datadirectory", undefined],
  ["limit", "limits"],
  ["", undefined],
  ["x".repeat(1_000_000), undefined],
])("of the names, %s is like %s", (given, meant) => {
  expect(nearName(given, names)).toBe(meant);
  expect(didYouMean(given, names)).toBe(meant === undefined ? "" : `; did you mean ${meant}?`);
});
