/** `SHA256SUMS` of an archive, as `sha256sum -c` reads it. A file that it does not name is not part of the archive yet. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { FirnError } from "../../base/errors/errors.ts";
import { readWholeFile } from "../../base/files/read-file.ts";
import { replaceFile } from "../../base/files/replace-file.ts";

const FILE = "SHA256SUMS";
const MAX_BYTES = 64 << 20;
const LINE = /^([0-9a-f]{64}) {2}([\w./-]+)$/;

/** By name of the file, as it lies in the folder; in hex. Empty if there is none yet. */
export function readChecksums(folder: string): Map<string, string> {
  const path = join(folder, FILE);
  if (!existsSync(path)) return new Map();
  const lines = readWholeFile(path, MAX_BYTES)
    .toString()
    .split("\n")
    .filter((line) => line !== "");
  return new Map(
    lines.map((line, i) => {
      const match = LINE.exec(line);
      if (match === null || match[2]!.includes("..")) {
        throw new FirnError("archive-line", `${FILE}:${i + 1}: it is not a SHA-256 in hex, two spaces and a file's name`, { folder });
      }
      return [match[2]!, match[1]!] as const;
    }),
  );
}

/** In one step: a reader finds the old file or the new one. */
export function writeChecksums(folder: string, checksums: ReadonlyMap<string, string>): Promise<void> {
  const lines = [...checksums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, checksum]) => `${checksum}  ${name}\n`);
  return replaceFile(join(folder, FILE), lines.join(""), 0o644);
}

export async function checksumOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
