/** The turns of one request. It continues until its time is up or its client is gone. */
import { LimitError, type Work } from "../base/work/work.ts";
import type { HeldRows } from "./row-memory.ts";
import type { ClientTurns, ConnectionTurns, Turns, TurnTaker } from "./turns.ts";

interface AwaitedEnd {
  readonly reason: Promise<LimitError>;
  readonly timer: NodeJS.Timeout;
  tell(reason: LimitError): void;
}

export class RequestTurns implements Work, TurnTaker {
  readonly connection: ConnectionTurns;
  readonly #turns: Turns;
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

  constructor(turns: Turns, connection: ConnectionTurns) {
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
