/**
 * Where imports of recordings are: in LMDB, in their directories; or in PostgreSQL, one database for each directory. With
 * FIRN_TEST_STORE=postgres whatever imports recordings through `checkpoints.ts`, or follows recorded chains, does so into the PostgreSQL of
 * the tests; with FIRN_TEST_STORE=postgres://… into databases that it makes on that server, which may be a coordinator of Citus.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { allTables } from "../../src/cli/store/all-tables.ts";
import { storeNetwork } from "../../src/ingest/store-network.ts";
import type { NetworkInstance } from "../../src/network/network.ts";
import type { Serving } from "../../src/serve/serve.ts";
import { openStore } from "../../src/store/open.ts";
import type { PostgresPlace } from "../../src/store/postgres/place.ts";
import type { Store } from "../../src/store/store.ts";
import { dropDatabase, makeDatabase } from "../postgres/made-database.ts";
import { sharedServerPort } from "../postgres/shared-server.ts";
import { serveHere, serveStoreHere } from "../serve/serve-here.ts";

/** undefined: in LMDB, whatever is set for all */
const databases = new Map<string, string | undefined>();
/** those made here, with their servers */
const made = new Map<string, string>();
let databasesMade = 0;
let server: (() => Promise<string>) | undefined;
const { FIRN_TEST_STORE: asked } = process.env;
if (asked === "postgres") server = async () => `postgres://postgres@127.0.0.1:${await sharedServerPort()}/postgres`;
else if (asked !== undefined) putAllInPostgres(asked);

/** The store of this directory is in this database, which is empty. */
export function putInDatabase(directory: string, url: string): void {
  databases.set(directory, url);
}

export function keepInLmdb(directory: string): void {
  databases.set(directory, undefined);
}

/**
 * Stores of directories that are used from now on are in databases of this server, which may be a coordinator of Citus.
 * @returns puts them where they were before, and tells how many were made meanwhile
 */
export function putAllInPostgres(serverUrl: string): () => number {
  const [before, madeBefore] = [server, databasesMade];
  server = async () => serverUrl;
  return () => {
    server = before;
    return databasesMade - madeBefore;
  };
}

/** undefined: the directory has a store in LMDB, or will have */
export async function databaseOf(directory: string): Promise<string | undefined> {
  if (databases.has(directory) || server === undefined) return databases.get(directory);
  const serverUrl = await server();
  const url = await makeDatabase(serverUrl);
  databases.set(directory, url);
  made.set(url, serverUrl);
  databasesMade++;
  return url;
}

/** The directory, with its store wherever that is. */
export async function removeStore(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const url = databases.get(directory) ?? "";
  databases.delete(directory);
  const serverUrl = made.get(url);
  if (serverUrl !== undefined) await dropDatabase(serverUrl, url);
  made.delete(url);
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
