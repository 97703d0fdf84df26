import { linkSync, rmSync, writeFileSync } from "node:fs";
import { unwritable } from "./problem.ts";

type NewFile = readonly [path: string, content: string | Uint8Array];

/**
 * Makes files that their owner alone can read: all of them or none, each complete or not at all. None may be there: of processes that make
 * them at once, one succeeds, and the others get an error with the code EEXIST.
 */
export function makeFiles(files: readonly NewFile[]): void {
  const draft = (path: string) => `${path}.${process.pid}`;
  try {
    for (const [path, content] of files)
      withPath(path, () => writeFileSync(draft(path), content, { mode: 0o600, flag: "wx", flush: true }));
    for (const [path] of files) withPath(path, () => linkSync(draft(path), path));
  } finally {
    for (const [path] of files) removeIfThere(draft(path));
  }
}

/** Errors name the file, not what it is made of. */
function withPath(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? error : unwritable(path, error);
  }
}

/** A file that cannot be removed was not made. */
function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
