import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Table } from "../../src/primitives/table.ts";

const source = new URL("../../src/", import.meta.url).pathname;
/** Every file that defines a table. */
const files = (readdirSync(source, { recursive: true }) as string[])
  .filter((name) => name.endsWith(".ts") && name !== join("primitives", "table.ts"))
  .map((name) => ({ name, text: readFileSync(join(source, name), "utf8") }))
  .filter(({ text }) => /= table\(\{/.test(text));

/** The IDs that a file may use: as its header gives them, or the header of `tables.ts` in its folder. */
function rangeOf(file: string): readonly [number, number] {
  const headers = [file, join(dirname(file), "tables.ts")].map((path) => files.find(({ name }) => name === path)?.text ?? "");
  const [, first, last] = headers.map((text) => /Table IDs (\d+)–(\d+)/.exec(text)).find((range) => range !== null)!;
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
    expect(new Set(tables.map(({ id }) => id)).size).toBe(tables.length);
    expect(new Set(tables.map(({ name }) => name)).size).toBe(tables.length);
    const ranges = new Map(files.map(({ name }) => [rangeOf(name).join(), rangeOf(name)]));
    const ascending = [...ranges.values()].sort(([a], [b]) => a - b);
    for (let i = 1; i < ascending.length; i++) expect(ascending[i]![0]).toBeGreaterThan(ascending[i - 1]![1]);
  });
});
