/** A recording in a directory. Its files may be compressed (`.gz`, `.br`); links that lead outside of the directory are refused. */
import { existsSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { createGunzip } from "node:zlib";
import { FirnError } from "../../base/errors/errors.ts";
import { type ArchiveFolder, brotliDecoder, decompressed, type Line, ofUsableWindow, readFileChunks, splitLines } from "./folder.ts";

/** A recording has files only at its top level and in this folder. */
const BLOCKS = "blocks";

export class DirectoryFolder implements ArchiveFolder {
  readonly read = { bytes: 0, of: 0 };
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async list(): Promise<readonly string[]> {
    const names = await readdir(this.#path);
    const inBlocks = names.includes(BLOCKS) ? await readdir(join(this.#path, BLOCKS)) : [];
    return [...names, ...inBlocks.map((name) => `${BLOCKS}/${name}`)].map((name) => name.replace(/\.(gz|br)$/, ""));
  }

  lines(name: string): AsyncIterable<Line> {
    const suffix = ["", ".gz", ".br"].find((candidate) => existsSync(join(this.#path, name + candidate))) ?? "";
    const path = this.#ownFile(name + suffix);
    const file = readFileChunks(path, this.read);
    if (suffix === ".gz") return splitLines(decompressed(file, createGunzip(), path), name);
    return splitLines(suffix === ".br" ? decompressed(ofUsableWindow(file, path), brotliDecoder(), path) : file, name);
  }

  /** Errors quote the content of files, so a link would let a recording expose any file of this machine. */
  #ownFile(name: string): string {
    const path = join(this.#path, name);
    if (realpathSync(path).startsWith(realpathSync(this.#path) + sep)) return path;
    throw new FirnError("archive-link", `${path} is a link out of the recording; put the file itself there`, { path });
  }
}
