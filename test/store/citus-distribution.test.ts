import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { allTables } from "../../src/cli/store/all-tables.ts";
import { utxosByTime } from "../../src/index/primary/utxos/utxo-tables.ts";
import { BudgetedReader } from "../../src/store/budgeted-reader.ts";
import { placementOf, reasonOf, unboundColumn, unknownExceptions } from "../../src/store/postgres/citus-distribution.ts";

test("every exception is of a table, and every distribution column is of its key", () => {
  expect(unknownExceptions(allTables)).toEqual([]);
  for (const table of allTables) {
    const placement = placementOf(table);
    if (placement.kind === "distributed") expect(Object.keys(table.key), table.name).toContain(placement.column);
  }
});

test("docs/store-citus.md lists every table that the rule does not place", () => {
  const rows = allTables.flatMap((table) => {
    const reason = reasonOf(table);
    if (reason === undefined) return [];
    const placement = placementOf(table);
    return [`| \`${table.name}\` | ${placement.kind === "local" ? "–" : `\`${placement.column}\``} | ${reason} |`];
  });
  const page = readFileSync("docs/store-citus.md", "utf8").split("\n");
  expect(page.filter((line) => /^\| `[a-z0-9_]+` \|/.test(line))).toEqual(rows);
});

test("a range that leaves the distribution column open is named, one that gives it or is of a local table is not", () => {
  expect(unboundColumn(utxosByTime, { chain: 0 })).toBe("listId");
  expect(unboundColumn(utxosByTime)).toBe("listId");
  expect(unboundColumn(utxosByTime, { chain: 0, listId: "00".repeat(20) })).toBeUndefined();
  const local = allTables.find(({ name }) => name === "known_nodes")!;
  expect(unboundColumn(local)).toBeUndefined();
});

test("a request's read of such a range fails where tests serve", async () => {
  await import("./bound-reads.ts");
  const reader = new BudgetedReader({} as never, {} as never, {} as never);
  expect(() => reader.scan(utxosByTime, { prefix: { chain: 0 }, limit: 1 })).toThrow(
    "a request reads a range of utxos_by_time without listId, which would ask all nodes of Citus",
  );
});
