/**
 * Where imports of recordings are: in LMDB, in their directories; or in PostgreSQL, one database for each directory. With
 * FIRN_TEST_STORE=postgres whatever imports recordings through `checkpoints.ts` does so into the PostgreSQL of the tests.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { allTables } from "../../src/cli/all-tables.ts";
import { storeNetwork } from "../../src/ingest/store-network.ts";
import type { NetworkInstance } from "../../src/network/network.ts";
import type { Serving } from "../../src/server/serve.ts";
import { openStore } from "../../src/store/open.ts";
import type { PostgresPlace } from "../../src/store/postgres/place.ts";
import type { Store } from "../../src/store/store.ts";
import { sharedServerPort } from "../postgres/shared-server.ts";
import { serveHere, serveStoreHere } from "../server/serve-here.ts";

/** undefined: in LMDB, whatever is set for all */
const databases = new Map<string, string | undefined>();
let inPostgres: (() => Promise<string>) | undefined;
if (process.env.FIRN_TEST_STORE === "postgres")
  inPostgres = async () => `postgres://postgres@127.0.0.1:${await sharedServerPort()}/postgres`;

/** The store of this directory is in this database, which is empty. */
export function putInDatabase(directory: string, url: string): void {
  databases.set(directory, url);
}

export function keepInLmdb(directory: string): void {
  databases.set(directory, undefined);
}

/** Stores of directories that are used from now on are in databases of this server, which its owner removes. */
export function putAllInPostgres(serverUrl: string): void {
  inPostgres = async () => serverUrl;
}

/** undefined: the directory has a store in LMDB, or will have */
export async function databaseOf(directory: string): Promise<string | undefined> {
  if (databases.has(directory) || inPostgres === undefined) return databases.get(directory);
  const url = await newDatabase(await inPostgres());
  databases.set(directory, url);
  return url;
}

export async function openToWrite(directory: string, network: NetworkInstance): Promise<Store> {
  return openStore({ directory, mode: "write", network, isTemporary: true, ...(await placeOf(directory)) });
}

export async function openToRead(directory: string): Promise<Store> {
  return openStore({ directory, mode: "read", ...(await placeOf(directory)) });
}

/** Serves a store that nobody writes, with the clock at `time`, Unix seconds. */
export async function serveAt(directory: string, time: bigint): Promise<Serving> {
  if ((await databaseOf(directory)) === undefined) return serveHere(directory, { time });
  const store = await openToRead(directory);
  // the health checks look at its files
  mkdirSync(join(directory, "store"), { recursive: true });
  const { network } = await storeNetwork(store, directory);
  const serving = await serveStoreHere({ store, network }, directory, { time });
  return {
    url: serving.url,
    async stop() {
      await serving.stop();
      await store.close();
    },
  };
}

async function placeOf(directory: string): Promise<{ postgres?: PostgresPlace }> {
  const url = await databaseOf(directory);
  return url === undefined ? {} : { postgres: { address: { url }, tables: allTables } };
}

async function newDatabase(serverUrl: string): Promise<string> {
  const name = `firn_${randomBytes(6).toString("hex")}`;
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE DATABASE "${name}" TEMPLATE template0`);
  await client.end();
  return new URL(`/${name}`, serverUrl).href;
}
