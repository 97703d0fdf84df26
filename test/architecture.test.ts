/** Holds the imports of `src/` against the table of rooms in ARCHITECTURE.md, and against those of folders in the rooms' pages. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

const ROW = /^\| `([\w/-]+)` \| .+ \| (?:–|([\w/, -]+)) \|$/;
const IMPORT = /(?:\bfrom|\bimport\(?)\s*"(\.[^"]+)"/g;

interface Folder {
  readonly name: string;
  readonly mayImport: readonly string[];
}

const rowsOf = (page: string) =>
  readFileSync(page, "utf8")
    .split("\n")
    .flatMap((line): Folder[] => {
      const row = ROW.exec(line);
      return row === null ? [] : [{ name: row[1]!, mayImport: row[2]?.split(", ") ?? [] }];
    });
const rooms = rowsOf("ARCHITECTURE.md");
const folders = rooms.flatMap(({ name }) => rowsOf(`src/${name}/README.md`));

/** The longest name that a file is below; undefined: none. */
function folderOf(file: string, among: readonly Folder[]): string | undefined {
  const below = among.filter(({ name }) => file.startsWith(`${name}/`));
  return below.sort((a, b) => b.name.length - a.name.length)[0]?.name;
}

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const imports: readonly (readonly [string, string])[] = files.flatMap((file) =>
  [...readFileSync(join("src", file), "utf8").matchAll(IMPORT)].map(
    ([, path]) => [file, normalize(join(dirname(file), path!)).replaceAll("\\", "/")] as const,
  ),
);
const roomOf = (file: string) => file.split("/")[0]!;

/** `folder → folder`, with a file and what it imports. */
const between = new Map<string, string>();
const inside = new Map<string, string>();
for (const [file, imported] of imports) {
  const [isSameRoom, among] = roomOf(file) === roomOf(imported) ? [true, folders] : [false, rooms];
  const [from, to] = [folderOf(file, among), folderOf(imported, among)];
  if (from !== to) (isSameRoom ? inside : between).set(`${from} → ${to}`, `src/${file} imports src/${imported}`);
}

test("every folder of src is a room", () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual(rooms.map(({ name }) => name).sort());
});

describe.each([
  { among: "rooms", table: rooms, crossings: between },
  { among: "folders of a room", table: folders, crossings: inside },
])("the $among", ({ table, crossings }) => {
  const allowed = table.flatMap(({ name, mayImport }) => mayImport.map((other) => `${name} → ${other}`));

  test("import only rows above their own", () => {
    const names = table.map(({ name }) => name);
    const isAbove = (other: string, name: string) => names.includes(other) && names.indexOf(other) < names.indexOf(name);
    const wrong = table.flatMap(({ name, mayImport }) =>
      mayImport.filter((other) => !isAbove(other, name)).map((other) => `${name} → ${other}`),
    );
    expect(wrong).toEqual([]);
  });

  test("import only what their row names", () => {
    expect(
      [...crossings].filter(([crossing]) => !allowed.includes(crossing)).map(([crossing, example]) => `${crossing}: ${example}`),
    ).toEqual([]);
  });

  test("import all that their row names", () => {
    expect(allowed.filter((crossing) => !crossings.has(crossing))).toEqual([]);
  });
});

/** A circle of files that import each other, types included; undefined: there is none. */
function circleIn(folder: string): readonly string[] | undefined {
  const importsOf = (file: string) =>
    [...readFileSync(file, "utf8").matchAll(IMPORT)].flatMap(([statement, path]) =>
      statement.startsWith("import") ? [] : [normalize(join(dirname(file), path!))],
    );
  const done = new Set<string>();
  const road: string[] = [];
  const circleFrom = (file: string): readonly string[] | undefined => {
    if (road.includes(file)) return [...road.slice(road.indexOf(file)), file];
    if (done.has(file)) return undefined;
    road.push(file);
    for (const imported of importsOf(file)) {
      const circle = circleFrom(imported);
      if (circle !== undefined) return circle;
    }
    road.pop();
    done.add(file);
    return undefined;
  };
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const circle = /\.tsx?$/.test(file) ? circleFrom(join(folder, file)) : undefined;
    if (circle !== undefined) return circle;
  }
  return undefined;
}

test.each(["src", "explorer/src"])("no files of %s import each other in a circle, not even types", (folder) => {
  expect(circleIn(folder)).toBeUndefined();
});

test("every file that ARCHITECTURE.md and the rooms' pages name is there", () => {
  const ofExplorer = readdirSync("explorer/src", { recursive: true, encoding: "utf8" });
  const paths = [...files.map((file) => `/src/${file}`), ...ofExplorer.map((file) => `/explorer/src/${file}`)];
  const isThere = (name: string) => existsSync(name) || paths.some((path) => path.endsWith(`/${name}`));
  const pages = ["ARCHITECTURE.md", ...rooms.map(({ name }) => `src/${name}/README.md`)];
  const named = pages.flatMap((page) => readFileSync(page, "utf8").match(/(?<![\w.*/-])(?:[\w-]+\/)*[\w-]+\.ts\b/g) ?? []);
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});

/** Otherwise an answer that depends on the time would be kept as one of the state: `beyondState`, `readClock` and `readHealth` say so. */
test("no handler reads a clock or facts of the process by itself", () => {
  const reads = /\bDate\.now\b|\bperformance\.|\bnew Date\(\)|\bhrtime\b|\bprocess\.(?!env)\w/;
  const handlers = files.filter((file) => /^api\/(?:rpc|data)\//.test(file));
  expect(handlers.length).toBeGreaterThan(200);
  expect(handlers.filter((file) => reads.test(readFileSync(join("src", file), "utf8")))).toEqual([]);
});

/** Imports that the table of rooms allows and that a folder never makes. */
test.each([
  ["api/access", ["chains", "devnet", "evm", "index", "network", "sources", "store"]],
  ["api/data", ["devnet"]],
  ["sources/archives", ["chains"]],
  ["sources/evm", ["chains/asset", "chains/platform", "network"]],
  ["sources/upstream", ["chains", "network"]],
  ["evm/decode", ["ingest", "store"]],
  ["evm/index", ["ingest", "sources/upstream"]],
  ["evm/tokens", ["ingest"]],
  ["serve/evm", ["index", "ingest"]],
])("nothing in %s imports %s", (folder, others) => {
  const wrong = imports.filter(([file, to]) => file.startsWith(`${folder}/`) && others.some((other) => to.startsWith(`${other}/`)));
  expect(wrong).toEqual([]);
});
