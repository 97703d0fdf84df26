/** One store served twice, from PostgreSQL and from its file: what a request costs there in round trips, and whether the answers are equal. */
import pino from "pino";
import { onTestFinished } from "vitest";
import { allTables } from "../../src/cli/store/all-tables.ts";
import type { ServeOptions } from "../../src/serve/serve-options.ts";
import { openServingStore, type ServingStore } from "../../src/serve/serving-store.ts";
import { copyRows } from "../../src/store/copy.ts";
import type { PostgresStore } from "../../src/store/postgres/pg-store.ts";
import { scratchPostgresStore } from "../postgres/scratch-store.ts";
import { serveStoreHere } from "./serve-here.ts";

/** A snapshot is begun anew when it is old, and freshness is read every second: whether that falls into a request is up to the clock. */
const OF_A_SNAPSHOT = 5;
/** What costs more is asked again. */
const FEW = 10;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export class CountedServers {
  readonly store: ServingStore;
  readonly #urls: readonly [database: string, file: string];
  readonly #traffic: PostgresStore["traffic"];
  /** by name */
  readonly most = new Map<string, number>();
  readonly differences: string[] = [];

  private constructor(store: ServingStore, urls: readonly [string, string], traffic: PostgresStore["traffic"]) {
    this.store = store;
    this.#urls = urls;
    this.#traffic = traffic;
  }

  /** @param dataDirectory of a store in a file that nobody writes */
  static async start(dataDirectory: string, options: Partial<ServeOptions>): Promise<CountedServers> {
    const log = pino({ level: "silent" });
    const file = await openServingStore({ dataDirectory, log });
    onTestFinished(() => file.store.close());
    const { store: writer, address } = await scratchPostgresStore();
    await copyRows({ from: file.store, to: writer, tables: allTables, onStep: () => {}, signal: new AbortController().signal });
    const database = await openServingStore({ dataDirectory, store: address, log });
    onTestFinished(() => database.store.close());
    const urls: string[] = [];
    for (const store of [database, file]) {
      // no checks while requests are counted
      const serving = await serveStoreHere(store, dataDirectory, { healthCheckFrequencyMs: 2 ** 31 - 1, cacheBytes: 0, ...options });
      onTestFinished(() => serving.stop());
      urls.push(serving.url);
    }
    return new CountedServers(file, urls as [string, string], (database.store as PostgresStore).traffic);
  }

  /** @param nameOf what the answer counts for; undefined: for nothing */
  async ask(path: string, nameOf: (answer: Answer) => string | undefined, init?: RequestInit): Promise<Answer> {
    let roundTrips = Number.POSITIVE_INFINITY;
    let answer: Answer | undefined;
    // a snapshot that ends, or a slow machine, adds to some attempts
    for (let attempt = 0; attempt < 3 && roundTrips > FEW; attempt++) {
      const before = this.#traffic.roundTrips;
      answer = await answerTo(this.#urls[0] + path, init);
      roundTrips = Math.min(roundTrips, this.#traffic.roundTrips - before);
    }
    if (answer === undefined) throw new Error("nothing was asked");
    const name = nameOf(answer);
    if (name !== undefined) this.most.set(name, Math.max(this.most.get(name) ?? 0, roundTrips));
    const expected = await answerTo(this.#urls[1] + path, init);
    if (answer.status !== expected.status || answer.text !== expected.text) this.differences.push(`${path} ${init?.body ?? ""}`);
    return answer;
  }

  /** What costs more than its bound. */
  over(boundOf: (name: string) => number): [name: string, roundTrips: number][] {
    return [...this.most].filter(([name, roundTrips]) => roundTrips > boundOf(name) + OF_A_SNAPSHOT);
  }
}

async function answerTo(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text() };
}
