/** The folder of an archive while it is written: each file is complete before `SHA256SUMS` names it. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { FirnError } from "../../base/errors/errors.ts";
import { makeDirectory } from "../../base/files/make-directory.ts";
import { parseBlockFile } from "./block-files.ts";
import { readChecksums, writeChecksums } from "./checksums.ts";
import { decompressed, readFileChunks, splitLines } from "./folder.ts";

export const COMPRESSED = ".gz";

export class GrowingArchive {
  readonly #path: string;
  /** by name; in hex */
  readonly #checksums: Map<string, string>;

  constructor(path: string) {
    makeDirectory(join(path, "blocks"));
    this.#path = path;
    this.#checksums = readChecksums(path);
  }

  has(file: string): boolean {
    return this.#checksums.has(file);
  }

  /** Height of the chain's last block; 0 if there is none. */
  heightOf(chain: string): bigint {
    return this.#segmentsOf(chain).at(-1)?.to ?? 0n;
  }

  /** The lowest height from which the archive has all blocks up to this one; undefined: it does not have this one. */
  lowestWith(chain: string, height: bigint): bigint | undefined {
    let lowest: bigint | undefined;
    for (const { from, to } of this.#segmentsOf(chain).reverse()) {
      if (from <= height && height <= to) lowest = from;
      else if (lowest !== undefined && to === lowest - 1n) lowest = from;
    }
    return lowest;
  }

  /** The line of a block that the archive has. */
  async lineAt(chain: string, height: bigint): Promise<string> {
    const segment = this.#segmentsOf(chain).find(({ from, to }) => from <= height && height <= to)!;
    const path = join(this.#path, segment.file);
    const lines = splitLines(decompressed(readFileChunks(path, { bytes: 0, of: 0 }), createGunzip(), path), segment.file);
    let at = segment.from;
    for await (const { text } of lines) if (at++ === height) return text;
    throw new FirnError("archive-damaged", `${path} ends before block ${height}; remove it and its line in SHA256SUMS, and fetch again`);
  }

  /** In the order of heights. */
  #segmentsOf(chain: string): { readonly file: string; readonly from: bigint; readonly to: bigint }[] {
    const segments = [...this.#checksums.keys()].flatMap((file) => {
      const parsed = parseBlockFile(file.slice(0, -COMPRESSED.length));
      return parsed?.chain === chain && parsed.range !== undefined ? [{ file, ...parsed.range }] : [];
    });
    return segments.sort((a, b) => (a.from < b.from ? -1 : 1));
  }

  /** Removes the segments of a chain that end at or below this height. */
  async dropThrough(chain: string, height: bigint): Promise<void> {
    const dropped = this.#segmentsOf(chain).filter(({ to }) => to <= height);
    if (dropped.length === 0) return;
    for (const { file } of dropped) this.#checksums.delete(file);
    await writeChecksums(this.#path, this.#checksums);
    for (const { file } of dropped) await rm(join(this.#path, file), { force: true });
  }

  /** Writes a file that an archive of the same network has already, if it has it. */
  async identify(file: string, text: string): Promise<void> {
    const checksum = createHash("sha256").update(text).digest("hex");
    if ((this.#checksums.get(file) ?? checksum) !== checksum) {
      const sentence = `${join(this.#path, file)} is of another network than the store; export into another folder`;
      throw new FirnError("archive-network", sentence, { file });
    }
    if (!this.has(file)) await this.#write(file, [text], []);
  }

  /** Writes a file that may be another one than before. */
  replace(file: string, text: string): Promise<void> {
    return this.#write(file, [text], []);
  }

  /** Writes lines, compressed. A file that was left unfinished is written again. */
  add(file: string, lines: AsyncIterable<string>): Promise<void> {
    return this.#write(file, lines, [createGzip()]);
  }

  async #write(file: string, chunks: Iterable<string> | AsyncIterable<string>, encoders: NodeJS.ReadWriteStream[]): Promise<void> {
    const path = join(this.#path, file);
    const hash = createHash("sha256");
    const hashing = new Transform({
      transform(chunk: Buffer, _, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    const unfinished = `${path}.part`;
    await pipeline([Readable.from(chunks), ...encoders, hashing, createWriteStream(unfinished, { flush: true })]);
    await rename(unfinished, path);
    this.#checksums.set(file, hash.digest("hex"));
    await writeChecksums(this.#path, this.#checksums);
  }
}
