/** The folder of an archive while it is written: each file is complete before `SHA256SUMS` names it. */
import { createHash } from "node:crypto";
import { createWriteStream, readdirSync, rmSync, statSync } from "node:fs";
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

const PIECE_LENGTH = 256 << 10;

interface Segment {
  readonly file: string;
  readonly from: bigint;
  readonly to: bigint;
}

export class GrowingArchive {
  readonly #path: string;
  /** by name; in hex */
  readonly #checksums: Map<string, string>;
  readonly #sizes = new Map<string, number>();
  /** by chain, made again after a change */
  readonly #segments = new Map<string, readonly Segment[]>();
  /** the last write of the checksums, which are in one file */
  #naming: Promise<void> = Promise.resolve();

  constructor(path: string) {
    makeDirectory(join(path, "blocks"));
    this.#path = path;
    this.#checksums = readChecksums(path);
    // a stop may leave a segment that is not named yet, which the next one may overlap
    for (const name of readdirSync(join(path, "blocks"))) {
      const file = `blocks/${name}`;
      const isSegment = parseBlockFile(file.replace(/(\.gz)?(\.part)?$/, ""))?.range !== undefined;
      if (isSegment && !this.#checksums.has(file)) rmSync(join(path, file));
    }
    for (const file of this.#checksums.keys()) this.#sizes.set(file, statSync(join(path, file), { throwIfNoEntry: false })?.size ?? 0);
  }

  /** of all its files */
  get bytes(): number {
    return [...this.#sizes.values()].reduce((sum, size) => sum + size, 0);
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
    const segments = this.#segmentsOf(chain);
    let at = segments.findLastIndex(({ from }) => from <= height);
    if (at === -1 || segments[at]!.to < height) return undefined;
    while (at > 0 && segments[at - 1]!.to === segments[at]!.from - 1n) at--;
    return segments[at]!.from;
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
  #segmentsOf(chain: string): readonly Segment[] {
    const known = this.#segments.get(chain);
    if (known !== undefined) return known;
    const segments = [...this.#checksums.keys()].flatMap((file) => {
      const parsed = parseBlockFile(file.slice(0, -COMPRESSED.length));
      return parsed?.chain === chain && parsed.range !== undefined ? [{ file, ...parsed.range }] : [];
    });
    segments.sort((a, b) => (a.from < b.from ? -1 : 1));
    this.#segments.set(chain, segments);
    return segments;
  }

  /** Number of the chain's blocks. */
  blocksOf(chain: string): number {
    return this.#segmentsOf(chain).reduce((sum, { from, to }) => sum + Number(to - from) + 1, 0);
  }

  /** Height of the last block of the chain's first segment; undefined: it has none. */
  firstEndOf(chain: string): bigint | undefined {
    return this.#segmentsOf(chain)[0]?.to;
  }

  /** Removes the segments of a chain that end at or below this height. */
  async dropThrough(chain: string, height: bigint): Promise<void> {
    const dropped = this.#segmentsOf(chain).filter(({ to }) => to <= height);
    if (dropped.length === 0) return;
    for (const { file } of dropped) {
      this.#checksums.delete(file);
      this.#sizes.delete(file);
    }
    await this.#nameFiles();
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
    return this.#write(file, inPieces(lines), [createGzip()]);
  }

  async #write(file: string, chunks: Iterable<string> | AsyncIterable<string>, encoders: NodeJS.ReadWriteStream[]): Promise<void> {
    const path = join(this.#path, file);
    const hash = createHash("sha256");
    let size = 0;
    const hashing = new Transform({
      transform(chunk: Buffer, _, done) {
        hash.update(chunk);
        size += chunk.length;
        done(null, chunk);
      },
    });
    const unfinished = `${path}.part`;
    await pipeline([Readable.from(chunks), ...encoders, hashing, createWriteStream(unfinished, { flush: true })]);
    await rename(unfinished, path);
    this.#checksums.set(file, hash.digest("hex"));
    this.#sizes.set(file, size);
    await this.#nameFiles();
  }

  /** Several files may be written at once. */
  #nameFiles(): Promise<void> {
    this.#segments.clear();
    const write = () => writeChecksums(this.#path, this.#checksums);
    this.#naming = this.#naming.then(write, write);
    return this.#naming;
  }
}

/** Compressing costs a turn of the event loop for each piece. */
async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece: string[] = [];
  let length = 0;
  for await (const line of lines) {
    piece.push(line);
    length += line.length;
    if (length < PIECE_LENGTH) continue;
    yield piece.join("");
    piece = [];
    length = 0;
  }
  if (length > 0) yield piece.join("");
}
