/** Makes imports that several test files start from only once per run; later files get a copy. */
import { createHash } from "node:crypto";
import { constants, cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * @param directory a data directory, still without a store
 * @param what all that the import depends on, but the code: nothing outlives the run
 */
export async function prepareStore(directory: string, what: readonly unknown[], make: () => Promise<void>): Promise<void> {
  // none outside of vitest (`prepared-stores.ts`)
  const stores = process.env.FIRN_TEST_STORES;
  if (stores === undefined) return make();
  const prepared = join(stores, createHash("sha256").update(JSON.stringify(what)).digest("hex"));
  if (existsSync(prepared)) return copy(prepared, directory);
  await make();
  const partial = `${prepared}.${process.pid}`;
  copy(directory, partial);
  try {
    renameSync(partial, prepared);
  } catch {
    // another worker was faster
    rmSync(partial, { recursive: true, force: true });
  }
}

function copy(from: string, to: string): void {
  cpSync(join(from, "store"), join(to, "store"), { recursive: true, mode: constants.COPYFILE_FICLONE });
}
