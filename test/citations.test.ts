/** Checks that every citation of a spec in code, tests and pages (`chain-rules 10.18`) names a section of docs/reference. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const PAGES = readdirSync("docs/reference")
  .map((name) => name.replace(/\.md$/, ""))
  .filter((name) => name !== "README");

/** Names that begin like a page's are taken for one, so that a typo in a name is found too. A name of one word stands for itself. */
const NAME = [...new Set(PAGES.map((page) => page.replace(/-.*/, "-[a-z-]+")))].join("|");
const NUMBER = String.raw`E?\d+(?:\.\d+)*`;
/** A page and its sections: one, several with commas, or ranges. A comment's line may end in between. */
const CITATION = new RegExp(String.raw`(?<![\w/.-])(${NAME})[\s*]+(${NUMBER}(?:(?:–|,[\s*]+)${NUMBER})*)`, "g");
/** A section of the page itself. */
const WITHIN = new RegExp(`§(${NUMBER})`, "g");
const HEADING = new RegExp(`^(#{2,4}) (${NUMBER})[. ].*$`, "gm");

interface Section {
  readonly name: string;
  readonly level: number;
  readonly text: string;
}

interface Citation {
  readonly place: string;
  /** `page number` */
  readonly sections: readonly string[];
}

/** The first one is the page itself, before its first heading. */
function sectionsOf(page: string): Section[] {
  const text = readFileSync(`docs/reference/${page}.md`, "utf8");
  const headings = [...text.matchAll(HEADING)].map(({ 1: hashes, 2: number, index }) => ({
    name: `${page} ${number}`,
    level: hashes!.length,
    index,
  }));
  return [{ name: page, level: 1, index: 0 }, ...headings].map(({ name, level, index }, place) => ({
    name,
    level,
    text: text.slice(index, headings[place]?.index),
  }));
}

/** `8.1–8.3` is 8.1, 8.2 and 8.3; a range that does not go up within one chapter stays as it is, and is found nowhere. */
function expand(range: string): string[] {
  const [, chapter, first, until, last] = /^(.*?)(\d+)–(.*?)(\d+)$/.exec(range) ?? [];
  if (first === undefined || chapter !== until || Number(first) >= Number(last)) return [range];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, offset) => `${chapter}${Number(first) + offset}`);
}

function citations(file: string, text: string): Citation[] {
  return [...text.matchAll(CITATION)].map(({ 1: page, 2: numbers, index }) => ({
    place: `${file}:${text.slice(0, index).split("\n").length}`,
    sections: numbers!.split(/,[\s*]+/).flatMap((range) => expand(range).map((number) => `${page} ${number}`)),
  }));
}

const sections = PAGES.flatMap(sectionsOf);
const known = new Set(sections.map(({ name }) => name));

function unresolved(cited: readonly Citation[]): string[] {
  return cited.flatMap(({ place, sections }) =>
    sections.filter((name) => !known.has(name)).map((name) => `${place} cites ${name}, which docs/reference does not have`),
  );
}

const files = [
  ...["src", "test", "bench", "docs", "scripts", "examples"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  ),
  ...readdirSync(".").filter((name) => name.endsWith(".md")),
].filter((file) => /\.(?:ts|js|md)$/.test(file) && !file.startsWith("docs/reference/README"));
const inFiles = files.flatMap((file) => citations(file, readFileSync(file, "utf8")));

/** What a section says of others: of its own page with §, of other pages as code does. */
function references({ name, text }: Section): string[] {
  const page = name.split(" ")[0]!;
  const within = [...text.matchAll(WITHIN)].map(([, number]) => `${page} ${number}`);
  return [...within, ...citations(name, text).flatMap(({ sections }) => sections)];
}

/** Places of the sections that something needs: cited ones with all below, what is above those, and what these refer to. */
function needed(): Set<number> {
  const found = new Set<number>();
  const visit = (place: number): void => {
    if (found.has(place)) return;
    found.add(place);
    for (const name of references(sections[place]!)) cite(name);
  };
  const cite = (name: string): void => {
    const place = sections.findIndex((section) => section.name === name);
    if (place < 0) return;
    let { level } = sections[place]!;
    const after = sections.findIndex((section, other) => other > place && section.level <= level);
    for (let below = place; below !== after && below < sections.length; below++) visit(below);
    for (let above = place; level > 1; above--) {
      if (sections[above]!.level >= level) continue;
      level = sections[above]!.level;
      visit(above);
    }
  };
  const outside = inFiles.filter(({ place }) => !place.startsWith("docs/reference/"));
  for (const { sections: names } of outside) for (const name of names) cite(name);
  return found;
}

test("every citation of a spec is a section of docs/reference", () => {
  expect(unresolved(inFiles)).toEqual([]);
  expect(inFiles.length).toBeGreaterThan(200);
});

test("every § on a page is a section of that page", () => {
  const missing = sections.flatMap((section) =>
    references(section)
      .filter((name) => !known.has(name))
      .map((name) => `${section.name}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test("docs/reference holds no section that nobody cites", () => {
  const places = needed();
  expect(sections.filter((_, place) => !places.has(place)).map(({ name }) => name)).toEqual([]);
});

test("no section stands twice", () => {
  expect(known.size).toBe(sections.length);
});

test.each([
  ["a section that does not exist", "chain-rules", "99.1", ["99.1"]],
  ["a page that does not exist", "chain-rule", "16", ["16"]],
  ["one of several", "chain-formats", "9.1, 9.9", ["9.9"]],
  ["the end of a range", "chain-rules", "8.1–8.6", ["8.5", "8.6"]],
  ["a range that goes down", "chain-rules", "8.3–8.1", ["8.3–8.1"]],
  ["a number on the comment's next line", "rpc-platform\n *", "7.7", ["7.7"]],
])("a wrong citation is found: %s", (_, page, numbers, wrong) => {
  const found = unresolved(citations("src/some.ts", `/**\n * What it is (${page} ${numbers}).\n */`));
  const name = page.split("\n")[0];
  expect(found).toEqual(wrong.map((number) => `src/some.ts:2 cites ${name} ${number}, which docs/reference does not have`));
});
