/**
 * The file of API keys in a data directory. It holds no key, only HMAC-SHA256 of each under a salt of the file. A slow password hash would
 * add nothing: keys are 256 random bits, which nobody can try out; the salt keeps hashes of two files from being compared.
 */
import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import Type, { type Static } from "typebox";
import Value from "typebox/value";
import { FirnError } from "../../primitives/errors.ts";
import { replaceFile } from "./replace-file.ts";
import { KEY_TIERS, PRIVILEGES } from "./tiers.ts";

const apiKeySchema = Type.Object({
  /** 8 hex digits */
  id: Type.String({ pattern: "^[0-9a-f]{8}$" }),
  name: Type.String({ minLength: 1 }),
  tier: Type.Enum(KEY_TIERS),
  privileges: Type.Array(Type.Enum([...PRIVILEGES])),
  /** hex */
  hash: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  /** ISO 8601 */
  createdAt: Type.String(),
  revokedAt: Type.Optional(Type.String()),
});
export type ApiKey = Readonly<Static<typeof apiKeySchema>>;

const keyFileSchema = Type.Object({
  version: Type.Literal(1),
  /** hex */
  salt: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  keys: Type.Array(apiKeySchema),
});
export type KeyFile = Readonly<Static<typeof keyFileSchema>>;

export function keyFilePath(dataDirectory: string): string {
  return join(dataDirectory, "api-keys.json");
}

export function hashOfKey(key: string, salt: string): string {
  return createHmac("sha256", salt).update(key).digest("hex");
}

/** A directory without the file has no keys. */
export function readKeyFile(dataDirectory: string): KeyFile {
  const path = keyFilePath(dataDirectory);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { version: 1, salt: randomBytes(32).toString("hex"), keys: [] };
    throw new FirnError("api-keys-unreadable", `${path} cannot be read: ${(error as Error).message}`, { path }, { cause: error });
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    content = undefined;
  }
  if (Value.Check(keyFileSchema, content)) return content;
  throw new FirnError(
    "api-keys-damaged",
    `${path} is damaged; restore it from a backup, or remove it and make new keys with: firn keys add`,
    {
      path,
    },
  );
}

/** Changes the file while nobody else does. What `change` throws leaves it as it is. */
export async function changeKeyFile(dataDirectory: string, change: (file: KeyFile) => readonly ApiKey[]): Promise<void> {
  await mkdir(dataDirectory, { recursive: true });
  const lock = `${keyFilePath(dataDirectory)}.lock`;
  await takeLock(lock);
  try {
    const file = readKeyFile(dataDirectory);
    await replaceFile(keyFilePath(dataDirectory), `${JSON.stringify({ ...file, keys: change(file) }, undefined, 2)}\n`);
  } finally {
    await rm(lock, { force: true });
  }
}

const LOCK_PATIENCE_MS = 5_000;
const LOCK_RETRY_MS = 20;

async function takeLock(path: string): Promise<void> {
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  for (;;) {
    try {
      await (await open(path, "wx", 0o600)).close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw new FirnError("api-keys-unwritable", `${path} cannot be made: ${(error as Error).message}`, { path }, { cause: error });
      }
    }
    // Not taken by force: two that did so at once could both believe to have it
    if (Date.now() > deadline) {
      throw new FirnError(
        "api-keys-locked",
        `${path} exists: another firn keys runs; if none does, one died, and you may remove the file`,
        {
          path,
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
}
