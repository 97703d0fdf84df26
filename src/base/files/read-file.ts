/** Reads files that users name: only regular files, and only up to the length that their purpose needs. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { FirnError } from "../errors/errors.ts";
import { problemOf } from "./problem.ts";

/** Opens without waiting, even a pipe without a writer. Throws a FirnError if the path is not a regular file. */
export function openRegularFile(path: string): { readonly fd: number; readonly size: number } {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = fstatSync(fd);
  if (stats.isFile()) return { fd, size: stats.size };
  closeSync(fd);
  throw new FirnError("file-kind", `${path} is ${kindOf(stats)}; name a regular file`, { path });
}

/** Reads a whole file of at most this many bytes. Throws a FirnError whose cause is the system's error. */
export function readWholeFile(path: string, mostBytes: number): Buffer {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path).fd;
    return readUpTo(fd, path, mostBytes);
  } catch (error) {
    if (error instanceof FirnError) throw error;
    const reason = problemOf(error) ?? (error as Error).message;
    throw new FirnError("file-unreadable", `${path} cannot be read: ${reason}`, { path }, { cause: error });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Files that report no size, such as those of /proc, are read to their end. */
function readUpTo(fd: number, path: string, mostBytes: number): Buffer {
  const chunks: Buffer[] = [];
  for (let bytes = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(fd, chunk);
    if (read === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, read));
    bytes += read;
    if (bytes > mostBytes) {
      throw new FirnError("file-size", `${path} has more than ${mostBytes / MIB} MiB; name a smaller file`, { path });
    }
  }
}

const MIB = 1 << 20;
const CHUNK_BYTES = 64 << 10;

/** Whether a file could not be read because it does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && ((error as NodeJS.ErrnoException).code === "ENOENT" || isMissing(error.cause));
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}
