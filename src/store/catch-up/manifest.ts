/**
 * Says which files hold a store that catches up: `catching-up/manifest.json` in the store's directory. It is replaced in one step, so
 * that a kill leaves the one or the other. Without it the store is its data file alone.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { FirnError } from "../../base/errors/errors.ts";
import { WAY_OUT } from "../lmdb/errors.ts";

export interface Manifest {
  readonly version: 1;
  /** the layer that commits write into */
  readonly top: string;
  /** the frozen layers above the base, the newest first */
  readonly runs: readonly { readonly name: string; readonly level: number }[];
  /** The oldest layer, which hides no other; undefined: the store's data file */
  readonly base?: string | undefined;
  /** The base has all rows: it replaces the store's directory. */
  readonly isComplete?: boolean;
}

const FILE = "manifest.json";

/** @param store the store's directory */
export function layersPath(store: string): string {
  return join(store, "catching-up");
}

export function layerPath(store: string, name: string): string {
  return join(layersPath(store), name);
}

/** undefined: the store does not catch up */
export function readManifest(store: string): Manifest | undefined {
  const path = join(layersPath(store), FILE);
  if (!existsSync(path)) return undefined;
  try {
    const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
    if (manifest.version === 1 && typeof manifest.top === "string" && Array.isArray(manifest.runs)) return manifest;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new FirnError("store-damaged", `${path} is damaged: it does not name the store's files. ${WAY_OUT}`, { path });
}

export function writeManifest(store: string, manifest: Manifest): void {
  const directory = layersPath(store);
  mkdirSync(directory, { recursive: true });
  const path = join(directory, FILE);
  const file = openSync(`${path}.new`, "w");
  try {
    writeSync(file, JSON.stringify(manifest));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // what it names must be in its directory before it names it
  syncDirectory(directory);
  renameSync(`${path}.new`, path);
  syncDirectory(directory);
}

/** Removes files that a killed process left: of a layer that was not complete, or that was merged into another. */
export function removeOrphans(store: string, manifest: Manifest | undefined): void {
  const directory = layersPath(store);
  if (manifest === undefined) {
    rmSync(directory, { recursive: true, force: true });
    return;
  }
  const named = new Set([FILE, BASE_FILTER, manifest.top, manifest.base, ...manifest.runs.map(({ name }) => name)]);
  for (const name of readdirSync(directory)) if (!named.has(name)) rmSync(join(directory, name), { recursive: true, force: true });
}

const BASE_FILTER = "base.filter";

/** The filter of a layer's keys; without a name that of the store's data file. */
export function filterPath(store: string, name: string | undefined): string {
  return name === undefined ? join(layersPath(store), BASE_FILTER) : join(layerPath(store, name), "filter");
}

export function syncDirectory(directory: string): void {
  const file = openSync(directory, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
