/**
 * Checks a file before LMDB uses it. LMDB maps the file, so a missing or damaged page would end the process with SIGBUS or SIGSEGV. Plain
 * reads find such a page here, and Firn reports it.
 */
import { closeSync, existsSync, fstatSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { FirnError } from "../../base/errors/errors.ts";
import { unusable, WAY_OUT } from "./errors.ts";
import { type MetaPage, newestMeta, PageError } from "./page-file.ts";
import { type Entry, PageWalk } from "./page-walk.ts";

/**
 * Pages checked on opening: all pages of a store with no more than these (16 MiB), otherwise this many pages above the leaves. `firn
 * verify` reads all.
 */
const MOST_PAGES = 4096;
const FILES = ["data.mdb", "lock.mdb"] as const;

export function dataFile(directory: string): string {
  return join(directory, FILES[0]);
}

/** Whether a file holds a store; another process may be creating it at the moment. */
export function hasDataFile(directory: string): boolean {
  return existsSync(dataFile(directory));
}

/** @param mayBeEmpty the process that created the store may have ended before it wrote anything */
export function checkBeforeOpening(directory: string, { isReadOnly, mayBeEmpty }: { isReadOnly: boolean; mayBeEmpty: boolean }): void {
  for (const name of FILES) {
    const file = statSync(join(directory, name), { throwIfNoEntry: false });
    if (file !== undefined && !file.isFile()) throw unusable(directory, `${name} in ${directory} is not a regular file; move it away`);
  }
  if (!hasDataFile(directory)) return;
  inDataFile(directory, isReadOnly ? "r" : "r+", (file) => {
    const { size } = fstatSync(file);
    if (size === 0 && mayBeEmpty) return;
    if (size === 0) throw new PageError("it is empty");
    requireRoots(file, () => fstatSync(file).size);
  });
}

/** @param sizeNow of the file: it is asked after the state was read, since the file grows while another process commits */
export function requireRoots(file: number, sizeNow: () => number): void {
  const { pageBytes, free, rows } = newestMeta(file, sizeNow());
  const size = sizeNow();
  for (const { root } of [free, rows]) {
    if (root !== undefined && (root + 1) * pageBytes > size) throw new PageError(`it is cut off after ${size} bytes`);
  }
}

/** Checks the newest committed state, which a read transaction must pin meanwhile. */
export function checkPages(directory: string): void {
  inDataFile(directory, "r", (file) => {
    // in this order, because the file contains all of a committed state
    const meta = newestMeta(file, fstatSync(file).size);
    const { size } = fstatSync(file);
    const isSmall = meta.lastPage < MOST_PAGES;
    const walk = new PageWalk(file, meta, isSmall ? {} : { mostBranches: MOST_PAGES });
    walk.freePages();
    for (const _ of walk.rows());
    // pages at the end that were allocated and freed in one commit are not written
    for (let page = Math.floor(size / meta.pageBytes); page <= meta.lastPage; page++) {
      if (!walk.isFree(page)) throw new PageError(`it is cut off: it has ${size} bytes of ${(meta.lastPage + 1) * meta.pageBytes}`);
    }
  });
}

export function newestState(directory: string): MetaPage {
  let state: MetaPage | undefined;
  inDataFile(directory, "r", (file) => {
    state = newestMeta(file, fstatSync(file).size);
  });
  return state!;
}

/** All entries of a committed state that a read transaction pins; reports what is wrong with their pages. */
export function* entriesOf(directory: string, state: MetaPage, report: (problem: string) => void): Generator<Entry> {
  const file = openSync(dataFile(directory), "r");
  try {
    const walk = new PageWalk(file, state, { report });
    walk.freePages();
    yield* walk.rows();
  } finally {
    closeSync(file);
  }
}

function inDataFile(directory: string, flags: "r" | "r+", look: (file: number) => void): void {
  const path = dataFile(directory);
  let file: number | undefined;
  try {
    file = openSync(path, flags);
    look(file);
  } catch (error) {
    if (error instanceof PageError) throw damaged(path, error);
    throw unusable(directory, `${path} cannot be ${flags === "r" ? "read" : "written"}: ${(error as Error).message}`, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function damaged(path: string, { message, facts }: PageError): FirnError {
  return new FirnError("store-damaged", `${path} is damaged: ${message}. ${WAY_OUT}`, { ...facts, path });
}
