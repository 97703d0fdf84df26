/** Opens an LMDB file with the settings that all of them have. */
import { readFileSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { open, type RootDatabase } from "lmdb";
import { FirnError } from "../../base/errors/errors.ts";
import { storeError } from "./errors.ts";
import { dataFile } from "./file-check.ts";
import { ADDRESS_SPACE_BYTES } from "./page-file.ts";

export interface OpenFileOptions {
  isReadOnly: boolean;
  isTemporary?: boolean;
  /**
   * Rows that are read lie anywhere in files that are larger than the memory together. A page that is missing is then read alone: with the
   * kernel's read-ahead, of up to megabytes, it would put as many out of memory that are needed.
   */
  isScattered?: boolean;
}

/** Each pinned snapshot of each process is a reader. */
const MAX_READERS = 1024;

export function openFile(
  directory: string,
  { isReadOnly, isTemporary, isScattered }: OpenFileOptions,
): RootDatabase<Uint8Array, Uint8Array> {
  requireAddressSpace(directory);
  // not part of lmdb's types
  const untyped: object = { noReadAhead: isScattered || isLargerThanMemory(directory) };
  try {
    return open<Uint8Array, Uint8Array>({
      path: directory,
      readOnly: isReadOnly,
      noSubdir: false,
      encoding: "binary",
      keyEncoding: "binary",
      mapSize: ADDRESS_SPACE_BYTES,
      maxReaders: MAX_READERS,
      noSync: isTemporary ?? false,
      // one fsync per commit and no background flush: this is simple to reason about, and batches make it cheap
      overlappingSync: false,
      ...untyped,
    });
  } catch (error) {
    throw storeError(error, directory);
  }
}

/** LMDB does not outlive a process that may not map the file. */
function requireAddressSpace(directory: string): void {
  const limit = process.platform === "linux" ? addressSpaceLimit(readFileSync("/proc/self/limits", "utf8")) : undefined;
  if (limit === undefined || limit > ADDRESS_SPACE_BYTES) return;
  throw new FirnError(
    "store-address-space",
    `the address space of this process is limited to ${limit} bytes, and the store in ${directory} needs ${ADDRESS_SPACE_BYTES}, which take no memory; run Firn without that limit (ulimit -v unlimited)`,
    { limit },
  );
}

/** @param limits as Linux shows those of a process; undefined: there is none */
function addressSpaceLimit(limits: string): number | undefined {
  const [, bytes] = /^Max address space\s+(\d+)\s/m.exec(limits) ?? [];
  return bytes === undefined ? undefined : Number(bytes);
}

function isLargerThanMemory(directory: string): boolean {
  const memory = Math.min(totalmem(), process.constrainedMemory() || totalmem());
  return (statSync(dataFile(directory), { throwIfNoEntry: false })?.size ?? 0) > memory;
}
