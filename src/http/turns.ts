/**
 * Shares a process's time among clients: taking connections, parsing, request work and writing answers all run in turns of a few
 * milliseconds. The next turn goes to the client that has used the least time, and among its connections to the one that has used the least
 * (start-time fair queueing); a client that returns starts level with the others. While nobody waits, turns begin at once. Between turns
 * the event loop reads what clients send.
 */

import { MinHeap } from "../base/collections/min-heap.ts";
import { LimitError } from "../base/work/work.ts";
import {
  type ClientTurns,
  type ConnectionTurns,
  type GivenTurns,
  RequestTurns,
  RowMemory,
  type TurnLimits,
  type TurnTaker,
} from "./request-turns.ts";

interface TurnsOptions {
  /** in milliseconds */
  readonly now?: () => number;
  /** called for requests that get no more turns */
  readonly onRefusal?: (limit: "requestSeconds" | "longRequests" | "rowsBytes") => void;
}

/** Its reactions are microtasks that, unlike those of `queueMicrotask`, carry no context of Node's. */
const DONE = Promise.resolve();

export function newClientTurns(): ClientTurns {
  return { used: 0, waiting: new MinHeap((taker) => taker.start), queuedAt: undefined, floor: 0, long: 0 };
}

export class Turns implements GivenTurns {
  readonly limits: TurnLimits;
  readonly now: () => number;
  /** @internal of RequestTurns */
  readonly rows: RowMemory;
  readonly #onRefusal: TurnsOptions["onRefusal"];
  readonly #waiting = new MinHeap<ClientTurns>((client) => client.queuedAt!);
  /** what the client that had the last turn had used */
  #floor = 0;
  #running: TurnTaker | undefined;
  /** when the running turn began */
  #startedAt = 0;
  /** milliseconds of turns since the event loop last read from clients */
  #spent = 0;
  /** when the last turn ended */
  #endedAt = 0;
  #isArrival = false;
  #isImmediateSet = false;
  #isEndAwaited = false;
  #long = 0;

  constructor(limits: TurnLimits, { now = () => performance.now(), onRefusal }: TurnsOptions = {}) {
    this.limits = limits;
    this.now = now;
    this.#onRefusal = onRefusal;
    this.rows = new RowMemory(limits.rowsBytes, (limit) => onRefusal?.(limit));
  }

  /** Opens the turns of a request. Close them when it is answered or its client is gone. */
  open(connection: ConnectionTurns): RequestTurns {
    return new RequestTurns(this, connection);
  }

  /** Whether the taker may continue now. If not, `goOn` is called when it may; it must not ask again before. */
  begin(taker: TurnTaker): boolean {
    const now = this.now();
    if (this.#isOn(taker, now)) return true;
    this.#wait(taker);
    return false;
  }

  /** @internal of RequestTurns */
  turn(work: RequestTurns): Promise<void> | undefined {
    const now = this.now();
    const wasRunning = this.#running === work;
    const problem = wasRunning ? undefined : work.problem(now);
    if (problem !== undefined) return Promise.reject(problem);
    if (this.#isOn(work, now)) return undefined;
    const refused = wasRunning ? (this.#admitLong(work) ?? work.problem(now)) : undefined;
    if (refused !== undefined) return Promise.reject(refused);
    return new Promise((resolve, reject) => {
      work.wait(resolve, reject);
      this.#wait(work);
    });
  }

  /**
   * A connection arrived. The event loop accepts one per iteration, so for the length of a turn it looks for more before anybody gets a
   * turn. Otherwise a client behind hundreds of connections would wait for the turns of all of them.
   */
  arrived(): void {
    this.#isArrival = true;
  }

  /** Charges work done for the connection outside its turns, in milliseconds. */
  charge(connection: ConnectionTurns, milliseconds: number): void {
    this.#spent += milliseconds;
    connection.used += milliseconds;
    connection.client.used += milliseconds;
  }

  /** @internal of RequestTurns */
  overTime(): LimitError {
    const { requestSeconds } = this.limits;
    this.#onRefusal?.("requestSeconds");
    const message = `the request was not answered within ${requestSeconds} s; ask for less at a time, such as fewer addresses or smaller pages`;
    return new LimitError("requestSeconds", message);
  }

  /** @internal of RequestTurns. Counts a request that waits for its second turn, or one that has ended. */
  countLong({ client }: ConnectionTurns, by: 1 | -1): void {
    client.long += by;
    this.#long += by;
  }

  /** Continues the connection's running turn, or begins one if nobody waits. */
  #isOn(taker: TurnTaker, now: number): boolean {
    const { turnMilliseconds } = this.limits;
    if (this.#running === undefined) {
      if (this.#waiting.size > 0 || this.#spent >= turnMilliseconds) return false;
      this.#run(taker, now);
      return true;
    }
    if (this.#running.connection !== taker.connection) return false;
    if (now - this.#startedAt >= turnMilliseconds) {
      this.#endTurn(now);
      return false;
    }
    this.#running = taker;
    return true;
  }

  #wait(taker: TurnTaker): void {
    const { connection } = taker;
    const { client } = connection;
    connection.used = Math.max(connection.used, client.floor);
    client.used = Math.max(client.used, this.#floor);
    taker.start = connection.used;
    client.waiting.push(taker);
    if (client.queuedAt === undefined) this.#queue(client);
    this.#comeBack();
  }

  /** A started request holds memory and a store snapshot, so their number is limited, in total and per client. */
  #admitLong(work: RequestTurns): LimitError | undefined {
    if (work.isLong) return undefined;
    const { longRequests } = this.limits;
    const { long } = work.connection.client;
    if (this.#long >= longRequests || long >= longRequests / 2) {
      this.#onRefusal?.("longRequests");
      return new LimitError("longRequests", "too many long requests are running; try again later");
    }
    work.isLong = true;
    this.countLong(work.connection, 1);
    return undefined;
  }

  #queue(client: ClientTurns): void {
    client.queuedAt = client.used;
    this.#waiting.push(client);
  }

  #run(taker: TurnTaker, now: number): void {
    this.#running = taker;
    this.#startedAt = now;
    const { connection } = taker;
    const { client } = connection;
    this.#floor = client.used = Math.max(client.used, this.#floor);
    client.floor = connection.used = Math.max(connection.used, client.floor);
    this.#awaitEnd();
    this.#comeBack();
  }

  /** A turn ends when the microtask queue is empty: then its work waits for something or is done. */
  #awaitEnd(): void {
    if (this.#isEndAwaited) return;
    this.#isEndAwaited = true;
    DONE.then(this.#toMicrotasksEnd);
  }

  readonly #toMicrotasksEnd = () => process.nextTick(this.#afterMicrotasks);

  readonly #afterMicrotasks = () => {
    this.#isEndAwaited = false;
    if (this.#running !== undefined) this.#endTurn(this.now());
    this.#goOn();
  };

  #endTurn(now: number): void {
    const { connection } = this.#running!;
    this.#running = undefined;
    this.#endedAt = now;
    this.charge(connection, now - this.#startedAt);
  }

  /** Continues after the event loop has read what clients sent. */
  #comeBack(): void {
    if (this.#isImmediateSet) return;
    this.#isImmediateSet = true;
    setImmediate(this.#afterReading);
  }

  readonly #afterReading = () => {
    const { turnMilliseconds } = this.limits;
    this.#isImmediateSet = false;
    const looksAgain = this.#isArrival && this.#waiting.size > 0 && this.now() - this.#endedAt < turnMilliseconds;
    this.#isArrival = false;
    this.#spent = looksAgain ? turnMilliseconds : 0;
    this.#goOn();
  };

  /** Gives the next turn, unless it is time to read from clients. */
  #goOn(): void {
    if (this.#isEndAwaited || this.#waiting.size === 0) return;
    this.#comeBack();
    if (this.#spent >= this.limits.turnMilliseconds) return;
    const taker = this.#next();
    if (taker === undefined) return;
    const now = this.now();
    const problem = taker.problem(now);
    if (problem === undefined) this.#run(taker, now);
    else this.#awaitEnd();
    taker.goOn(problem);
  }

  /** The least-served connection of the least-served client. */
  #next(): TurnTaker | undefined {
    let client = this.#waiting.pop();
    while (client !== undefined && client.used > client.queuedAt!) {
      this.#queue(client);
      client = this.#waiting.pop();
    }
    if (client === undefined) return undefined;
    client.queuedAt = undefined;
    const taker = client.waiting.pop();
    if (client.waiting.size > 0) this.#queue(client);
    return taker;
  }
}
