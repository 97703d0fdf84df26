/** Errors of the file system in plain words, which complete a sentence of the caller. */
import { FirnError } from "../errors/errors.ts";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "this user's part of the disk is full",
  EMFILE: "this process may open no more files; raise the limit (ulimit -n)",
  ENFILE: "this machine may open no more files",
  ENOENT: "it does not exist",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  EEXIST: "something else has that name",
  ELOOP: "its symbolic links lead nowhere",
  ENAMETOOLONG: "its name is too long",
  ENXIO: "nothing is behind it",
  EIO: "the disk does not answer as it should",
  EFBIG: "it would be larger than files may be",
};

/** Returns undefined for errors that are not the system's or are unexpected. */
export function problemOf(error: unknown): string | undefined {
  return REASONS[(error as NodeJS.ErrnoException | undefined)?.code ?? ""];
}

/** The same as a complete sentence, for callers that do not know what was requested. */
export function refusalOf(error: unknown): string | undefined {
  const reason = problemOf(error);
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  // The file is not the cause
  if (reason === undefined || code === "EMFILE" || code === "ENFILE") return reason;
  return `${path ?? "a file"} cannot be used (${syscall}): ${reason}`;
}

/** A file that the system does not let be written, by its own name; other errors stay as they are. */
export function unwritable(path: string, error: unknown): unknown {
  const reason = problemOf(error);
  return reason === undefined
    ? error
    : new FirnError("file-unwritable", `${path} cannot be written: ${reason}`, { path }, { cause: error });
}
