/** Limits the bytes of rows that the requests of a process have read and still hold. An answer is made from all of its rows. */
import { LimitError } from "../base/work/work.ts";

export class RowMemory {
  readonly #limit: number;
  readonly #onRefusal: (limit: "rowsBytes") => void;
  #total = 0;

  /** @param limit in bytes */
  constructor(limit: number, onRefusal: (limit: "rowsBytes") => void) {
    this.#limit = limit;
    this.#onRefusal = onRefusal;
  }

  open(): HeldRows {
    return new HeldRows(this);
  }

  /** @internal of HeldRows. @param held bytes of the request, with these */
  add(bytes: number, held: number): void {
    this.#total += bytes;
    if (this.#total <= this.#limit || held <= FREE_BYTES) return;
    this.#onRefusal("rowsBytes");
    throw new LimitError("rowsBytes", "running requests hold too much of the store's data; try again in a moment, or ask for less");
  }

  /** @internal of HeldRows */
  remove(bytes: number): void {
    this.#total -= bytes;
  }
}

/** The rows of one request. */
export class HeldRows {
  readonly #memory: RowMemory;
  #held = 0;

  constructor(memory: RowMemory) {
    this.#memory = memory;
  }

  /** Throws a LimitError if there is no room for them. */
  hold(bytes: number): void {
    this.#held += bytes;
    this.#memory.add(bytes, this.#held);
  }

  release(): void {
    this.#memory.remove(this.#held);
    this.#held = 0;
  }
}

/** Bytes that every request may hold, whatever others hold; few need more. */
const FREE_BYTES = 2 ** 20;
