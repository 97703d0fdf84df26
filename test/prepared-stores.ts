/** Vitest's global setup: creates a folder for stores that several test files import in the same way, and removes it after the run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function setup(): (() => void) | undefined {
  // once, not for each project again
  if (process.env.FIRN_TEST_STORES !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "firn-stores-"));
  process.env.FIRN_TEST_STORES = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
