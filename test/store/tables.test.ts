import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { u8 } from "../../src/base/codec/codec.ts";
import { type Table, table } from "../../src/base/table/table.ts";
import { allTables } from "../../src/cli/store/all-tables.ts";
import { type Clash, clashesOf } from "./distinct-tables.ts";

const source = new URL("../../src/", import.meta.url).pathname;
/** Every file that defines a table. */
const files = (readdirSync(source, { recursive: true }) as string[])
  .filter((name) => name.endsWith(".ts") && name !== join("base", "table", "table.ts"))
  .map((name) => ({ name, text: readFileSync(join(source, name), "utf8") }))
  .filter(({ text }) => /= table\(\{/.test(text));

/** The IDs that a file may use: as its header gives them, or the header of `tables.ts` in its folder. */
function rangeOf(file: string): readonly [number, number] {
  const headers = [file, join(dirname(file), "tables.ts")].map((path) => files.find(({ name }) => name === path)?.text ?? "");
  const range = headers.map((text) => /Table IDs (\d+)–(\d+)/.exec(text)).find((range) => range !== null);
  if (!range) throw new Error(`${file} defines tables; say "Table IDs a–b" in its first comment, or in that of tables.ts beside it`);
  const [, first, last] = range;
  return [Number(first), Number(last)];
}

async function tablesOf(name: string): Promise<Table[]> {
  const exported: unknown[] = Object.values(await import(join(source, name)));
  return exported.filter((value): value is Table => typeof value === "object" && value !== null && "id" in value && "key" in value);
}

describe("the tables of all folders", () => {
  test.each(files)("$name: every table has an ID in the range of its file or folder", async ({ name, text }) => {
    const tables = await tablesOf(name);
    expect(tables).toHaveLength(text.match(/= table\(\{/g)!.length);
    const [first, last] = rangeOf(name);
    for (const { id } of tables) expect(id >= first && id <= last, `${id} is between ${first} and ${last}`).toBe(true);
  });

  test("have IDs, names and ranges of their own", async () => {
    const tables = (await Promise.all(files.map(({ name }) => tablesOf(name)))).flat();
    expect(tables.length).toBeGreaterThan(30);
    expect(clashesOf(tables)).toEqual([]);
    const ranges = new Map(files.map(({ name }) => [rangeOf(name).join(), rangeOf(name)]));
    const ascending = [...ranges.values()].sort(([a], [b]) => a - b);
    for (let i = 1; i < ascending.length; i++) expect(ascending[i]![0]).toBeGreaterThan(ascending[i - 1]![1]);
  });

  test("are all in the registry of the commands", async () => {
    const tables = (await Promise.all(files.map(({ name }) => tablesOf(name)))).flat();
    expect(allTables).toEqual(tables.sort((a, b) => a.id - b.id));
  });

  test("are all known to the compiler's check", () => {
    const check = readFileSync(new URL("distinct-tables.ts", import.meta.url), "utf8");
    for (const { name } of files) expect(check).toContain(`typeof import("../../src/${name}")`);
  });

  test("that share an ID or a name are both named, by the compiler too", () => {
    const coins = table({ id: 903, name: "coins", key: { owner: u8 }, value: {} });
    const notes = table({ id: 903, name: "notes", key: { owner: u8 }, value: { worth: u8 } });
    const other = table({ id: 904, name: "coins", key: { owner: u8 }, value: {} });
    expect(clashesOf([coins, notes, other])).toEqual([
      "tables coins and notes both have ID 903",
      "tables 903 and 904 are both named coins",
    ]);
    const sameId: Clash<typeof coins | typeof notes>[] = ["ID 903 is that of coins", "ID 903 is that of notes"];
    const sameName: Clash<typeof coins | typeof other>[] = ["coins is the name of table 903", "coins is the name of table 904"];
    // @ts-expect-error two tables with IDs and names of their own do not clash
    const none: Clash<typeof notes | typeof other>[] = ["ID 903 is that of notes"];
    expect([sameId, sameName, none].flat()).toHaveLength(5);
  });
});
