import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { FirnError } from "../errors/errors.ts";
import { problemOf } from "./problem.ts";

/**
 * Creates a folder and its parents if they do not exist. Node's own `recursive` loops forever where the system reports an existing folder
 * as missing, as below /proc.
 */
export function makeDirectory(path: string, options: { readonly mode?: number } = {}): void {
  try {
    make(resolve(path), options);
  } catch (error) {
    const isRefused = (error as NodeJS.ErrnoException).code === "ENOENT";
    const reason = isRefused ? "its file system makes no folders" : (problemOf(error) ?? (error as Error).message);
    throw new FirnError(
      "folder",
      `the folder ${path} cannot be created: ${reason}; use another folder`,
      { path, reason },
      { cause: error },
    );
  }
}

function make(path: string, options: { readonly mode?: number }): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) make(parent, {});
  try {
    mkdirSync(path, options);
  } catch (error) {
    // Another process has just created it
    if (!isDirectory(path)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
