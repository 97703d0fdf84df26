import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { referencePages } from "../scripts/reference-pages.ts";

test("the reference pages are what `npm run docs` writes, and leave no definition without a sentence", async () => {
  for (const [path, text] of await referencePages()) {
    expect(readFileSync(path, "utf8"), `${path} differs: run npm run docs`).toBe(text);
    expect(text, path).not.toMatch(/\| {2}\|/);
  }
});
