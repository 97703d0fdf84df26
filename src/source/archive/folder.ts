/** Files of a recording, read as streams of lines, wherever they are kept. */
import { constants, createBrotliDecompress } from "node:zlib";
import { FirnError } from "../../primitives/errors.ts";

export interface Line {
  readonly text: string;
  /** file and line number, for errors: "blocks/P.jsonl:17" */
  readonly origin: string;
}

export interface ArchiveFolder {
  /** Names of files, without the suffix of their compression. */
  list(): Promise<readonly string[]>;
  lines(name: string): AsyncIterable<Line>;
  /** Bytes read so far and in all, of the files whose lines were asked for. */
  readonly read: { readonly bytes: number; readonly of: number };
}

/** A whole file, for small ones; undefined if there is none. */
export async function readWhole(folder: ArchiveFolder, name: string): Promise<string | undefined> {
  if (!(await folder.list()).includes(name)) return undefined;
  const lines: string[] = [];
  for await (const { text } of folder.lines(name)) lines.push(text);
  return lines.join("\n");
}

export function brotliDecoder() {
  return createBrotliDecompress({ params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } });
}

const NEWLINE = 0x0a;

/** A stream that breaks off is an error that names the line; the last line needs no newline. */
export async function* splitLines(stream: AsyncIterable<Buffer>, name: string): AsyncGenerator<Line> {
  let number = 0;
  let open: Buffer[] = [];
  const line = (last: Buffer): Line => {
    const bytes = open.length === 0 ? last : Buffer.concat([...open, last]);
    open = [];
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
