/**
 * The secret that signs page tokens: 32 bytes in the data directory, created once. All processes on the same directory share it, so every
 * one of them accepts the others' tokens, also after a restart.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FirnError } from "../../base/errors/errors.ts";
import { makeDirectory } from "../../base/files/make-directory.ts";
import { makeFiles } from "../../base/files/make-files.ts";

const SECRET_BYTES = 32;

export function openTokenSecret(dataDirectory: string): Buffer {
  const directory = join(dataDirectory, "data-api");
  const path = join(directory, "page-token.key");
  const secret = readIfThere(path) ?? make(directory, path);
  if (secret.length === SECRET_BYTES) return secret;
  throw new FirnError(
    "token-secret",
    `${path} has ${secret.length} bytes, not ${SECRET_BYTES}; restore it, or remove it (clients must then start their lists again)`,
    { path },
  );
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** If processes start together, one of them creates the file. */
function make(directory: string, path: string): Buffer {
  makeDirectory(directory, { mode: 0o700 });
  const secret = randomBytes(SECRET_BYTES);
  try {
    makeFiles([[path, secret]]);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return readFileSync(path);
  }
}
