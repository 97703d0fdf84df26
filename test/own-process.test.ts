import { afterEach, expect, test } from "vitest";
import { refuseChangedFetch } from "./own-process.ts";

const original = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = original;
});

test("a file that leaves fetch replaced is refused unless it has a process of its own", () => {
  refuseChangedFetch("test/api/rpc/some.test.ts");
  globalThis.fetch = async () => new Response();
  refuseChangedFetch("test/sdk/data-some.test.ts");
  expect(() => refuseChangedFetch("test/api/rpc/some.test.ts")).toThrow("test/api/rpc/some.test.ts replaces fetch");
  expect(globalThis.fetch).toBe(original);
});
