/** Merges data files with the same or different keys into one, in key order. The newest of several entries with one key counts. */
import { BulkWriter } from "../lmdb/bulk-writer.ts";
import { EntryReader } from "../lmdb/entry-reader.ts";
import { KeyFilter } from "./key-filter.ts";
import { REMOVED } from "./marks.ts";

export interface MergeInput {
  /** the data file */
  readonly path: string;
  /** whether its values begin with a mark (`marks.ts`) */
  readonly isMarked: boolean;
}

export interface MergeTask {
  /** the newest first; all but the last are marked */
  readonly inputs: readonly MergeInput[];
  /** The data file to write; its values are marked unless the last input's are not. undefined: only the filter is wanted */
  readonly output: string | undefined;
  /** the file for the filter of its keys */
  readonly filter: string;
}

/** `entries`: how many of the inputs were read; `of`: how many there are */
export type TellMerged = (entries: number, of: number) => void;

/** The result takes rows at random places from then on: a tenth of each page is free for them. */
const FILL_FOR_GOOD = 0.9;
const TELL_EVERY = 2 ** 20;

export function mergeLayers({ inputs, output, filter: filterPath }: MergeTask, tell: TellMerged): void {
  const cursors: Cursor[] = [];
  let writer: BulkWriter | undefined;
  try {
    for (const [age, { path, isMarked }] of inputs.entries()) cursors.push({ entry: new EntryReader(path), age, isMarked });
    const entries = cursors.reduce((sum, { entry }) => sum + entry.entries, 0);
    const filter = KeyFilter.forKeys(entries);
    const staysMarked = inputs.at(-1)!.isMarked;
    if (output !== undefined) writer = new BulkWriter(output, staysMarked ? {} : { fill: FILL_FOR_GOOD });
    const merged = new Merged(cursors);
    for (let cursor = merged.next(); cursor !== undefined; cursor = merged.next()) {
      const { entry, isMarked } = cursor;
      if (merged.read % TELL_EVERY === 0) tell(merged.read, entries);
      if (isMarked && !staysMarked && entry.value[entry.valueAt] === REMOVED) continue;
      filter.add(entry.page, entry.keyAt, entry.keyBytes);
      const mark = isMarked && !staysMarked ? 1 : 0;
      writer?.add(entry.page, entry.keyAt, entry.keyBytes, entry.value, entry.valueAt + mark, entry.valueBytes - mark);
    }
    writer?.finish();
    writer = undefined;
    filter.write(filterPath);
  } finally {
    writer?.abort();
    for (const { entry } of cursors) entry.close();
  }
}

interface Cursor {
  readonly entry: EntryReader;
  /** 0 for the newest */
  readonly age: number;
  readonly isMarked: boolean;
}

class Merged {
  /** by their current keys, and by age where these are the same */
  readonly #cursors: Cursor[] = [];
  #current: Cursor | undefined;
  /** number of entries read of all inputs */
  read = 0;

  constructor(cursors: readonly Cursor[]) {
    for (const cursor of cursors) {
      this.#cursors.unshift(cursor);
      this.#advance(0);
    }
  }

  /** The cursor with the next key, at the newest entry of it; valid until the next call. */
  next(): Cursor | undefined {
    const cursors = this.#cursors;
    if (this.#current !== undefined) {
      while (cursors.length > 1 && compareKeys(cursors[1]!.entry, this.#current.entry) === 0) this.#advance(1);
      this.#advance(0);
    }
    this.#current = cursors[0];
    return this.#current;
  }

  #advance(index: number): void {
    const cursors = this.#cursors;
    const cursor = cursors[index]!;
    if (!cursor.entry.next()) {
      cursors.splice(index, 1);
      return;
    }
    this.read++;
    let at = index;
    for (; at + 1 < cursors.length && isBefore(cursors[at + 1]!, cursor); at++) cursors[at] = cursors[at + 1]!;
    cursors[at] = cursor;
  }
}

function isBefore(a: Cursor, b: Cursor): boolean {
  const order = compareKeys(a.entry, b.entry);
  return order < 0 || (order === 0 && a.age < b.age);
}

function compareKeys(a: EntryReader, b: EntryReader): number {
  const length = Math.min(a.keyBytes, b.keyBytes);
  const [left, right, leftAt, rightAt] = [a.page, b.page, a.keyAt, b.keyAt];
  for (let at = 0; at < length; at++) {
    const difference = left[leftAt + at]! - right[rightAt + at]!;
    if (difference !== 0) return difference;
  }
  return a.keyBytes - b.keyBytes;
}
