/**
 * Writes LMDB's data file, version 2, from entries in key order: leaves, long values and branches go to the end of the file one after the
 * other, the meta pages last. LMDB would insert each entry into a tree; this costs a fraction of that, and leaves no free pages. The file is
 * the one that LMDB leaves after its first commit, and LMDB reads and writes it from then on.
 */
import { ByteWriter } from "./byte-writer.ts";
import {
  ADDRESS_SPACE_BYTES,
  BRANCH_PAGE,
  DATA_VERSION,
  IN_OVERFLOW_PAGES,
  LEAF_PAGE,
  MAGIC,
  META_BYTES,
  META_PAGE,
  NO_ROOT,
  NODE_HEADER_BYTES,
  OVERFLOW_PAGE,
  OVERFLOW_REFERENCE_BYTES,
  PAGE_BYTES,
  PAGE_HEADER_BYTES,
} from "./page-file.ts";
import { MAX_KEY_BYTES } from "./row-codec.ts";

const PAGE_SPACE = PAGE_BYTES - PAGE_HEADER_BYTES;
/** A page has an index of its entries' positions. */
const INDEX_BYTES = 2;
/** A larger entry's value is in overflow pages, so that at least two entries fit into each page (`me_nodemax` in mdb.c). */
const LARGEST_NODE_BYTES = PAGE_SPACE / 2 - INDEX_BYTES;
/** The transaction that all pages belong to. It writes the second meta page; the first is that of an empty file. */
const TRANSACTION = 1n;
const FIRST_PAGE = 2;
const LARGEST_VALUE_BYTES = 0xffff_ffff;
/** flag of the tree of free pages, whose keys are integers */
const INTEGER_KEYS = 0x08;

/** A page of the level below, and a key from which on it has entries. */
interface Child {
  readonly key: Buffer;
  readonly page: number;
}

interface Level {
  children: Child[];
  bytes: number;
  pages: number;
}

export class BulkWriter {
  readonly #out: ByteWriter;
  readonly #leafSpace: number;
  readonly #leaf = Buffer.alloc(PAGE_BYTES);
  /** entries of the open leaf, and where the last of them begins */
  #count = 0;
  #upper = PAGE_BYTES;
  /** from which on the open leaf has entries */
  #leafKey = Buffer.alloc(0);
  readonly #levels: Level[] = [];
  #nextPage = FIRST_PAGE;
  #entries = 0;
  #leaves = 0;
  #branches = 0;
  #overflows = 0;

  /** @param fill the share of each leaf that is used, from 0 to 1: what is left takes later entries without splitting the page */
  constructor(path: string, { fill = 1 }: { readonly fill?: number } = {}) {
    this.#leafSpace = Math.floor(PAGE_SPACE * fill);
    this.#out = new ByteWriter(path, FIRST_PAGE * PAGE_BYTES);
  }

  get entries(): number {
    return this.#entries;
  }

  get fileBytes(): number {
    return this.#nextPage * PAGE_BYTES;
  }

  /** Adds an entry, whose key must be above all earlier ones, from parts of two buffers. */
  add(keys: Uint8Array, keyAt: number, keyBytes: number, values: Uint8Array, valueAt: number, valueBytes: number): void {
    if (keyBytes === 0 || keyBytes > MAX_KEY_BYTES) throw new RangeError(`a key of ${keyBytes} bytes; it needs 1 to ${MAX_KEY_BYTES}`);
    if (valueBytes > LARGEST_VALUE_BYTES) throw new RangeError(`a value of ${valueBytes} bytes; at most ${LARGEST_VALUE_BYTES} fit`);
    const isLong = NODE_HEADER_BYTES + keyBytes + valueBytes > LARGEST_NODE_BYTES;
    const nodeBytes = even(NODE_HEADER_BYTES + keyBytes + (isLong ? OVERFLOW_REFERENCE_BYTES : valueBytes));
    const shared = this.#count === 0 ? 0 : this.#sharedBytes(keys, keyAt, keyBytes);
    const used = PAGE_BYTES - this.#upper + (this.#count + 1) * INDEX_BYTES + nodeBytes;
    if (this.#count > 0 && (used > PAGE_SPACE || used > this.#leafSpace)) {
      this.#writeLeaf();
      // what distinguishes it from the key before is enough
      this.#leafKey = Buffer.from(keys.subarray(keyAt, keyAt + shared + 1));
    }
    const long = isLong ? this.#writeLong(values, valueAt, valueBytes) : undefined;
    const leaf = this.#leaf;
    const at = this.#upper - nodeBytes;
    leaf.writeUInt32LE(valueBytes, at);
    leaf.writeUInt16LE(isLong ? IN_OVERFLOW_PAGES : 0, at + 4);
    leaf.writeUInt16LE(keyBytes, at + 6);
    copy(keys, keyAt, keyBytes, leaf, at + NODE_HEADER_BYTES);
    if (long === undefined) copy(values, valueAt, valueBytes, leaf, at + NODE_HEADER_BYTES + keyBytes);
    else copy(long, 0, long.length, leaf, at + NODE_HEADER_BYTES + keyBytes);
    leaf.writeUInt16LE(at - PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + this.#count * INDEX_BYTES);
    this.#upper = at;
    this.#count++;
    this.#entries++;
  }

  /** Completes the file and flushes it to the disk. */
  finish(): void {
    if (this.#count > 0) this.#writeLeaf();
    const { root, depth } = this.#closeLevels();
    this.#out.flush();
    this.#out.writeAt(metaPages({ root, depth, nextPage: this.#nextPage, entries: this.#entries, ...this.#pages() }), 0);
    this.#out.sync();
    this.#out.close();
  }

  /** Leaves an incomplete file, which LMDB refuses. */
  abort(): void {
    this.#out.close();
  }

  #pages() {
    return { leaves: this.#leaves, branches: this.#branches, overflows: this.#overflows };
  }

  /** Number of first bytes that the key has in common with the one before; throws unless it is above that one. */
  #sharedBytes(keys: Uint8Array, keyAt: number, keyBytes: number): number {
    const leaf = this.#leaf;
    const before = this.#upper + NODE_HEADER_BYTES;
    const beforeBytes = leaf[this.#upper + 6]! | (leaf[this.#upper + 7]! << 8);
    const length = Math.min(beforeBytes, keyBytes);
    let at = 0;
    while (at < length && leaf[before + at] === keys[keyAt + at]) at++;
    if (at === length ? keyBytes <= beforeBytes : keys[keyAt + at]! < leaf[before + at]!) {
      throw new RangeError("a key that is not above the one before it");
    }
    return at;
  }

  #writeLeaf(): void {
    const page = this.#nextPage++;
    finishPage(this.#leaf, page, LEAF_PAGE, this.#count, this.#upper);
    this.#out.write(this.#leaf);
    this.#leaves++;
    this.#addChild(0, { key: this.#leafKey, page });
    this.#count = 0;
    this.#upper = PAGE_BYTES;
  }

  /** Returns the reference to the value. */
  #writeLong(values: Uint8Array, at: number, length: number): Buffer {
    const pages = Math.ceil((PAGE_HEADER_BYTES + length) / PAGE_BYTES);
    const first = this.#nextPage;
    this.#nextPage += pages;
    this.#overflows += pages;
    const bytes = Buffer.alloc(pages * PAGE_BYTES);
    writeHeader(bytes, first, OVERFLOW_PAGE);
    bytes.writeUInt32LE(pages, 20);
    bytes.set(values.subarray(at, at + length), PAGE_HEADER_BYTES);
    this.#out.write(bytes);
    const reference = Buffer.alloc(OVERFLOW_REFERENCE_BYTES);
    reference.writeBigUInt64LE(BigInt(first), 0);
    reference.writeBigUInt64LE(TRANSACTION, 8);
    reference.writeBigUInt64LE(BigInt(pages), 16);
    return reference;
  }

  #addChild(depth: number, child: Child): void {
    this.#levels[depth] ??= { children: [], bytes: 0, pages: 0 };
    const level = this.#levels[depth];
    if (level.children.length > 0 && level.bytes + branchNodeBytes(child.key.length) > PAGE_SPACE) {
      // The last one begins the next page, so that no page has a single child. Three always fit
      const last = level.children.pop()!;
      this.#writeBranch(depth, level);
      Object.assign(level, { children: [last], bytes: branchNodeBytes(0) });
    }
    level.bytes += branchNodeBytes(level.children.length === 0 ? 0 : child.key.length);
    level.children.push(child);
  }

  #writeBranch(depth: number, level: Level): void {
    const bytes = Buffer.alloc(PAGE_BYTES);
    let upper = PAGE_BYTES;
    for (const [index, { key, page }] of level.children.entries()) {
      // the first key of a branch page is empty: it takes all keys below the second
      const keyBytes = index === 0 ? 0 : key.length;
      upper -= even(NODE_HEADER_BYTES + keyBytes);
      bytes.writeUInt32LE(page % 2 ** 32, upper);
      bytes.writeUInt16LE(Math.floor(page / 2 ** 32), upper + 4);
      bytes.writeUInt16LE(keyBytes, upper + 6);
      key.copy(bytes, upper + NODE_HEADER_BYTES, 0, keyBytes);
      bytes.writeUInt16LE(upper - PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + index * INDEX_BYTES);
    }
    const page = this.#nextPage++;
    finishPage(bytes, page, BRANCH_PAGE, level.children.length, upper);
    this.#out.write(bytes);
    this.#branches++;
    level.pages++;
    this.#addChild(depth + 1, { key: level.children[0]!.key, page });
  }

  #closeLevels(): { root: number | undefined; depth: number } {
    if (this.#leaves === 0) return { root: undefined, depth: 0 };
    for (let depth = 0; ; depth++) {
      const level = this.#levels[depth]!;
      if (level.pages === 0 && level.children.length === 1) return { root: level.children[0]!.page, depth: depth + 1 };
      this.#writeBranch(depth, level);
    }
  }
}

interface Summary {
  readonly root: number | undefined;
  readonly depth: number;
  readonly nextPage: number;
  readonly entries: number;
  readonly leaves: number;
  readonly branches: number;
  readonly overflows: number;
}

function metaPages(summary: Summary): Buffer {
  const bytes = Buffer.alloc(FIRST_PAGE * PAGE_BYTES);
  const empty = { root: undefined, depth: 0, nextPage: FIRST_PAGE, entries: 0, leaves: 0, branches: 0, overflows: 0 };
  writeMeta(bytes.subarray(0, META_BYTES), 0, empty, 0n);
  writeMeta(bytes.subarray(PAGE_BYTES, PAGE_BYTES + META_BYTES), 1, summary, TRANSACTION);
  return bytes;
}

function writeMeta(bytes: Buffer, page: number, { root, depth, nextPage, entries, ...pages }: Summary, transaction: bigint): void {
  bytes.writeBigUInt64LE(BigInt(page), 0);
  bytes.writeUInt16LE(META_PAGE, 18);
  bytes.writeUInt32LE(MAGIC, 24);
  bytes.writeUInt32LE(DATA_VERSION, 28);
  bytes.writeBigUInt64LE(BigInt(ADDRESS_SPACE_BYTES), 40);
  bytes.writeUInt32LE(PAGE_BYTES, 48);
  bytes.writeUInt16LE(INTEGER_KEYS, 52);
  bytes.writeBigUInt64LE(NO_ROOT, 48 + 40);
  bytes.writeUInt16LE(depth, 96 + 6);
  bytes.writeBigUInt64LE(BigInt(pages.branches), 96 + 8);
  bytes.writeBigUInt64LE(BigInt(pages.leaves), 96 + 16);
  bytes.writeBigUInt64LE(BigInt(pages.overflows), 96 + 24);
  bytes.writeBigUInt64LE(BigInt(entries), 96 + 32);
  bytes.writeBigUInt64LE(root === undefined ? NO_ROOT : BigInt(root), 96 + 40);
  bytes.writeBigUInt64LE(BigInt(nextPage - 1), 144);
  bytes.writeBigUInt64LE(transaction, 152);
}

function writeHeader(bytes: Buffer, page: number, kind: number): void {
  bytes.writeBigUInt64LE(BigInt(page), 0);
  bytes.writeBigUInt64LE(TRANSACTION, 8);
  bytes.writeUInt16LE(0, 16);
  bytes.writeUInt16LE(kind, 18);
}

/** Completes a page of entries whose last one begins at `upper`. The space between index and entries is cleared: it had other entries. */
function finishPage(bytes: Buffer, page: number, kind: number, count: number, upper: number): void {
  writeHeader(bytes, page, kind);
  const lower = count * INDEX_BYTES;
  bytes.writeUInt16LE(lower, 20);
  bytes.writeUInt16LE(upper - PAGE_HEADER_BYTES, 22);
  bytes.fill(0, PAGE_HEADER_BYTES + lower, upper);
}

function branchNodeBytes(keyBytes: number): number {
  return even(NODE_HEADER_BYTES + keyBytes) + INDEX_BYTES;
}

/** Entries begin at even positions. */
function even(bytes: number): number {
  return (bytes + 1) & ~1;
}

/** Most pieces are short: a loop is faster than a call into the runtime. */
const SHORT_BYTES = 64;

function copy(from: Uint8Array, at: number, length: number, to: Uint8Array, toAt: number): void {
  if (length > SHORT_BYTES) to.set(from.subarray(at, at + length), toAt);
  else for (let byte = 0; byte < length; byte++) to[toAt + byte] = from[at + byte]!;
}
