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

/** The IDs of a folder, as the header of its `tables.ts` gives them. */
function rangeOf(folder: string): readonly number[] {
  const { text = "" } = files.find(({ name }) => name === join(folder, "tables.ts")) ?? {};
  return /Table IDs (\d+)–(\d+)/.exec(text)!.slice(1).map(Number);
}

async function tablesOf(name: string): Promise<Table[]> {
  const exported: unknown[] = Object.values(await import(join(source, name)));
  return exported.filter((value): value is Table => typeof value === "object" && value !== null && "id" in value && "key" in value);
}

describe("the tables of all folders", () => {
  test.each(files)("$name: every table has an ID in the range of its folder", async ({ name, text }) => {
    const tables = await tablesOf(name);
    expect(tables).toHaveLength(text.match(/= table\(\{/g)!.length);
    const [first, last] = rangeOf(dirname(name));
    for (const { id } of tables) expect(id >= first! && id <= last!, `${id} is between ${first} and ${last}`).toBe(true);
  });

  test("have IDs, names and ranges of their own", async () => {
    const tables = (await Promise.all(files.map(({ name }) => tablesOf(name)))).flat();
    expect(tables.length).toBeGreaterThan(30);
    expect(new Set(tables.map(({ id }) => id)).size).toBe(tables.length);
    expect(new Set(tables.map(({ name }) => name)).size).toBe(tables.length);
    const ranges = [...new Set(files.map(({ name }) => dirname(name)))].map(rangeOf).sort(([a], [b]) => a! - b!);
    for (let i = 1; i < ranges.length; i++) expect(ranges[i]![0]).toBeGreaterThan(ranges[i - 1]![1]!);
  });
});
