import type { ConfigName } from "../config.ts";

/** Configuration keys of commands that open a store. */
export const STORE_KEYS = ["dataDir", "store", "storePasswordFile"] as const satisfies readonly ConfigName[];
