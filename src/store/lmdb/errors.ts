import { statfsSync } from "node:fs";
import { CodecError } from "../../base/codec/error.ts";
import type { ErrorCode } from "../../base/errors/error-codes.ts";
import { FirnError } from "../../base/errors/errors.ts";

/** ENOSPC, EFBIG, EDQUOT, and LMDB's own error when it cannot map more. */
const FULL = ["No space left on device", "File too large", "Disk quota exceeded", "MDB_MAP_FULL"];
/** EIO, which LMDB also reports if only a part of a write fitted */
const CUT_SHORT = "Input/output error";
const LITTLE_SPACE_BYTES = 1024 * 1024;
const DAMAGED = ["MDB_CORRUPTED", "MDB_PAGE_NOTFOUND", "MDB_BAD_TXN", "MDB_PANIC"];
/** The data file was checked before, so these LMDB errors on opening are about the lock file. */
const LOCK_FILE_DAMAGED = ["MDB_INVALID", "MDB_VERSION_MISMATCH"];
/** refused by the operating system */
const REFUSED = ["Permission denied", "Read-only file system", "Operation not permitted"];
export const WAY_OUT =
  "Restore a copy of the data directory, or move it away and create it again with firn import or firn follow; firn verify has the details";

/** Converts errors of the operating system and of LMDB into Firn's. Other errors are returned unchanged. */
export function storeError(error: unknown, directory: string): unknown {
  if (!(error instanceof Error) || (error instanceof FirnError && !(error instanceof CodecError))) return error;
  const text = error.message;
  const failed = (code: ErrorCode, message: string) => new FirnError(code, message, { directory, cause: text }, { cause: error });
  const isCutShort = text.includes(CUT_SHORT);
  if (FULL.some((reason) => text.includes(reason)) || (isCutShort && freeBytes(directory) < LITTLE_SPACE_BYTES)) {
    return failed("store-full", cannotGrow(directory, text));
  }
  if (isCutShort) {
    return failed(
      "store-write",
      `${directory} could not be written in full (${text}): check its disk, quota and file size limit; the store is intact`,
    );
  }
  const says = (reasons: readonly string[]) => reasons.some((reason) => text.includes(reason));
  if (says(DAMAGED) || error instanceof CodecError)
    return failed("store-damaged", `the store in ${directory} is damaged (${text}). ${WAY_OUT}`);
  if (says(LOCK_FILE_DAMAGED)) {
    return failed(
      "store-lock",
      `lock.mdb in ${directory} is damaged (${text}); stop all processes that use this store, then remove that file`,
    );
  }
  if (says(REFUSED)) return unusable(directory, `${directory} cannot be used: ${text}`, error);
  return error;
}

export function unusable(directory: string, sentence: string, cause?: unknown): FirnError {
  return new FirnError(
    "store-folder",
    `${sentence}; check its owner, its permissions and how its disk is mounted`,
    { directory },
    { cause },
  );
}

/** that this process may use on the directory's disk. A limit that the system does not tell is found by writing */
export function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export function diskFull(directory: string, free: number, needed: number): FirnError {
  const reason = `its disk has ${free} bytes left, and the next commit needs up to ${needed}`;
  return new FirnError("store-full", cannotGrow(directory, reason), { directory, free, needed });
}

/** Merged data is on the disk a second time until it is complete. */
export function noRoomToMerge(directory: string, free: number, needed: number): FirnError {
  return new FirnError(
    "store-full",
    `${directory} cannot be merged into one file: its disk has ${free} bytes left, and this needs up to ${needed}; free space on its disk, then start the command again: nothing is lost`,
    { directory, free, needed },
  );
}

function cannotGrow(directory: string, reason: string): string {
  return `${directory} cannot grow (${reason}); free space on its disk: the store is intact at its last commit. A follower then goes on by itself; start any other command again`;
}

export function limitReached(directory: string, maxBytes: number): FirnError {
  return new FirnError("store-full", `the store in ${directory} has reached its limit of ${maxBytes} bytes; raise --max-store-bytes`, {
    directory,
    maxBytes,
  });
}
