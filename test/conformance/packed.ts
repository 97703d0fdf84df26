/**
 * Packs and unpacks recordings for the repository: one solid brotli stream per folder.
 *
 * The stream contains for each file a JSON line `{path, size, base64?}` and then `size` bytes. Gzipped files are stored unzipped (under
 * their name without `.gz`), because one large window over all files finds what they have in common. For the same reason a base64
 * `container` is stored as hex (`base64: true`) and converted back when unpacking.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from "node:zlib";

interface Entry {
  path: string;
  size: number;
  base64?: true;
}

const WINDOW_BITS = 28;

/** Packs a recording folder; takes minutes, since it is done once per recording. */
export function pack(folder: string, quality = constants.BROTLI_MAX_QUALITY): Buffer {
  const parts: Buffer[] = [];
  for (const file of listFiles(folder)) {
    const raw = readFileSync(file);
    const path = relative(folder, file);
    const isGzipped = path.endsWith(".gz");
    const content = isGzipped ? gunzipSync(raw) : raw;
    const recoded = path.startsWith("blocks/") ? recode(content, "base64", "hex") : undefined;
    const body = recoded ?? content;
    const entry: Entry = { path: isGzipped ? path.slice(0, -3) : path, size: body.length, ...(recoded && { base64: true }) };
    parts.push(Buffer.from(`${JSON.stringify(entry)}\n`), body);
  }
  const solid = Buffer.concat(parts);
  return brotliCompressSync(solid, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
      [constants.BROTLI_PARAM_SIZE_HINT]: solid.length,
    },
  });
}

/** Unpacks into `cache/<name>-<hash>` unless it is already there, and returns that folder. */
export function unpack(packedFile: string, name: string, cache: string): string {
  const packed = readFileSync(packedFile);
  const folder = join(cache, `${name}-${createHash("sha256").update(packed).digest("hex").slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  const solid = brotliDecompressSync(packed, { params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } });
  for (let at = 0; at < solid.length; ) {
    const lineEnd = solid.indexOf(0x0a, at);
    const entry = JSON.parse(solid.toString("utf8", at, lineEnd)) as Entry;
    const body = solid.subarray(lineEnd + 1, lineEnd + 1 + entry.size);
    const file = join(partial, entry.path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, entry.base64 ? recode(body, "hex", "base64")! : body);
    at = lineEnd + 1 + entry.size;
  }
  try {
    renameSync(partial, folder);
  } catch (error) {
    // another test process was faster
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Rewrites the `container` of every line; undefined if a line has none, or not in this encoding. */
function recode(content: Buffer, from: "base64" | "hex", to: "base64" | "hex"): Buffer | undefined {
  const lines = content.toString("utf8").split("\n");
  const out: string[] = [];
  for (const line of lines) {
    if (line === "") {
      out.push(line);
      continue;
    }
    const match = /"container":"([^"]*)"/.exec(line);
    if (match === null || match[1]!.startsWith("0x")) return undefined;
    out.push(line.replace(match[1]!, () => Buffer.from(match[1]!, from).toString(to)));
  }
  return Buffer.from(out.join("\n"));
}

function listFiles(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? listFiles(path) : [path];
    });
}
