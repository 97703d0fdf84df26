import type { StorePlace } from "../store/open.ts";
import { allTables } from "./all-tables.ts";
import type { Config } from "./config.ts";
import type { STORE_KEYS } from "./store-keys.ts";

export type StoreConfig = Pick<Config, (typeof STORE_KEYS)[number]>;

export function storePlace({ dataDir, store, storePasswordFile }: StoreConfig): StorePlace {
  if (store === undefined) return { directory: dataDir };
  return { directory: dataDir, postgres: { address: { url: store, passwordFile: storePasswordFile }, tables: allTables } };
}
