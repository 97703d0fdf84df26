import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { referencePages } from "../scripts/reference-pages.ts";

test("the reference pages are what `npm run docs` writes, and leave no definition without a sentence", async () => {
  for (const [path, text] of await referencePages()) {
    expect(readFileSync(path, "utf8"), `${path} differs: run npm run docs`).toBe(text);
    expect(text, path).not.toMatch(/\| {2}\|/);
  }
});

test("every link between the pages leads somewhere", () => {
  const pages = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    ...["docs", "src"].flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`)),
  ];
  for (const page of pages.filter((name) => name.endsWith(".md"))) {
    for (const [, target] of readFileSync(page, "utf8").matchAll(/\]\(([^)#]+)/g)) {
      if (!/^https?:/.test(target!)) expect(existsSync(join(dirname(page), target!)), `${page} links to ${target}`).toBe(true);
    }
  }
});

test("no page has npx run the npm package firn, which is another project's", () => {
  const pages = [
    ...readdirSync("docs", { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
    "README.md",
    "deploy/README.md",
  ];
  for (const page of pages.filter((name) => name.endsWith(".md") && existsSync(name)))
    expect(readFileSync(page, "utf8"), page).not.toMatch(/npx (-\S+ )*firn(?![\w-])/);
});
