import { statfsSync } from "node:fs";
import { FirnError } from "../../primitives/errors.ts";

/** ENOSPC, EFBIG, EDQUOT, and LMDB's own word when it cannot map more. */
const FULL = ["No space left on device", "File too large", "Disk quota exceeded", "MDB_MAP_FULL"];
/** EIO: also what LMDB says of a write that only a part of found room */
const CUT_SHORT = "Input/output error";
const LITTLE_SPACE_BYTES = 1024 * 1024;
const DAMAGED = ["MDB_INVALID", "MDB_CORRUPTED", "MDB_VERSION_MISMATCH"];

/** Errors of the operating system and of LMDB, said in the store's words. Anything else is passed on. */
export function storeError(error: unknown, directory: string): unknown {
  if (!(error instanceof Error) || error instanceof FirnError) return error;
  const text = error.message;
  const failed = (code: string, message: string) => new FirnError(code, message, { directory, cause: text }, { cause: error });
  const isCutShort = text.includes(CUT_SHORT);
  if (FULL.some((reason) => text.includes(reason)) || (isCutShort && freeBytes(directory) < LITTLE_SPACE_BYTES)) {
    return failed("store-full", `${directory} cannot grow (${text}); free space on its disk and start again: the store is intact`);
  }
  if (isCutShort) {
    return failed(
      "store-write",
      `${directory} could not be written in full (${text}): look at its disk, quota and file size limit; the store is intact`,
    );
  }
  if (DAMAGED.some((reason) => text.includes(reason))) {
    return failed("store-damaged", `${directory} holds no readable store: ${text}`);
  }
  return error;
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

export function limitReached(directory: string, maxBytes: number): FirnError {
  return new FirnError("store-full", `the store in ${directory} has reached its limit of ${maxBytes} bytes; raise --max-store-bytes`, {
    directory,
    maxBytes,
  });
}
