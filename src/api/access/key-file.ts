/**
 * The file of API keys in a data directory. It contains no keys, only an HMAC-SHA256 of each with the file's salt. A slow password hash
 * would add nothing, because keys are 256 random bits, which cannot be guessed; the salt prevents comparing the hashes of two files.
 */
import { createHmac, randomBytes } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { FirnError } from "../../base/errors/errors.ts";
import { makeDirectory } from "../../base/files/make-directory.ts";
import { problemOf } from "../../base/files/problem.ts";
import { isMissing, readWholeFile } from "../../base/files/read-file.ts";
import { replaceFile } from "../../base/files/replace-file.ts";
import { KEY_TIERS, PRIVILEGES, type Privilege, type Tier } from "./tiers.ts";

export interface ApiKey {
  /** 8 hex digits */
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly privileges: readonly Privilege[];
  /** hex */
  readonly hash: string;
  /** ISO 8601 */
  readonly createdAt: string;
  readonly revokedAt?: string;
}

interface KeyFile {
  readonly version: 1;
  /** hex */
  readonly salt: string;
  readonly keys: readonly ApiKey[];
}

/** About 300 bytes per key. */
const MAX_BYTES = 64 << 20;

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
    text = readWholeFile(path, MAX_BYTES).toString();
  } catch (error) {
    if (isMissing(error)) return { version: 1, salt: randomBytes(32).toString("hex"), keys: [] };
    throw error;
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    content = undefined;
  }
  if (isKeyFile(content)) return content;
  throw new FirnError(
    "api-keys-damaged",
    `${path} is damaged; restore it from a backup, or remove it and create new keys with: firn keys add`,
    {
      path,
    },
  );
}

/** Checked by hand: loading a schema library would take longer than everything else a server does before its first answer. */
function isKeyFile(content: unknown): content is KeyFile {
  const { version, salt, keys } = (content ?? {}) as Partial<Record<keyof KeyFile, unknown>>;
  return version === 1 && isHex(salt, 64) && Array.isArray(keys) && keys.every(isApiKey);
}

function isApiKey(value: unknown): value is ApiKey {
  const { id, name, tier, privileges, hash, createdAt, revokedAt = "" } = (value ?? {}) as Partial<Record<keyof ApiKey, unknown>>;
  const hasTexts = [name, createdAt, revokedAt].every((text) => typeof text === "string");
  const hasRights = KEY_TIERS.some((known) => known === tier) && Array.isArray(privileges);
  return isHex(id, 8) && isHex(hash, 64) && hasTexts && hasRights && privileges.every((privilege) => PRIVILEGES.includes(privilege));
}

function isHex(value: unknown, digits: number): boolean {
  return typeof value === "string" && value.length === digits && /^[0-9a-f]*$/.test(value);
}

/** Changes the file while no other process does. If `change` throws, the file stays unchanged. */
export async function changeKeyFile(dataDirectory: string, change: (file: KeyFile) => readonly ApiKey[]): Promise<void> {
  makeDirectory(dataDirectory);
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
        throw new FirnError(
          "api-keys-unwritable",
          `${path} cannot be created: ${problemOf(error) ?? (error as Error).message}`,
          { path },
          { cause: error },
        );
      }
    }
    // Not broken by force: two processes doing so at once could both believe they hold it
    if (Date.now() > deadline) {
      throw new FirnError(
        "api-keys-locked",
        `${path} exists: another firn keys command is running; if none is, one crashed, and you may remove the file`,
        {
          path,
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
}
