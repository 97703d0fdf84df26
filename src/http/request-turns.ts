/** The turns of one request. It continues until its time is up or its client is gone. */
import type { MinHeap } from "../base/collections/min-heap.ts";
import { LimitError, type Work } from "../base/work/work.ts";

// Limits the bytes of rows that the requests of a process have read and still hold. An answer is made from all of its rows.

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
class HeldRows {
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

interface AwaitedEnd {
  readonly reason: Promise<LimitError>;
  readonly timer: NodeJS.Timeout;
  tell(reason: LimitError): void;
}

/** Gives turns to all requests of a process. */
export interface GivenTurns {
  readonly limits: TurnLimits;
  readonly rows: RowMemory;
  now(): number;
  turn(request: RequestTurns): Promise<void> | undefined;
  overTime(): LimitError;
  countLong(connection: ConnectionTurns, by: 1 | -1): void;
}

export class RequestTurns implements Work, TurnTaker {
  readonly connection: ConnectionTurns;
  readonly #turns: GivenTurns;
  readonly #openedAt: number;
  readonly #rows: HeldRows;
  /** what its connection had used when it began to wait */
  start = 0;
  /** whether it counts among those that have waited for a second turn */
  isLong = false;
  #isClosed = false;
  #resolve: (() => void) | undefined;
  #reject: ((error: LimitError) => void) | undefined;
  #ended: AwaitedEnd | undefined;

  constructor(turns: GivenTurns, connection: ConnectionTurns) {
    this.#turns = turns;
    this.#openedAt = turns.now();
    this.#rows = turns.rows.open();
    this.connection = connection;
  }

  get client(): ClientTurns {
    return this.connection.client;
  }

  turn(): Promise<void> | undefined {
    return this.#turns.turn(this);
  }

  hold(bytes: number): void {
    // a closed request no longer holds anything
    if (!this.#isClosed) this.#rows.hold(bytes);
  }

  get ended(): Promise<LimitError> {
    this.#ended ??= this.#awaitEnd();
    return this.#ended.reason;
  }

  #awaitEnd(): AwaitedEnd {
    let tell!: (reason: LimitError) => void;
    const reason = new Promise<LimitError>((resolve) => {
      tell = resolve;
    });
    const left = this.#openedAt + this.#mostMs - this.#turns.now();
    const timer = setTimeout(() => tell(this.#turns.overTime()), left).unref();
    if (this.#isClosed) {
      clearTimeout(timer);
      tell(GONE);
    }
    return { reason, tell, timer };
  }

  get #mostMs(): number {
    return this.#turns.limits.requestSeconds * 1000;
  }

  /** Call this when the request was answered or its client is gone: it gets no more turns. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#rows.release();
    clearTimeout(this.#ended?.timer);
    this.#ended?.tell(GONE);
    if (this.isLong) this.#turns.countLong(this.connection, -1);
    // a waiting request holds memory
    if (this.#reject !== undefined) this.goOn(GONE);
  }

  /** @internal of Turns */
  wait(resolve: () => void, reject: (error: LimitError) => void): void {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  goOn(problem: LimitError | undefined): void {
    if (problem === undefined) this.#resolve?.();
    else this.#reject?.(problem);
    this.#resolve = undefined;
    this.#reject = undefined;
  }

  problem(now: number): LimitError | undefined {
    if (this.#isClosed) return GONE;
    return now - this.#openedAt < this.#mostMs ? undefined : this.#turns.overTime();
  }
}

const GONE = new LimitError("client", "the client closed its connection before the answer was ready");

export interface TurnLimits {
  readonly turnMilliseconds: number;
  readonly requestSeconds: number;
  /** per process: requests that have waited for a second turn */
  readonly longRequests: number;
  /** per process: bytes of rows that requests hold */
  readonly rowsBytes: number;
}

interface Share {
  /** milliseconds of work done for it, counted from the others' level at its arrival */
  used: number;
}

/** Anything that takes turns: a request, or a connection whose bytes are parsed or written. */
export interface TurnTaker {
  readonly connection: ConnectionTurns;
  /** what its connection had used when it started to wait */
  start: number;
  /** Returns why it may not continue; undefined if it may. */
  problem(now: number): LimitError | undefined;
  /** Called when its turn comes, or with the problem that ends it. */
  goOn(problem: LimitError | undefined): void;
}

/** All connections of one address. */
export interface ClientTurns extends Share {
  readonly waiting: MinHeap<TurnTaker>;
  /** `used` when it was queued; undefined if it is not waiting */
  queuedAt: number | undefined;
  /** what the connection that had the last turn had used */
  floor: number;
  /** number of its requests that have waited for a second turn */
  long: number;
}

export interface ConnectionTurns extends Share {
  readonly client: ClientTurns;
}
