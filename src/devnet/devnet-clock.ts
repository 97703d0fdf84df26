import type { Change, TableValue } from "../base/table/table.ts";
import type { View } from "../base/table/view.ts";
import type { StoreReader } from "../store/store.ts";
import type { Clock } from "./devnet-types.ts";
import { devnetClock, devnetClockMoves } from "./tables.ts";

const NANOSECONDS = 1_000_000_000n;
const SLOT = { slot: 0 };

type WallClock = () => bigint;

/** Unix nanoseconds */
export const systemWallClock: WallClock = () => BigInt(Date.now()) * 1_000_000n;

/** The wall clock plus an offset. Between calls of `set` and `load` it never goes back, even if the wall clock does. */
export class DevnetClock implements Clock {
  readonly #wallClock: WallClock;
  #offset = 0n;
  #latest = 0n;
  #movedTo = 0n;

  constructor(wallClock: WallClock) {
    this.#wallClock = wallClock;
  }

  nanoseconds(): bigint {
    const now = this.#wallClock() + this.#offset;
    if (now > this.#latest) this.#latest = now;
    return this.#latest;
  }

  seconds(): bigint {
    return this.nanoseconds() / NANOSECONDS;
  }

  /** The time to which the clock was last moved by hand, Unix seconds; 0 if it never was. */
  get movedTo(): bigint {
    return this.#movedTo;
  }

  /** Remembers that somebody moved the clock to this time, Unix seconds. */
  moved(to: bigint): void {
    this.#movedTo = to;
  }

  /** @param to Unix nanoseconds; the clock continues from there */
  set(to: bigint): void {
    this.#offset = to - this.#wallClock();
    this.#latest = to;
  }

  /** Loads the clock; returns whether the store has one. */
  async load(reader: StoreReader): Promise<boolean> {
    const row = await reader.get(devnetClock, SLOT);
    this.#movedTo = (await reader.get(devnetClockMoves, SLOT))?.to ?? 0n;
    if (row === undefined) return false;
    this.#offset = BigInt.asIntN(64, row.offset);
    this.#latest = 0n;
    return true;
  }

  /** Adds the clock to the next commit. */
  save(view: View): void {
    view.writeUnread(devnetClock, SLOT, row(this.#offset));
    if (this.#movedTo > 0n) view.writeUnread(devnetClockMoves, SLOT, { to: this.#movedTo });
  }

  /** The change that makes a store's clock show `time` (Unix nanoseconds) now. */
  changeTo(time: bigint): Change {
    return { table: devnetClock, key: SLOT, value: row(time - this.#wallClock()) } as Change;
  }
}

/** Seconds by which the clock of a state is ahead of the machine's, rounded; below zero if it is behind. */
export async function clockOffset(reader: StoreReader): Promise<bigint> {
  const row = await reader.get(devnetClock, SLOT);
  const offset = BigInt.asIntN(64, row?.offset ?? 0n);
  return (offset + (offset < 0n ? -NANOSECONDS / 2n : NANOSECONDS / 2n)) / NANOSECONDS;
}

function row(offset: bigint): TableValue<typeof devnetClock> {
  return { offset: BigInt.asUintN(64, offset) };
}
