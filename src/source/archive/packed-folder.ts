/**
 * A recording folder in one brotli stream: per file a JSON line `{path, size, base64?}` and then `size` bytes. With `base64` the file's
 * `container` members are hex here and base64 in the file. Read as a stream, anew for each file.
 */
import { createReadStream, statSync } from "node:fs";
import { FirnError } from "../../primitives/errors.ts";
import { type ArchiveFolder, brotliDecoder, type Line, splitLines } from "./folder.ts";

interface Entry {
  readonly path: string;
  readonly size: number;
  readonly base64?: true;
}

const NEWLINE = 0x0a;

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
    throw new FirnError("archive-missing", `${this.#path} holds no ${name}`, { name });
  }

  async #listEntries(): Promise<string[]> {
    const names: string[] = [];
    for await (const { path } of this.#entries()) names.push(path);
    return names;
  }

  /** Walks the stream; what its user leaves of a content is skipped. */
  async *#entries(): AsyncGenerator<Entry & { content: AsyncIterable<Buffer> }> {
    this.read.of += statSync(this.#path).size;
    const file = createReadStream(this.#path);
    file.on("data", (chunk) => {
      this.read.bytes += chunk.length;
    });
    const bytes = new ByteQueue(file.pipe(brotliDecoder()), this.#path);
    for (let header = await bytes.line(); header !== undefined; header = await bytes.line()) {
      const entry = entryOf(header, this.#path);
      const content = bytes.take(entry.size);
      yield { ...entry, content };
      for await (const _ of content);
    }
  }
}

/** Cuts a stream at lines and at lengths. */
class ByteQueue {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #path: string;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>, path: string) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#path = path;
  }

  /** undefined at the end */
  async line(): Promise<string | undefined> {
    let end = this.#rest.indexOf(NEWLINE);
    while (end < 0) {
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
      if (!(error instanceof Error)) throw error;
      const path = this.#path;
      throw new FirnError("archive-damaged", `${path} cannot be read as a packed recording: ${error.message}`, { path }, { cause: error });
    }
  }
}

function entryOf(header: string, path: string): Entry {
  try {
    return JSON.parse(header) as Entry;
  } catch (error) {
    throw new FirnError("archive-damaged", `${path} is no packed recording: it has no list of files`, { path }, { cause: error });
  }
}

function withBase64(line: string): string {
  return line.replace(/"container":"([^"]*)"/, (_, hex: string) => `"container":"${Buffer.from(hex, "hex").toString("base64")}"`);
}
