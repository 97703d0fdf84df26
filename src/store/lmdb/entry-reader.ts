/**
 * Reads all entries of a data file in key order with plain reads, several times as fast as LMDB's cursor through its binding. The file must
 * not be written meanwhile.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import {
  BRANCH_PAGE,
  IN_OVERFLOW_PAGES,
  LEAF_PAGE,
  type MetaPage,
  NODE_HEADER_BYTES,
  newestMeta,
  OVERFLOW_PAGE,
  PAGE_HEADER_BYTES,
  PageError,
} from "./page-file.ts";

interface OpenBranch {
  readonly page: Buffer;
  readonly children: number;
  next: number;
}

export class EntryReader {
  readonly #file: number;
  readonly #meta: MetaPage;
  readonly #branches: OpenBranch[] = [];
  #leafEntries = 0;
  #nextEntry = 0;
  /** The leaf with the current entry. Its key is `keyBytes` long and begins at `keyAt`. Both are valid until the next call of `next`. */
  readonly page: Buffer;
  keyAt = 0;
  keyBytes = 0;
  /** The value of the current entry is a part of these bytes. */
  value: Buffer;
  valueAt = 0;
  valueBytes = 0;

  constructor(path: string) {
    this.#file = openSync(path, "r");
    try {
      this.#meta = newestMeta(this.#file, fstatSync(this.#file).size);
      this.page = Buffer.allocUnsafeSlow(this.#meta.pageBytes);
      this.value = this.page;
      if (this.#meta.rows.root !== undefined) this.#descend(this.#meta.rows.root, 1);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** number of all entries */
  get entries(): number {
    return this.#meta.rows.entries;
  }

  /** Proceeds to the next entry, the first one at the beginning. Returns false if there is none. */
  next(): boolean {
    while (this.#nextEntry >= this.#leafEntries) {
      const branch = this.#branches.at(-1);
      if (branch === undefined) return false;
      if (branch.next < branch.children) this.#descend(childOf(branch), this.#branches.length + 1);
      else this.#branches.pop();
    }
    const { page } = this;
    const at = PAGE_HEADER_BYTES + uint16(page, PAGE_HEADER_BYTES + 2 * this.#nextEntry++);
    this.keyAt = at + NODE_HEADER_BYTES;
    this.keyBytes = uint16(page, at + 6);
    this.valueBytes = page.readUInt32LE(at);
    const valueAt = this.keyAt + this.keyBytes;
    const flags = uint16(page, at + 4);
    if (flags === IN_OVERFLOW_PAGES) return this.#readLong(valueAt);
    if (flags !== 0 || valueAt + this.valueBytes > page.length) throw new PageError("it has an entry that does not lie in its page");
    this.value = page;
    this.valueAt = valueAt;
    return true;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Opens a page, and the first of each level below it, down to a leaf. */
  #descend(number: number, depth: number): void {
    const { depth: leafDepth } = this.#meta.rows;
    let child = number;
    for (let at = depth; at < leafDepth; at++) {
      const page = Buffer.allocUnsafe(this.#meta.pageBytes);
      this.#read(page, child, BRANCH_PAGE);
      const branch = { page, children: uint16(page, 20) / 2, next: 0 };
      this.#branches.push(branch);
      child = childOf(branch);
    }
    this.#read(this.page, child, LEAF_PAGE);
    this.#leafEntries = uint16(this.page, 20) / 2;
    this.#nextEntry = 0;
  }

  #readLong(referenceAt: number): true {
    const first = Number(this.page.readBigUInt64LE(referenceAt));
    const pages = Number(this.page.readBigUInt64LE(referenceAt + 16));
    if (pages !== Math.ceil((PAGE_HEADER_BYTES + this.valueBytes) / this.page.length)) {
      throw new PageError(`it has a value of ${this.valueBytes} bytes in ${pages} pages`);
    }
    this.value = Buffer.allocUnsafe(pages * this.page.length);
    this.#read(this.value, first, OVERFLOW_PAGE);
    this.valueAt = PAGE_HEADER_BYTES;
    return true;
  }

  #read(into: Buffer, number: number, kind: number): void {
    const read = readSync(this.#file, into, 0, into.length, number * this.#meta.pageBytes);
    if (read < into.length) throw new PageError(`it is cut off: page ${number} lies after its end`);
    if (Number(into.readBigUInt64LE(0)) !== number || uint16(into, 18) !== kind) throw new PageError(`page ${number} is damaged`);
  }
}

function childOf(branch: OpenBranch): number {
  const { page } = branch;
  const at = PAGE_HEADER_BYTES + uint16(page, PAGE_HEADER_BYTES + 2 * branch.next++);
  return page.readUInt32LE(at) + uint16(page, at + 4) * 2 ** 32;
}

function uint16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}
