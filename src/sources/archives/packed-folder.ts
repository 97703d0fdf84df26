/**
 * A recording folder in one brotli stream: for each file a JSON line `{path, size, base64?}` followed by `size` bytes. With `base64`, the
 * file's `container` members are hex here and base64 in the original file. The stream is read again for each file.
 */
import { FirnError } from "../../base/errors/errors.ts";
import { type ArchiveFolder, brotliDecoder, decompressed, type Line, ofUsableWindow, readFileChunks, splitLines } from "./folder.ts";

interface Entry {
  readonly path: string;
  readonly size: number;
  readonly base64?: true;
}

const NEWLINE = 0x0a;
/** Longest line that names a file. */
const MAX_HEADER_BYTES = 4096;
/** A recording has one file per chain, and a few more. */
const MAX_FILES = 10_000;

export class PackedFolder implements ArchiveFolder {
  readonly read = { bytes: 0, of: 0 };
  readonly #path: string;
  #names: Promise<string[]> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  list(): Promise<readonly string[]> {
    this.#names ??= this.#listEntries();
    return this.#names;
  }

  async *lines(name: string): AsyncGenerator<Line> {
    for await (const { path, base64, content } of this.#entries()) {
      if (path !== name) continue;
      for await (const line of splitLines(content, name)) yield base64 ? { ...line, text: withBase64(line.text) } : line;
      return;
    }
    throw new FirnError("archive-missing", `${this.#path} has no file ${name}`, { name });
  }

  async #listEntries(): Promise<string[]> {
    const names: string[] = [];
    for await (const { path } of this.#entries()) {
      if (names.push(path) > MAX_FILES) throw new FirnError("archive-damaged", `${this.#path} has more than ${MAX_FILES} files`);
    }
    return names;
  }

  /** Iterates over the files. Content that the consumer does not read is skipped. */
  async *#entries(): AsyncGenerator<Entry & { content: AsyncIterable<Buffer> }> {
    const file = ofUsableWindow(readFileChunks(this.#path, this.read), this.#path);
    const bytes = new ByteQueue(decompressed(file, brotliDecoder(), this.#path), this.#path);
    try {
      for (let header = await bytes.line(); header !== undefined; header = await bytes.line()) {
        const entry = entryOf(header, this.#path);
        const content = bytes.take(entry.size);
        yield { ...entry, content };
        for await (const _ of content);
      }
    } finally {
      await bytes.close();
    }
  }
}

/** Cuts a stream by lines and by lengths. */
class ByteQueue {
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #path: string;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncGenerator<Buffer>, path: string) {
    this.#chunks = stream;
    this.#path = path;
  }

  /** Ends the stream and closes its file. */
  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  /** undefined at the end */
  async line(): Promise<string | undefined> {
    let end = this.#rest.indexOf(NEWLINE);
    while (end < 0) {
      if (this.#rest.length > MAX_HEADER_BYTES) throw notPacked(this.#path);
      const { value, done } = await this.#next();
      if (done) return undefined;
      this.#rest = Buffer.concat([this.#rest, value]);
      end = this.#rest.indexOf(NEWLINE);
    }
    const text = this.#rest.toString("utf8", 0, end);
    this.#rest = this.#rest.subarray(end + 1);
    return text;
  }

  async *take(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#next();
        if (done) throw new FirnError("archive-damaged", `the packed recording ends ${left} bytes too early`);
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async #next(): Promise<IteratorResult<Buffer>> {
    try {
      return await this.#chunks.next();
    } catch (error) {
      if (!(error instanceof Error) || error instanceof FirnError) throw error;
      const path = this.#path;
      throw new FirnError("archive-damaged", `${path} cannot be read as a packed recording: ${error.message}`, { path }, { cause: error });
    }
  }
}

function entryOf(header: string, path: string): Entry {
  try {
    const entry = JSON.parse(header) as Partial<Entry> | null;
    if (typeof entry?.path === "string" && Number.isSafeInteger(entry.size) && entry.size! >= 0) return entry as Entry;
  } catch (error) {
    throw notPacked(path, error);
  }
  throw notPacked(path);
}

function notPacked(path: string, cause?: unknown): FirnError {
  return new FirnError("archive-damaged", `${path} is not a packed recording: it has no list of files`, { path }, { cause });
}

function withBase64(line: string): string {
  return line.replace(/"container":"([^"]*)"/, (_, hex: string) => `"container":"${Buffer.from(hex, "hex").toString("base64")}"`);
}
