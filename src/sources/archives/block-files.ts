/**
 * How the block files of a recording are called: `blocks/P.jsonl`, or in segments `blocks/P.000000000001-000000010000.jsonl`, which lets an
 * archive grow file by file. Names are without the suffix of compression.
 */
import { FirnError } from "../../base/errors/errors.ts";

export interface BlockFile {
  readonly file: string;
  /** short name, or blockchain ID */
  readonly chain: string;
  /** heights of its first and last block; undefined: one file has all */
  readonly range: { readonly from: bigint; readonly to: bigint } | undefined;
}

const BLOCK_FILE = /^blocks\/([^/.]+)(?:\.(\d{12})-(\d{12}))?\.jsonl$/;
const DIGITS = 12;

export function segmentName(chain: string, from: bigint, to: bigint): string {
  const digits = (height: bigint) => height.toString().padStart(DIGITS, "0");
  return `blocks/${chain}.${digits(from)}-${digits(to)}.jsonl`;
}

/** undefined: the file holds no blocks */
export function parseBlockFile(file: string): BlockFile | undefined {
  const match = BLOCK_FILE.exec(file);
  if (match === null) return undefined;
  const [, chain = "", from, to] = match;
  return { file, chain, range: from === undefined || to === undefined ? undefined : { from: BigInt(from), to: BigInt(to) } };
}

/** The files of one chain in order. Throws if a segment is missing between two others. */
export function inOrder(files: readonly BlockFile[]): BlockFile[] {
  const sorted = [...files].sort((a, b) => (a.file < b.file ? -1 : 1));
  for (const [i, { file, range }] of sorted.entries()) {
    const before = sorted[i - 1]?.range;
    if (i === 0 || (before !== undefined && range?.from === before.to + 1n)) continue;
    const sentence = `${file} does not continue ${sorted[i - 1]!.file}; each segment begins at the height behind the one before it`;
    throw new FirnError("archive-segments", sentence, { file });
  }
  return sorted;
}
