import type { StorePlace } from "../../store/open.ts";
import type { PostgresAddress } from "../../store/postgres/address.ts";
import { type Config, ConfigError } from "../config.ts";
import { allTables } from "./all-tables.ts";
import type { STORE_KEYS } from "./store-keys.ts";

export type StoreConfig = Pick<Config, (typeof STORE_KEYS)[number]>;

export function storePlace({ dataDir, store, storePasswordFile }: StoreConfig): StorePlace {
  if (store === undefined) return { directory: dataDir };
  return { directory: dataDir, postgres: { address: { url: store, passwordFile: storePasswordFile }, tables: allTables } };
}

/** The URLs of the store's database. They have its users and passwords. */
export function storeReplicas({ store, storeReplica, storePasswordFile }: StoreConfig & Pick<Config, "storeReplica">): PostgresAddress[] {
  if (store === undefined && storeReplica.length > 0) {
    throw new ConfigError("config", "storeReplica is given without store; use --store for the database whose standbys these are");
  }
  return storeReplica.map((url) => ({ url, passwordFile: storePasswordFile }));
}
