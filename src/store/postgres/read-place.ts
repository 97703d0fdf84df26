/** One of the databases that a process reads: opened and checked, and again after it was lost, in pauses that grow. */
import { FirnError } from "../../base/errors/errors.ts";
import type { Table } from "../../base/table/table.ts";
import { type PostgresAddress, placeOf } from "./address.ts";
import type { LogPosition } from "./commit-feed.ts";
import { openPostgresStore } from "./open-postgres.ts";
import type { PostgresStore } from "./pg-store.ts";

const LEAST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 2000;
/** A database that did not take a request is not asked for this long. */
const REST_MS = 1000;

interface ReadPlaceOptions {
  readonly address: PostgresAddress;
  readonly tables: readonly Table[];
  /** rejects if it may not be read, because of what is in it */
  readonly accept: (store: PostgresStore) => Promise<void>;
  /** called when anything was learned of it */
  readonly onNews: () => void;
}

export class ReadPlace {
  /** for people: without a password */
  readonly name: string;
  /** absent: nobody knows where it is */
  position: LogPosition | undefined;
  /** see `PostgresStore.serverId`; the last one */
  serverId: string | undefined;
  /** times that it was opened */
  opened = 0;
  readonly #options: ReadPlaceOptions;
  #store: PostgresStore | undefined;
  #problem: Error | undefined;
  #pauseMs = LEAST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ReadPlaceOptions) {
    this.#options = options;
    this.name = placeOf(options.address);
  }

  /** undefined: it cannot be read at the moment */
  get store(): PostgresStore | undefined {
    return this.#problem === undefined ? this.#store : undefined;
  }

  /** why it cannot be read */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Never rejects: what fails is tried again later. */
  async open(): Promise<void> {
    const { address, tables, accept, onNews } = this.#options;
    try {
      let last: LogPosition | undefined;
      let opened: PostgresStore | undefined;
      const onPosition = (position: LogPosition) => {
        last = position;
        // what is not accepted, or is closed, says nothing of the store
        if (opened === undefined || opened !== this.#store) return;
        this.position = position;
        onNews();
      };
      const store = await openPostgresStore({ address, tables }, { mode: "read", onPosition });
      try {
        await accept(store);
        this.serverId = await store.serverId();
        if (store.feed!.version() === undefined) throw new FirnError("store-unreachable", `the connection to ${this.name} was lost`);
      } catch (error) {
        store.abandon();
        throw error;
      }
      if (this.#isClosed) return store.close();
      store.feed!.onChange = (problem) => {
        if (problem !== undefined) this.#lose(problem);
      };
      opened = store;
      this.opened++;
      this.position = last;
      this.#store = store;
      this.#problem = undefined;
      this.#pauseMs = LEAST_PAUSE_MS;
    } catch (error) {
      this.#lose(error as Error);
    }
    onNews();
  }

  /** It did not take a request. */
  rest(problem: Error): void {
    if (this.#problem !== undefined || this.#isClosed) return;
    this.#problem = problem;
    this.#rest = setTimeout(() => {
      this.#problem = undefined;
      this.#options.onNews();
    }, REST_MS).unref();
    this.#options.onNews();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#rest);
    await this.#store?.close();
  }

  /** Its later content is checked as at the first time. */
  #lose(problem: Error): void {
    clearTimeout(this.#rest);
    this.#store?.abandon();
    this.#store = undefined;
    this.position = undefined;
    this.#problem = problem;
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.open(), this.#pauseMs).unref();
    this.#pauseMs = Math.min(2 * this.#pauseMs, MOST_PAUSE_MS);
    this.#options.onNews();
  }
}
