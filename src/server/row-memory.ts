/** Limits the bytes of rows that the requests of a process have read and still hold. An answer is made from all of its rows. */
import { LimitError } from "../limits/work.ts";

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
    let held = 0;
    return {
      hold: (bytes) => {
        held += bytes;
        this.#total += bytes;
        if (this.#total <= this.#limit || held <= FREE_BYTES) return;
        this.#onRefusal("rowsBytes");
        const message = "running requests hold too much of the store's data; try again in a moment, or ask for less";
        throw new LimitError("rowsBytes", message);
      },
      release: () => {
        this.#total -= held;
        held = 0;
      },
    };
  }
}

/** The rows of one request. */
export interface HeldRows {
  /** Throws a LimitError if there is no room for them. */
  hold(bytes: number): void;
  release(): void;
}

/** Bytes that every request may hold, whatever others hold; few need more. */
const FREE_BYTES = 2 ** 20;
