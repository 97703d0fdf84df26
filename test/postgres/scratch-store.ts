/** Stores in databases that are gone after the test. */
import { onTestFinished } from "vitest";
import { allTables } from "../../src/cli/store/all-tables.ts";
import type { PostgresAddress } from "../../src/store/postgres/address.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres.ts";
import type { PostgresStore } from "../../src/store/postgres/pg-store.ts";
import { scratchDatabase } from "./scratch-database.ts";

/** An empty store, to write to. */
export async function scratchPostgresStore(): Promise<{ store: PostgresStore; address: PostgresAddress }> {
  const { url } = await scratchDatabase();
  return { store: await opened({ url }, "write"), address: { url } };
}

/** A store as a process has it that only reads. */
export function readingStore(address: PostgresAddress): Promise<PostgresStore> {
  return opened(address, "read");
}

async function opened(address: PostgresAddress, mode: "read" | "write"): Promise<PostgresStore> {
  const store = await openPostgresStore({ address, tables: allTables }, { mode });
  onTestFinished(() => store.close());
  return store;
}
