/** Checks the imports of `src/` against the table in ARCHITECTURE.md. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { expect, test } from "vitest";

const ROW = /^\| `([\w/-]+)` \| .+ \| (?:–|([\w/, -]+)) \|$/;
const IMPORT = /(?:\bfrom|\bimport\(?)\s*"(\.[^"]+)"/g;

interface Folder {
  readonly name: string;
  readonly mayImport: readonly string[];
}

const folders: Folder[] = readFileSync("ARCHITECTURE.md", "utf8")
  .split("\n")
  .flatMap((line) => {
    const row = ROW.exec(line);
    return row === null ? [] : [{ name: row[1]!, mayImport: row[2]?.split(", ") ?? [] }];
  });

/** The longest name in the table that a file is below; undefined: none. */
function folderOf(file: string): string | undefined {
  const below = folders.filter(({ name }) => file.startsWith(`${name}/`));
  return below.sort((a, b) => b.name.length - a.name.length)[0]?.name;
}

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, path]) => normalize(join(dirname(file), path!)));
}

/** `folder → folder`, with a file and what it imports, of all files. */
const crossings = new Map<string, string>();
const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => relative(".", file));
for (const file of files) {
  for (const imported of importsOf(file, readFileSync(join("src", file), "utf8"))) {
    const [from, to] = [folderOf(file), folderOf(imported)];
    if (from !== to) crossings.set(`${from} → ${to}`, `src/${file} imports src/${imported}`);
  }
}
const allowed = folders.flatMap(({ name, mayImport }) => mayImport.map((other) => `${name} → ${other}`));

test("every file of src is in a folder that the table names", () => {
  expect(files.filter((file) => folderOf(file) === undefined)).toEqual([]);
});

test("a folder imports only rows above its own", () => {
  const above = (name: string) =>
    folders
      .slice(
        0,
        folders.findIndex((folder) => folder.name === name),
      )
      .map((folder) => folder.name);
  for (const { name, mayImport } of folders) {
    expect({ name, below: mayImport.filter((other) => !above(name).includes(other)) }).toEqual({ name, below: [] });
  }
});

test("no import crosses folders that the table keeps apart", () => {
  expect(
    [...crossings].filter(([crossing]) => !allowed.includes(crossing)).map(([crossing, example]) => `${crossing}: ${example}`),
  ).toEqual([]);
});

test("the table allows nothing that nobody imports", () => {
  expect(allowed.filter((crossing) => !crossings.has(crossing))).toEqual([]);
});

test.each([
  ["primitives", "data"],
  ["network", "platform"],
  ["source", "data"],
  ["store", "devnet"],
  ["rpc", "data"],
  ["ingest", "server"],
  ["index", "server"],
  ["data", "server"],
])("%s may not import %s", (from, to) => {
  expect(allowed).not.toContain(`${from} → ${to}`);
});
