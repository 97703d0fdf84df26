/**
 * Yields what lies at the places of a range (the blocks of a chain) in order while the next ones are fetched. Several runs are fetched at
 * once, each with enough items for a message of a medium size. Memory is bounded: items that arrive early and exceed the budget are dropped,
 * and fetched again when it is their turn.
 */

export interface RunRange<T> {
  /** Returns fewer items than requested if the rest has to be requested again, and none if they do not exist yet. */
  readonly fetch: (from: bigint, count: number, signal: AbortSignal) => Promise<readonly T[]>;
  readonly from: bigint;
  /** inclusive */
  readonly to: bigint;
  readonly signal: AbortSignal;
  readonly shape: RunShape<T>;
  /** told how many items have arrived and wait for earlier ones */
  readonly onHeld?: ((items: number) => void) | undefined;
}

export interface RunShape<T> {
  readonly bytesOf: (item: T) => number;
  /** what an item costs besides its bytes: the transactions of a block */
  readonly unitsOf: (item: T) => number;
  /** concurrent runs; the RPC decides how many an upstream gets at once */
  readonly runs: number;
  /** target of units per run */
  readonly runUnits: number;
  /** items per run, at most and at first */
  readonly runItems: number;
  readonly firstRunItems: number;
  /** target of bytes per run */
  readonly runBytes: number;
  /** assumed bytes per item before the first one arrives, so that not too many are requested */
  readonly assumedBytes: number;
  /** bytes of items that wait for earlier ones */
  readonly heldBytes: number;
  /** items that are available are yielded together, up to this many units or bytes */
  readonly givenUnits: number;
  readonly givenBytes: number;
}

/**
 * Memory of an item that is being fetched, per byte of the item: its answer is text with two digits per byte, and its parsed part is there
 * as well.
 */
const ON_ITS_WAY = 3;

interface Run<T> {
  readonly from: bigint;
  /** number of items in the run; they may be requested in several steps */
  readonly count: number;
  /** undefined: they were dropped to save memory */
  readonly items: Promise<readonly T[] | undefined>;
  /** bytes of items that have arrived */
  bytes: number;
  isThere: boolean;
  /** items that have arrived */
  held: number;
}

/** Ends early at the first item that does not exist. */
export async function* orderedRuns<T>({ fetch, from, to, signal, shape, onHeld = () => {} }: RunRange<T>): AsyncGenerator<readonly T[]> {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener("abort", end);
  const runs: Run<T>[] = [];
  const size = new RunSize(shape);
  let next = from;
  const ask = async (first: bigint, count: number) => {
    const items = await fetch(first, Math.min(count, size.items), ending.signal);
    size.learn(items);
    return items;
  };
  const tell = () => onHeld(sum(runs, ({ held }) => held));
  const start = (first: bigint, count: number) => startRun(ask(first, count), { from: first, count, runs, shape, onArrived: tell });
  const fill = () => {
    while (runs.length < shape.runs && next <= to && (runs.length === 0 || expectedBytes(runs, size) < shape.heldBytes)) {
      const left = to - next + 1n;
      const count = left < BigInt(size.items) ? Number(left) : size.items;
      runs.push(start(next, count));
      next += BigInt(count);
    }
  };
  try {
    for (fill(); runs.length > 0; fill()) {
      const given: T[] = [];
      let there: readonly T[];
      let bytes = 0;
      do {
        const [{ from: first, count, items }] = runs as [Run<T>];
        there = (await items) ?? (await ask(first, count));
        runs.shift();
        given.push(...there);
        bytes += sum(there, shape.bytesOf);
        // yield what has arrived instead of waiting for the rest of the run
        if (there.length > 0 && there.length < count) runs.unshift(start(first + BigInt(there.length), count - there.length));
      } while (there.length > 0 && runs[0]?.isThere && sum(given, shape.unitsOf) < shape.givenUnits && bytes < shape.givenBytes);
      fill();
      tell();
      if (given.length > 0) yield given;
      if (there.length === 0) return;
    }
  } finally {
    signal.removeEventListener("abort", end);
    end();
    runs.length = 0;
    tell();
  }
}

interface RunPlace<T> extends Pick<Run<T>, "from" | "count"> {
  /** the list that the run belongs to */
  readonly runs: readonly Run<T>[];
  readonly shape: RunShape<T>;
  readonly onArrived: () => void;
}

function startRun<T>(asked: Promise<readonly T[]>, { from, count, runs, shape, onArrived }: RunPlace<T>): Run<T> {
  const items = asked.then((there) => {
    const bytes = sum(there, shape.bytesOf);
    if (run !== runs[0] && bytes + sum(runs, (each) => each.bytes) > shape.heldBytes) return undefined;
    run.bytes = bytes;
    run.isThere = true;
    run.held = there.length;
    onArrived();
    return there;
  });
  const run: Run<T> = { from, count, items, bytes: 0, isThere: false, held: 0 };
  // whoever awaits the run gets the error
  items.catch(() => {});
  return run;
}

/** Memory after everything that is being fetched has arrived. */
function expectedBytes<T>(runs: readonly Run<T>[], { items, bytesPerItem }: RunSize<T>): number {
  return sum(runs, (run) => (run.isThere ? run.bytes : ON_ITS_WAY * Math.min(run.count, items) * bytesPerItem));
}

/** The number of items for a message of the target size. */
class RunSize<T> {
  items: number;
  bytesPerItem: number;
  readonly #shape: RunShape<T>;
  #hasSeen = false;
  #unitsPerItem = 0;

  constructor(shape: RunShape<T>) {
    this.#shape = shape;
    this.items = shape.firstRunItems;
    this.bytesPerItem = shape.assumedBytes;
  }

  learn(there: readonly T[]): void {
    if (there.length === 0) return;
    const { unitsOf, bytesOf, runUnits, runBytes, runItems } = this.#shape;
    const units = sum(there, unitsOf) / there.length;
    this.#unitsPerItem = this.#unitsPerItem === 0 ? units : (3 * this.#unitsPerItem + units) / 4;
    const bytes = sum(there, bytesOf) / there.length;
    // after large items, more of them may follow
    this.bytesPerItem = this.#hasSeen ? Math.max(bytes, (3 * this.bytesPerItem + bytes) / 4) : bytes;
    this.#hasSeen = true;
    const wanted = Math.min(runUnits / (this.#unitsPerItem + 1), runBytes / (this.bytesPerItem + 1));
    this.items = Math.max(1, Math.min(runItems, Math.round(wanted)));
  }
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
