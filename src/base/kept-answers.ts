/** This process's cache for answers and validator sets that may be requested again, within one limit: `keptBytes`. */
import { CacheSpace } from "./collections/bounded-cache.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

export const keptAnswers = new CacheSpace(DEFAULT_LIMITS.keptBytes);
