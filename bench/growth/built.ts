import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Loads built modules, because users run those, without a TypeScript loader. */
export async function built<M>(path: string): Promise<M> {
  return import(new URL(`../../dist/${path}.js`, import.meta.url).href);
}

/** of all files below a folder */
export function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
