import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** Puts a new content in a file's place, readable for its owner only; readers see the old one or the new one, never a part. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const made = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    await writeFile(made, content, { mode: 0o600, flag: "wx", flush: true });
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
}
