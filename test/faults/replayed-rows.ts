import { FirnError } from "../../src/base/errors/errors.ts";
import { verifyStore } from "../../src/cli/verify/verify-store.ts";

/**
 * Throws unless every row of a store is what executing its blocks again produces. Returns the number of rows, 0 if the process that created
 * the store was killed before it wrote any.
 */
export async function requireReplayed(directory: string, scratch: string): Promise<number> {
  try {
    const { isSound, problems, rows } = await verifyStore({
      directory,
      scratch,
      replayMs: undefined,
      signal: new AbortController().signal,
    });
    if (!isSound) throw new Error(`a kill left rows that do not follow from the blocks:\n${problems.join("\n")}`);
    return rows;
  } catch (error) {
    if (error instanceof FirnError && error.code === "store-missing") return 0;
    throw error;
  }
}
