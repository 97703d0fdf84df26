/**
 * Walks a tree of LMDB's data file page by page and checks everything that LMDB assumes: that a page is the referenced one, that entries
 * lie within it, that keys ascend, that no page has two parents, and that the counts in the meta page are right.
 */
import { readSync } from "node:fs";
import {
  BRANCH_PAGE,
  IN_OVERFLOW_PAGES,
  LEAF_PAGE,
  type MetaPage,
  NODE_HEADER_BYTES,
  OVERFLOW_PAGE,
  OVERFLOW_REFERENCE_BYTES,
  PAGE_HEADER_BYTES,
  PageError,
  PageSet,
  type Tree,
} from "./page-file.ts";

const PAGE_NUMBER_BYTES = 8;

/** One entry of a leaf. Its buffers are valid until the next entry is requested. */
export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

export interface WalkOptions {
  /** Called with each fault, after which the walk continues. Without it the walk throws a {@link PageError}. */
  readonly report?: (reason: string) => void;
  /** Read only pages above the leaves of the row tree, and at most this many. */
  readonly mostBranches?: number;
}

/** All pages of one committed state. A read transaction at least as old must pin them, so that they are not overwritten meanwhile. */
export class PageWalk {
  readonly #file: number;
  readonly #meta: MetaPage;
  readonly #used: PageSet;
  readonly #free: PageSet;
  readonly #report: (reason: string) => void;
  readonly #mostBranches: number | undefined;
  /** number of pages read */
  #pages = 0;

  constructor(file: number, meta: MetaPage, options: WalkOptions = {}) {
    this.#file = file;
    this.#meta = meta;
    this.#used = new PageSet(meta.lastPage + 1);
    this.#free = new PageSet(meta.lastPage + 1);
    this.#mostBranches = options.mostBranches;
    this.#report =
      options.report ??
      ((reason) => {
        throw new PageError(reason);
      });
  }

  /** Entries of the row tree, in key order. */
  *rows(): Generator<Entry> {
    yield* this.#tree("rows", this.#meta.rows, Buffer.compare, this.#mostBranches);
  }

  /** Checks the tree of free pages. Call it before `rows`, which then detects pages that are in use but listed as free. */
  freePages(): void {
    for (const { value } of this.#tree("free pages", this.#meta.free, compareNumbers)) {
      const fault = this.#freeFault(value);
      if (fault !== undefined) this.#report(fault);
    }
  }

  /** Known once the free pages are checked. */
  isFree(page: number): boolean {
    return this.#free.has(page);
  }

  *#tree(name: string, tree: Tree, compare: (a: Buffer, b: Buffer) => number, mostBranches?: number): Generator<Entry> {
    if (tree.root === undefined) return;
    const counted = new TreeWalk({
      tree,
      compare,
      hasLeaves: mostBranches === undefined,
      lastTransaction: this.#meta.transaction,
      page: (number, pages) => this.#read(number, pages),
      report: this.#report,
      isEnough: () => mostBranches !== undefined && this.#pages >= mostBranches,
    });
    yield* counted.below(tree.root, 1, undefined, undefined);
    if (mostBranches === undefined) counted.checkCounts(name);
  }

  /** Returns undefined for a page that cannot be used, which has then been reported. */
  #read(number: number, pages: number): Buffer | undefined {
    const { lastPage, pageBytes } = this.#meta;
    if (number < 2 || number + pages - 1 > lastPage) {
      this.#report(`it refers to page ${number}, but its last page is ${lastPage}`);
      return undefined;
    }
    for (let page = number; page < number + pages; page++) {
      if (this.#used.add(page) && !this.#free.has(page)) continue;
      this.#report(this.#free.has(page) ? `page ${page} is in use but listed as free` : `page ${page} is used twice`);
      return undefined;
    }
    this.#pages++;
    const bytes = Buffer.allocUnsafe(pages * pageBytes);
    const read = readSync(this.#file, bytes, 0, bytes.length, number * pageBytes);
    if (read === bytes.length) return bytes;
    this.#report(`it is cut off: page ${number} lies after its end`);
    return undefined;
  }

  #freeFault(value: Buffer): string | undefined {
    const count = value.length < 8 ? -1 : Number(value.readBigUInt64LE(0));
    if (count < 0 || (count + 1) * 8 > value.length) return "a list of free pages is damaged";
    for (let at = 1, run = 1; at <= count; at++) {
      const number = Number(value.readBigInt64LE(at * 8));
      if (number > 0) {
        const fault = this.#runFault(number, run);
        if (fault !== undefined) return fault;
      }
      // a negative number gives the number of consecutive pages, which start at the next number
      run = number < 0 ? -number : 1;
    }
    return undefined;
  }

  #runFault(first: number, pages: number): string | undefined {
    const { lastPage } = this.#meta;
    if (first < 2 || first + pages - 1 > lastPage) return `page ${first} is listed as free, but the last one is ${lastPage}`;
    for (let page = first; page < first + pages; page++) {
      if (this.#used.has(page)) return `page ${page} is in use but listed as free`;
      if (!this.#free.add(page)) return `page ${page} is listed as free twice`;
    }
    return undefined;
  }
}

interface TreeSource {
  readonly tree: Tree;
  readonly compare: (a: Buffer, b: Buffer) => number;
  readonly hasLeaves: boolean;
  readonly lastTransaction: bigint;
  page(number: number, pages: number): Buffer | undefined;
  report(reason: string): void;
  /** checked before each page */
  isEnough(): boolean;
}

class TreeWalk {
  readonly #source: TreeSource;
  readonly #counts: Record<Counted, number> = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };

  constructor(source: TreeSource) {
    this.#source = source;
  }

  /** The entries below a page, whose keys must be from `low` to before `high`. */
  *below(number: number, depth: number, low: Buffer | undefined, high: Buffer | undefined): Generator<Entry> {
    const isLeaf = depth === this.#source.tree.depth;
    if ((isLeaf && !this.#source.hasLeaves) || this.#source.isEnough()) return;
    const page = this.#source.page(number, 1);
    if (page === undefined) return;
    const fault = headerFault(page, number, isLeaf ? LEAF_PAGE : BRANCH_PAGE, this.#source.lastTransaction);
    if (fault !== undefined) return this.#source.report(`page ${number} ${fault}`);
    if (isLeaf) yield* this.#leaf(page, number, low, high);
    else yield* this.#branch(page, number, depth, low, high);
  }

  checkCounts(name: string): void {
    const { tree, report } = this.#source;
    for (const [what, count] of Object.entries(this.#counts) as [Counted, number][]) {
      if (tree[what] !== count) report(`its tree of ${name} has ${count} ${COUNTED[what]}, but its meta page says ${tree[what]}`);
    }
  }

  *#branch(page: Buffer, number: number, depth: number, low: Buffer | undefined, high: Buffer | undefined): Generator<Entry> {
    this.#counts.branchPages++;
    const children: { readonly page: number; readonly low: Buffer | undefined }[] = [];
    for (const [index, at] of nodeOffsets(page).entries()) {
      const keyEnd = at + NODE_HEADER_BYTES + page.readUInt16LE(at + 6);
      if (keyEnd > page.length) return this.#source.report(`page ${number} has an entry that does not lie in it`);
      // the first entry covers all keys below the second
      const key = index === 0 ? low : page.subarray(at + NODE_HEADER_BYTES, keyEnd);
      children.push({ page: page.readUInt32LE(at) + page.readUInt16LE(at + 4) * 2 ** 32, low: key });
    }
    for (const [index, child] of children.entries()) {
      const until = children[index + 1]?.low ?? high;
      if (child.low !== undefined && until !== undefined && this.#source.compare(child.low, until) >= 0) {
        this.#source.report(`page ${number} has keys that do not ascend`);
      }
      yield* this.below(child.page, depth + 1, child.low, until);
    }
  }

  *#leaf(page: Buffer, number: number, low: Buffer | undefined, high: Buffer | undefined): Generator<Entry> {
    this.#counts.leafPages++;
    let previous = low;
    for (const [index, at] of nodeOffsets(page).entries()) {
      const valueAt = at + NODE_HEADER_BYTES + page.readUInt16LE(at + 6);
      if (valueAt > page.length) return this.#source.report(`page ${number} has an entry that does not lie in it`);
      const key = page.subarray(at + NODE_HEADER_BYTES, valueAt);
      const order = previous === undefined ? 1 : this.#source.compare(key, previous);
      if (order < 0 || (order === 0 && index > 0) || (high !== undefined && this.#source.compare(key, high) >= 0)) {
        this.#source.report(`page ${number} has keys that do not ascend`);
      }
      previous = key;
      const value = this.#value(page, number, at, valueAt);
      if (value === undefined) continue;
      this.#counts.entries++;
      yield { key, value };
    }
  }

  #value(page: Buffer, number: number, at: number, valueAt: number): Buffer | undefined {
    const { report } = this.#source;
    const flags = page.readUInt16LE(at + 4);
    const length = page.readUInt32LE(at);
    if ((flags & ~IN_OVERFLOW_PAGES) !== 0) {
      report(`page ${number} has an entry of a kind that Firn does not write (flags ${flags})`);
      return undefined;
    }
    const isElsewhere = flags === IN_OVERFLOW_PAGES;
    if (valueAt + (isElsewhere ? OVERFLOW_REFERENCE_BYTES : length) > page.length) {
      report(`page ${number} has an entry that does not lie in it`);
      return undefined;
    }
    if (!isElsewhere) return page.subarray(valueAt, valueAt + length);
    const first = Number(page.readBigUInt64LE(valueAt));
    const pages = Number(page.readBigUInt64LE(valueAt + 16));
    if (pages !== Math.ceil((PAGE_HEADER_BYTES + length) / page.length)) {
      report(`page ${number} has an entry of ${length} bytes in ${pages} pages`);
      return undefined;
    }
    return this.#overflow(first, pages, length);
  }

  #overflow(first: number, pages: number, length: number): Buffer | undefined {
    const bytes = this.#source.page(first, pages);
    if (bytes === undefined) return undefined;
    this.#counts.overflowPages += pages;
    if (!isPage(bytes, first, OVERFLOW_PAGE) || bytes.readUInt32LE(20) !== pages) {
      this.#source.report(`page ${first} is not the expected page of a long value`);
      return undefined;
    }
    return bytes.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + length);
  }
}

const COUNTED = {
  branchPages: "branch pages",
  leafPages: "leaf pages",
  overflowPages: "pages of long values",
  entries: "entries",
} as const;
type Counted = keyof typeof COUNTED;

function isPage(page: Buffer, number: number, kind: number): boolean {
  return page.readBigUInt64LE(0) === BigInt(number) && page.readUInt16LE(18) === kind;
}

function headerFault(page: Buffer, number: number, kind: number, lastTransaction: bigint): string | undefined {
  if (!isPage(page, number, kind)) return `is not the ${kind === LEAF_PAGE ? "leaf" : "branch"} page that is expected there`;
  if (page.readBigUInt64LE(8) > lastTransaction) return "belongs to a commit that the file does not have";
  const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
  const space = page.length - PAGE_HEADER_BYTES;
  if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > space) return "has a damaged header";
  for (const at of nodeOffsets(page)) {
    if (at < PAGE_HEADER_BYTES + upper || at + NODE_HEADER_BYTES > page.length) return "has an entry that does not lie in it";
  }
  return undefined;
}

/** The positions of a page's entries, in key order. */
function nodeOffsets(page: Buffer): number[] {
  const count = page.readUInt16LE(20) / 2;
  return Array.from({ length: count }, (_, index) => PAGE_HEADER_BYTES + page.readUInt16LE(PAGE_HEADER_BYTES + index * 2));
}

/** Compares keys of the tree of free pages. */
function compareNumbers(a: Buffer, b: Buffer): number {
  if (a.length !== PAGE_NUMBER_BYTES || b.length !== PAGE_NUMBER_BYTES) return a.length - b.length || -1;
  const difference = a.readBigUInt64LE(0) - b.readBigUInt64LE(0);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
