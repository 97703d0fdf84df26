/**
 * Reads the pages of LMDB's data file, version 2, with plain reads. A check can then find damaged or missing pages, where LMDB, which maps
 * the file into memory, would end the process with a signal. Little-endian, like the machines that Firn runs on.
 */
import { readSync } from "node:fs";
import { FirnError } from "../../base/errors/errors.ts";

export const BRANCH_PAGE = 0x01;
export const LEAF_PAGE = 0x02;
export const OVERFLOW_PAGE = 0x04;
export const META_PAGE = 0x08;

/** The page size of the files that Firn creates. */
export const PAGE_BYTES = 4096;
/** 1 TiB, which no chain comes near; unused address space costs nothing. The file grows with its content. */
export const ADDRESS_SPACE_BYTES = 2 ** 40;

/** Page number, transaction, key size, flags, and either the bounds of free space or the number of joined pages. */
export const PAGE_HEADER_BYTES = 24;
/** The head of an entry: the value's length or the child's page, flags, key size. */
export const NODE_HEADER_BYTES = 8;
/** The flag of an entry whose value is in overflow pages. */
export const IN_OVERFLOW_PAGES = 0x01;
/** of a reference to a value in overflow pages: first page, transaction, number of pages */
export const OVERFLOW_REFERENCE_BYTES = 24;
export const META_BYTES = 160;
export const MAGIC = 0xbeef_c0de;
export const DATA_VERSION = 2;
const SMALLEST_PAGE_BYTES = 512;
const LARGEST_PAGE_BYTES = 65_536;
export const NO_ROOT = 2n ** 64n - 1n;

/** One of a file's two trees: free pages, and rows. */
export interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** undefined if the tree is empty */
  readonly root: number | undefined;
}

/** A committed state. A file has two; a commit overwrites the older one. */
export interface MetaPage {
  readonly pageBytes: number;
  readonly free: Tree;
  readonly rows: Tree;
  readonly lastPage: number;
  readonly transaction: bigint;
}

/** `reason` completes a sentence whose subject is the file. */
export class PageError extends FirnError {
  constructor(reason: string, facts: Record<string, unknown> = {}) {
    super("store-damaged", reason, facts);
  }
}

/** The newer of the two committed states; throws {@link PageError} if one of them is invalid. */
export function newestMeta(file: number, fileBytes: number): MetaPage {
  const first = readMeta(file, 0, 0, fileBytes);
  const second = readMeta(file, 1, first.pageBytes, fileBytes);
  if (second.pageBytes !== first.pageBytes) throw new PageError("its two meta pages name different page sizes");
  return first.transaction > second.transaction ? first : second;
}

function readMeta(file: number, page: number, at: number, fileBytes: number): MetaPage {
  const bytes = metaBytes(file, at);
  if (bytes === undefined) throw new PageError(`it ends within its meta pages, after ${fileBytes} bytes`);
  if (bytes.readUInt32LE(24) !== MAGIC) {
    throw new PageError(page === 0 ? "it is not an LMDB file: its first page has no LMDB header" : "its second meta page is overwritten");
  }
  const version = bytes.readUInt32LE(28) & 0xffff;
  if (version !== DATA_VERSION)
    throw new PageError(`it has LMDB's format ${version}, but this version of Firn reads format ${DATA_VERSION}`);
  const meta: MetaPage = {
    pageBytes: bytes.readUInt32LE(48),
    free: readTree(bytes, 48),
    rows: readTree(bytes, 96),
    lastPage: Number(bytes.readBigUInt64LE(144)),
    transaction: bytes.readBigUInt64LE(152),
  };
  const fault = metaFault(bytes, page, meta);
  if (fault !== undefined) throw new PageError(`its meta page ${page} is damaged: ${fault}`);
  return meta;
}

/** Reads until two reads agree, because another process may be writing it. undefined if the file is too short */
function metaBytes(file: number, at: number): Buffer | undefined {
  let [before, bytes] = [Buffer.alloc(META_BYTES), Buffer.alloc(META_BYTES)];
  do {
    [before, bytes] = [bytes, before];
    if (readSync(file, bytes, 0, META_BYTES, at) < META_BYTES) return undefined;
  } while (!bytes.equals(before));
  return bytes;
}

function metaFault(bytes: Buffer, page: number, { pageBytes, free, rows, lastPage }: MetaPage): string | undefined {
  if (bytes.readBigUInt64LE(0) !== BigInt(page) || bytes.readUInt16LE(18) !== META_PAGE) return "its header is another page's";
  if (pageBytes < SMALLEST_PAGE_BYTES || pageBytes > LARGEST_PAGE_BYTES || (pageBytes & (pageBytes - 1)) !== 0) {
    return `pages of ${pageBytes} bytes`;
  }
  if (bytes.readBigUInt64LE(40) < BigInt(lastPage + 1) * BigInt(pageBytes)) return `page ${lastPage} lies after the end of the map`;
  if (rows.flags !== 0) return "its keys have another order than Firn's: it belongs to another program";
  for (const { root, depth } of [free, rows]) {
    if (root !== undefined && (root > lastPage || root < 2)) return `the root of a tree is page ${root} of ${lastPage + 1}`;
    if ((root === undefined) !== (depth === 0)) return `a tree has depth ${depth} but root ${root ?? "none"}`;
  }
  return undefined;
}

function readTree(bytes: Buffer, at: number): Tree {
  const root = bytes.readBigUInt64LE(at + 40);
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: Number(bytes.readBigUInt64LE(at + 8)),
    leafPages: Number(bytes.readBigUInt64LE(at + 16)),
    overflowPages: Number(bytes.readBigUInt64LE(at + 24)),
    entries: Number(bytes.readBigUInt64LE(at + 32)),
    root: root === NO_ROOT ? undefined : Number(root),
  };
}

/** A set of page numbers with one bit each: 32 MiB for a store of one tebibyte. */
export class PageSet {
  readonly #bits: Uint8Array;

  constructor(pages: number) {
    this.#bits = new Uint8Array(Math.ceil(pages / 8));
  }

  /** Returns false if the page was already in the set. */
  add(page: number): boolean {
    const bit = 1 << (page & 7);
    if ((this.#bits[page >>> 3]! & bit) !== 0) return false;
    this.#bits[page >>> 3]! |= bit;
    return true;
  }

  has(page: number): boolean {
    return (this.#bits[page >>> 3]! & (1 << (page & 7))) !== 0;
  }
}
