/** Decompresses messages of peers. The bytes are hostile: neither the result nor the memory meanwhile may be larger than a message can be. */
import * as zlib from "node:zlib";
import { Decompress } from "fzstd";

/** Node 22.15 and newer; the types of the oldest Node that is supported have none of it. */
type NativeDecompress = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Buffer;
const native = (zlib as { readonly zstdDecompressSync?: NativeDecompress }).zstdDecompressSync;

/** Larger ones only save bytes of messages that are longer than any is. */
const MAX_WINDOW_BYTES = 8 * 2 ** 20;
const MAGIC = 0xfd2fb528;

/** Returns undefined if the bytes are no Zstandard frame, or it would be longer. */
export function decompress(bytes: Uint8Array, maxBytes: number): Uint8Array | undefined {
  if (!hasSmallWindow(bytes)) return undefined;
  try {
    return native === undefined ? decompressInScript(bytes, maxBytes) : native(bytes, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

/** @internal what is used where Node has nothing faster */
export function decompressInScript(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((piece) => {
    length += piece.length;
    if (length > maxBytes) throw new RangeError(`the content is longer than ${maxBytes} bytes`);
    pieces.push(piece);
  });
  stream.push(bytes, true);
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, length);
}

/** The window is allocated before anything is decompressed (RFC 8878, 3.1.1.1). */
function hasSmallWindow(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 6 || view.getUint32(0, true) !== MAGIC) return false;
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  if (!isSingleSegment) {
    const exponent = view.getUint8(5) >> 3;
    const mantissa = view.getUint8(5) & 7;
    return (2 ** (10 + exponent) / 8) * (8 + mantissa) <= MAX_WINDOW_BYTES;
  }
  const at = 5 + [0, 1, 2, 4][descriptor & 3]!;
  const size = [1, 2, 4, 8][descriptor >> 6]!;
  if (bytes.length < at + size) return false;
  if (size === 1) return true;
  if (size === 2) return true;
  return (size === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true))) <= MAX_WINDOW_BYTES;
}
