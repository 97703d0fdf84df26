/** The work of one request: it runs in turns, and it can be ended. */
import { FirnError } from "../errors/errors.ts";
import { type Awaitable, andThen } from "./awaitable.ts";

/**
 * The work of one request, which other requests can join: a value made for several requests is completed as long as one of them remains. A
 * client that disconnects, or whose time is up, ends only work that nobody else waits for.
 */
const NEVER = new Promise<never>(() => {});

export class RequestWork implements Work {
  /** whose turns are used: those of the first, until it ends */
  readonly #bearers: Work[];
  #waiting: Promise<void> | undefined;
  #ended: Promise<LimitError> | undefined;

  constructor(own: Work = UNLIMITED_WORK) {
    this.#bearers = [own];
  }

  /** All concurrent parts of a request share one promise; each checks again whether the turn is over when it continues. */
  turn(): Promise<void> | undefined {
    const bearer = this.#bearers[0]!;
    this.#waiting ??= bearer
      .turn()
      ?.catch((error: unknown) => this.#passOn(bearer, error))
      .finally(() => {
        this.#waiting = undefined;
      });
    return this.#waiting;
  }

  hold(bytes: number): void {
    this.#bearers[0]!.hold(bytes);
  }

  /** From now on the work continues for `other` as well. */
  join(other: Work): void {
    if (other !== this) this.#bearers.push(other);
  }

  /** Ends with the last of its requests. */
  get ended(): Promise<LimitError> | undefined {
    this.#ended ??= this.#lastEnd();
    return this.#ended;
  }

  async #lastEnd(): Promise<LimitError> {
    for (;;) {
      const bearer = this.#bearers[0]!;
      const reason = await (bearer.ended ?? NEVER);
      if (!this.#leave(bearer)) return reason;
    }
  }

  async #passOn(first: Work, error: unknown): Promise<void> {
    for (let [bearer, ended] = [first, error]; ; ) {
      if (!this.#leave(bearer)) throw ended;
      bearer = this.#bearers[0]!;
      try {
        await bearer.turn();
        return;
      } catch (next) {
        ended = next;
      }
    }
  }

  /** A request that has ended leaves the work to the next one. @returns whether there is one */
  #leave(bearer: Work): boolean {
    // it may have left already
    if (this.#bearers[0] !== bearer) return true;
    if (this.#bearers.length === 1) return false;
    this.#bearers.shift();
    return true;
  }
}

/** Makes a value once for all who ask for it while it is being made. */
export class SharedMaking {
  readonly #making = new Map<string, { readonly promise: Promise<unknown>; readonly maker: RequestWork }>();

  /** @param work the asker's work; `make` must use its turns */
  get<T>(name: string, work: RequestWork, make: () => Awaitable<T>): Awaitable<T> {
    const making = this.#making.get(name);
    if (making !== undefined) {
      making.maker.join(work);
      return making.promise as Promise<T>;
    }
    const made = make();
    if (!(made instanceof Promise)) return made;
    const promise = made.finally(() => this.#making.delete(name));
    this.#making.set(name, { promise, maker: work });
    return promise;
  }
}

// Loops that give up the turn between items, for work without store reads, which already do so.

/** Checking whether the turn is over takes about 50 ns, so loops check after several items. */
const ITEMS = 16;

/** @param use must take well below a millisecond */
export function eachInTurns<T>(work: Work, items: Iterable<T>, use: (item: T) => unknown): Awaitable<void> {
  return runInTurns(work, eachSteps(items, use));
}

function* eachSteps<T>(items: Iterable<T>, use: (item: T) => unknown): Generator<void, void> {
  let left = ITEMS;
  for (const item of items) {
    use(item);
    if (--left > 0) continue;
    left = ITEMS;
    yield;
  }
}

export function mapInTurns<T, R>(work: Work, items: Iterable<T>, map: (item: T) => R): Awaitable<R[]> {
  const results: R[] = [];
  return andThen(
    eachInTurns(work, items, (item) => results.push(map(item))),
    () => results,
  );
}

/** The items without repetitions, in order of their first appearance. */
export function distinctInTurns<T>(work: Work, items: Iterable<T>): Awaitable<T[]> {
  const seen = new Set<T>();
  return filterInTurns(work, items, (item) => seen.size < seen.add(item).size);
}

export function filterInTurns<T>(work: Work, items: Iterable<T>, accepts: (item: T) => boolean): Awaitable<T[]> {
  const accepted: T[] = [];
  return andThen(
    eachInTurns(work, items, (item) => accepts(item) && accepted.push(item)),
    () => accepted,
  );
}

/** Runs a generator that yields between pieces of its work. Returns no promise if it finishes within the turn. */
export function runInTurns<R>(work: Work, steps: Generator<unknown, R>): R | Promise<R> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const turn = work.turn();
    if (turn !== undefined) return goOnInTurns(turn, work, steps);
  }
}

async function goOnInTurns<R>(first: Promise<void>, work: Work, steps: Generator<unknown, R>): Promise<R> {
  for (let turn: Promise<void> | undefined = first; ; turn = work.turn()) {
    for (; turn !== undefined; turn = work.turn()) await turn;
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Sorts by `compare`, by default as texts; equal items keep their order. */
export async function sortInTurns<T>(work: Work, items: readonly T[], compare = byText<T>): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare));
    for (let turn = work.turn(); turn !== undefined; turn = work.turn()) await turn;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [left, right] = [runs[at]!, runs[at + 1]];
      merged.push(right === undefined ? left : await runInTurns(work, mergeSteps(left, right, compare)));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Number of items that are sorted or merged in one piece. */
const RUN = 512;

function byText<T>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function* mergeSteps<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  const merged: T[] = [];
  let next = 0;
  for (const item of left) {
    while (next < right.length && compare(right[next]!, item) < 0) {
      merged.push(right[next++]!);
      if (merged.length % RUN === 0) yield;
    }
    merged.push(item);
    if (merged.length % RUN === 0) yield;
  }
  while (next < right.length) {
    merged.push(right[next++]!);
    if (merged.length % RUN === 0) yield;
  }
  return merged;
}

export interface Work {
  /**
   * Call this between pieces of work of a millisecond or less. Returns a promise once the request's turn is over: it resolves when the work
   * may continue, and rejects when the request's time is up or its client is gone.
   */
  turn(): Promise<void> | undefined;
  /**
   * Reports bytes read from a store, which count as held until the request is answered. Throws a LimitError if the requests of the process
   * hold too much.
   */
  hold(bytes: number): void;
  /** Resolves with the reason when the request's time is up or its client is gone; undefined: it never ends. Costs a timer when it is asked for. */
  readonly ended?: Promise<LimitError> | undefined;
  /** the client, where shares are per client; undefined for no particular one */
  readonly client?: object | undefined;
}

/** A request exceeds a limit. `message` says what to ask instead. */
export class LimitError extends FirnError {
  constructor(limit: string, message: string, facts: Record<string, unknown> = {}) {
    super("limit", message, { limit, ...facts });
  }
}

/** Settles as the answer does, or rejects when the work ends before it. For answers that may take any time. */
export function unlessEnded<T>(answer: Promise<T>, { ended }: Work): Promise<T> {
  if (ended === undefined) return answer;
  return new Promise((resolve, reject) => {
    answer.then(resolve, reject);
    void ended.then(reject);
  });
}

/** For callers without limits: tests and commands. */
export const UNLIMITED_WORK: Work = { turn: () => undefined, hold: () => {} };
