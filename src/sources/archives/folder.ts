/**
 * Reads the files of a recording as streams of lines, from a directory or a packed file. Recordings may come from anybody, so the length of
 * a line and the expansion of a compressed file are limited.
 */
import { createReadStream } from "node:fs";
import { pipeline, type Transform } from "node:stream";
import { constants, createBrotliDecompress } from "node:zlib";
import { FirnError } from "../../base/errors/errors.ts";
import { openRegularFile } from "../../base/files/read-file.ts";

export interface Line {
  readonly text: string;
  /** file and line number, for errors: "blocks/P.jsonl:17" */
  readonly origin: string;
}

export interface ArchiveFolder {
  /** File names, without the suffix of their compression. */
  list(): Promise<readonly string[]>;
  lines(name: string): AsyncIterable<Line>;
  /** Bytes read so far, and in total, of the files whose lines were requested. */
  readonly read: { readonly bytes: number; readonly of: number };
}

/** Reads a whole small file; returns undefined if it does not exist. */
export async function readWhole(folder: ArchiveFolder, name: string): Promise<string | undefined> {
  if (!(await folder.list()).includes(name)) return undefined;
  const lines: string[] = [];
  let length = 0;
  for await (const { text, origin } of folder.lines(name)) {
    length += text.length + 1;
    if (length > MAX_LINE_BYTES) throw tooLong(origin);
    lines.push(text);
  }
  return lines.join("\n");
}

/** The longest useful line, the hex genesis of a large network, has a few MB. */
const MAX_LINE_BYTES = 64 << 20;

/**
 * Largest expansion of a compressed file. Recordings expand up to a hundredfold; more than this limit is not plausible. The allowance below
 * is for small files that start with long runs.
 */
const MOST_EXPANSION = 1000;
const ALLOWED_IN_ANY_CASE = 64 << 20;
/** Packed recordings use 2 ** 28. A decoder needs as much memory as its window. */
const MAX_WINDOW_BITS = 28;

interface ReadBytes {
  bytes: number;
  of: number;
}

/** Streams a regular file and counts the bytes in `read`. The file is closed when the consumer stops. */
export async function* readFileChunks(path: string, read: ReadBytes): AsyncGenerator<Buffer> {
  const { fd, size } = openRegularFile(path);
  read.of += size;
  for await (const chunk of createReadStream(path, { fd, highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    read.bytes += chunk.length;
    yield chunk;
  }
}

/** Streams the decoded content of a file. The stream ends when the consumer stops. */
export async function* decompressed(file: AsyncIterable<Buffer>, decoder: Transform, name: string): AsyncGenerator<Buffer> {
  let packed = 0;
  let unpacked = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      packed += chunk.length;
      yield chunk;
    }
  };
  // The consumer gets errors from the last stream
  pipeline(file, counted, decoder, () => {});
  for await (const chunk of decoder as AsyncIterable<Buffer>) {
    unpacked += chunk.length;
    if (unpacked > ALLOWED_IN_ANY_CASE + packed * MOST_EXPANSION) {
      const message = `${name}: ${packed} bytes of it make more than ${unpacked}; a recording is compressed to a ${MOST_EXPANSION}th at most`;
      throw new FirnError("archive-expansion", message, { name });
    }
    yield chunk;
  }
}

/** Refuses a larger window, which only a file of that size could use. */
export async function* ofUsableWindow(file: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of file) {
    // 0x11 begins a stream with a large window; its size follows in six bits
    if (isFirst && chunk[0] === 0x11 && (chunk[1]! & 0x3f) > MAX_WINDOW_BITS) {
      throw new FirnError(
        "archive-window",
        `${name} needs a brotli window of more than ${MAX_WINDOW_BITS} bits; pack it with a smaller window`,
      );
    }
    isFirst = false;
    yield chunk;
  }
}

export function brotliDecoder() {
  return createBrotliDecompress({ params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } });
}

const NEWLINE = 0x0a;

/** A stream that breaks off throws an error that names the line. The last line needs no newline. */
export async function* splitLines(stream: AsyncIterable<Buffer>, name: string): AsyncGenerator<Line> {
  let number = 0;
  let open: Buffer[] = [];
  let openBytes = 0;
  const line = (last: Buffer): Line => {
    const bytes = open.length === 0 ? last : Buffer.concat([...open, last]);
    open = [];
    openBytes = 0;
    number++;
    return { text: bytes.toString("utf8"), origin: `${name}:${number}` };
  };
  try {
    for await (const chunk of stream) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        yield line(chunk.subarray(start, end));
        start = end + 1;
      }
      if (start < chunk.length) open.push(chunk.subarray(start));
      openBytes += chunk.length - start;
      if (openBytes > MAX_LINE_BYTES) throw tooLong(`${name}:${number + 1}`);
    }
  } catch (error) {
    if (error instanceof FirnError || !(error instanceof Error)) throw error;
    throw new FirnError(
      "archive-damaged",
      `${name}: cannot be read after line ${number}: ${error.message}`,
      { name, line: number },
      { cause: error },
    );
  }
  if (open.length > 0) yield line(Buffer.alloc(0));
}

function tooLong(origin: string): FirnError {
  return new FirnError("archive-line", `${origin}: it is longer than ${MAX_LINE_BYTES >> 20} MiB, the most for a line of a recording`, {
    origin,
  });
}
