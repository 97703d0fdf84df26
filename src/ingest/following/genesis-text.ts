/** Reads the genesis that a user names: a file of the reference node's form, the genesis bytes as hex, or either of them at a URL. */

import { decodeHex } from "../../base/bytes/hex.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { readWholeFile } from "../../base/files/read-file.ts";

/** Mainnet's file has 3.5 MB. */
const MAX_BYTES = 64 << 20;
const TIMEOUT_MS = 60_000;

/** Returns the text of a genesis file, or the genesis bytes. `place` is a path, or an http(s) URL. */
export async function readGenesis(place: string, signal: AbortSignal): Promise<Uint8Array | string> {
  const text = (/^https?:\/\//.test(place) ? await download(place, signal) : readWholeFile(place, MAX_BYTES)).toString().trim();
  if (text.startsWith("{")) return text;
  try {
    return decodeHex(text.startsWith("0x") ? text : `0x${text}`, { checksum: false });
  } catch (error) {
    const sentence = `${place} is not a genesis; give the JSON file of the reference node's repository, or the genesis bytes as hex`;
    throw new FirnError("genesis", sentence, { place }, { cause: error });
  }
}

async function download(url: string, signal: AbortSignal): Promise<Buffer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return await bounded(response);
  } catch (error) {
    const reason = (error as { cause?: Error }).cause?.message ?? (error as Error).message;
    const sentence = `the genesis cannot be read from ${url}: ${reason}; download the file by other means, and name it with --genesis <file>`;
    throw new FirnError("genesis-download", sentence, { url }, { cause: error });
  }
}

async function bounded({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES >> 20} MiB`);
  }
  return Buffer.concat(chunks);
}
