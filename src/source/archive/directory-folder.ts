/** A recording in a directory, whose files may be compressed (`.gz`, `.br`). */
import { createReadStream, existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { type ArchiveFolder, brotliDecoder, type Line, splitLines } from "./folder.ts";

export class DirectoryFolder implements ArchiveFolder {
  readonly read = { bytes: 0, of: 0 };
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async list(): Promise<readonly string[]> {
    const names = await readdir(this.#path, { recursive: true });
    return names.map((name) => name.replaceAll("\\", "/").replace(/\.(gz|br)$/, ""));
  }

  lines(name: string): AsyncIterable<Line> {
    const suffix = ["", ".gz", ".br"].find((candidate) => existsSync(join(this.#path, name + candidate))) ?? "";
    const path = join(this.#path, name + suffix);
    this.read.of += statSync(path).size;
    const file = createReadStream(path, { highWaterMark: 256 * 1024 });
    file.on("data", (chunk) => {
      this.read.bytes += chunk.length;
    });
    return splitLines(decompressed(file, suffix), name);
  }
}

function decompressed(file: Readable, suffix: string): Readable {
  if (suffix === "") return file;
  const decoder = suffix === ".gz" ? createGunzip() : brotliDecoder();
  file.on("error", (error) => decoder.destroy(error));
  return file.pipe(decoder);
}
