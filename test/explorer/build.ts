/** Builds the explorer for tests, if its sources are newer than what is served. */
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("../../", import.meta.url));
const dist = join(root, "dist");
export const BUILT = join(dist, "explorer");

export async function buildExplorer(): Promise<void> {
  if (newest(BUILT) >= newest(join(root, "explorer"))) return;
  // beside it, and then in its place at once: other test files may be reading
  const fresh = mkdtempSync(join(dist, ".explorer-"));
  const configFile = join(root, "explorer/vite.config.ts");
  await build({ root: join(root, "explorer"), configFile, build: { outDir: join(fresh, "new") }, logLevel: "error" });
  if (existsSync(BUILT)) renameSync(BUILT, join(fresh, "old"));
  renameSync(join(fresh, "new"), BUILT);
  rmSync(fresh, { recursive: true });
}

/** Time of the newest file of a folder, in milliseconds; 0 if there is none. */
function newest(path: string): number {
  if (!existsSync(path)) return 0;
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), 0);
}
