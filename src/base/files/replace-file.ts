import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { unwritable } from "./problem.ts";

/** Replaces a file's content; by default its owner alone can read it. Readers see either the old or the new content, never a part. */
export async function replaceFile(path: string, content: string, mode = 0o600): Promise<void> {
  const made = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    await writeFile(made, content, { mode, flag: "wx", flush: true });
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true }).catch(() => {});
    throw unwritable(path, error);
  }
}
