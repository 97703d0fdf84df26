import { FirnError } from "../../primitives/errors.ts";

/** Errors of the operating system and of LMDB, said in the store's words. Anything else is passed on. */
export function storeError(error: unknown, directory: string): unknown {
  if (!(error instanceof Error) || error instanceof FirnError) return error;
  const text = error.message;
  const facts = { directory, cause: text };
  if (text.includes("MDB_MAP_FULL") || code === -30792) {
    return new FirnError("store-full", `the store in ${directory} has reached its size limit; raise --max-store-bytes`, facts, {
      cause: error,
    });
  }
  if (text.includes("No space left on device") || code === "ENOSPC" || code === 28) {
    return new FirnError(
      "store-full",
      `${directory} cannot grow (${text}); free space on its disk and start again: the store is intact`,
      facts,
      {
        cause: error,
      },
    );
  }
  if (text.includes("MDB_INVALID") || text.includes("MDB_CORRUPTED") || text.includes("MDB_VERSION_MISMATCH")) {
    return new FirnError("store-damaged", `${directory} holds no readable store: ${text}`, facts, { cause: error });
  }
  return error;
}

/** ENOSPC, EFBIG, EDQUOT, and LMDB's own word when it cannot map more. */
const FULL = ["No space left on device", "File too large", "Disk quota exceeded", "MDB_MAP_FULL"];

export function limitReached(directory: string, maxBytes: number): FirnError {
  return new FirnError("store-full", `the store in ${directory} has reached its limit of ${maxBytes} bytes; raise --max-store-bytes`, {
    directory,
    maxBytes,
  });
}
