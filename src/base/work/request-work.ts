/**
 * The work of one request, which other requests can join: a value made for several requests is completed as long as one of them remains. A
 * client that disconnects, or whose time is up, ends only work that nobody else waits for.
 */
import { type LimitError, UNLIMITED_WORK, type Work } from "./work.ts";

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
  get<T>(name: string, work: RequestWork, make: () => Promise<T>): Promise<T> {
    const making = this.#making.get(name);
    if (making !== undefined) {
      making.maker.join(work);
      return making.promise as Promise<T>;
    }
    const promise = make().finally(() => this.#making.delete(name));
    this.#making.set(name, { promise, maker: work });
    return promise;
  }
}
