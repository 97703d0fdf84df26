/** The SQL of docs/store-postgres.md, run on the store of a recording. */
import { readFileSync } from "node:fs";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { allTables } from "../../src/cli/all-tables.ts";
import { validations } from "../../src/index/primary/staking/staking-tables.ts";
import { utxoRecords } from "../../src/index/primary/utxos/utxo-tables.ts";
import { outputAddresses, unlockedOutput, utxo } from "../../src/platform/output.ts";
import { decodeAll } from "../../src/primitives/codec/codec.ts";
import { copyRows } from "../../src/store/copy.ts";
import { openStore } from "../../src/store/open.ts";
import { type Store, scanAll } from "../../src/store/store.ts";
import { importUntil } from "../conformance/checkpoints.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { hasPostgres, skipReason } from "../postgres/binaries.ts";
import { scratchDatabase, scratchRole } from "../postgres/scratch-database.ts";
import { scratchDirectory } from "./scratch.ts";

const page = readFileSync(new URL("../../docs/store-postgres.md", import.meta.url), "utf8");
const [roles, validators, balances] = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql!);

/** A recording's store, in a file and in PostgreSQL. */
async function copied(): Promise<{ store: Store; url: string }> {
  const directory = scratchDirectory();
  await importUntil(recordingFolder("latest-1"), directory, {}, "replay");
  const { url } = await scratchDatabase();
  const store = await openStore({ directory, mode: "write" });
  onTestFinished(() => store.close());
  const target = await openStore({
    directory: "",
    postgres: { address: { url }, tables: allTables },
    mode: "write",
    isUnfinishedCopy: true,
  });
  await copyRows({ from: store, to: target, tables: allTables, onStep: () => {}, signal: new AbortController().signal });
  await target.close();
  return { store, url };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  // the database may be dropped first
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.skipIf(!hasPostgres)(`the SQL of the page${skipReason}`, () => {
  test("a role of analysts reads the store, and neither writes it nor reads other schemas", async () => {
    const { url } = await copied();
    const owner = await connected(url);
    await owner.query("CREATE SCHEMA private; CREATE TABLE private.secrets AS SELECT 1 AS secret");
    const analyst = await scratchRole();
    const grants = roles!.replace(/CREATE ROLE .*\n/, "").replaceAll("analyst", analyst);
    await owner.query(grants);
    const client = await connected(url.replace("postgres@", `${analyst}@`));
    expect((await client.query("SELECT count(*)::int AS rows FROM firn.validations")).rows[0].rows).toBeGreaterThan(0);
    await expect(client.query("INSERT INTO firn.known_nodes VALUES (1000000, '')")).rejects.toThrow("read-only transaction");
    await client.query("SET default_transaction_read_only = off");
    await expect(client.query("INSERT INTO firn.known_nodes VALUES (1000000, '')")).rejects.toThrow("permission denied");
    await expect(client.query("SELECT * FROM private.secrets")).rejects.toThrow("permission denied");
  });

  test("validators by stake are those of the index", async () => {
    const { store, url } = await copied();
    const expected: { node_id: string; weight: string; delegated: string }[] = [];
    for await (const { value } of scanAll(store, validations)) {
      if (value.status !== 1 || value.subnetId !== "00".repeat(32)) continue;
      expected.push({ node_id: value.nodeId, weight: `${value.weight}`, delegated: `${value.delegators.weight}` });
    }
    expected.sort((a, b) => Number(BigInt(b.weight) - BigInt(a.weight)) || (a.node_id < b.node_id ? -1 : 1));
    expect(expected.length).toBeGreaterThan(0);
    expect((await (await connected(url)).query(validators!)).rows).toEqual(expected);
  });

  test("balances at a height are the sums of the UTXOs that were there", async () => {
    const { store, url } = await copied();
    const sums = new Map<string, bigint>();
    for await (const { value } of scanAll(store, utxoRecords)) {
      const { createdOn, consumedOn, height, spent, bytes } = value;
      if (createdOn !== 0 || consumedOn !== 0 || height > 10n || (spent !== undefined && spent.height <= 10n)) continue;
      const { output } = decodeAll(utxo, bytes);
      const [address, ...others] = outputAddresses(output);
      if (others.length === 0) sums.set(address!, (sums.get(address!) ?? 0n) + unlockedOutput(output).amount);
    }
    const expected = [...sums]
      .map(([address, balance]) => ({ address, balance: `${balance}` }))
      .sort((a, b) => (a.address < b.address ? -1 : 1));
    expect(expected.length).toBeGreaterThan(1);
    expect((await (await connected(url)).query(balances!)).rows).toEqual(expected);
  });
});
