/** What was made from one committed state, for as long as no height moves: `RpcContext.cached`. Bounded by bytes. */
import { BoundedCache } from "../rpc/bounded-cache.ts";
import { RawJson } from "../rpc/raw-json.ts";

export class AnswerCache {
  readonly #made: BoundedCache<{ value: unknown; bytes: number }>;
  readonly #beingMade = new Map<string, Promise<unknown>>();

  constructor(maxBytes: number) {
    this.#made = new BoundedCache(maxBytes, ({ bytes }) => bytes);
  }

  find<T>(name: string): T | undefined {
    return this.#made.get(name)?.value as T | undefined;
  }

  keep(name: string, value: unknown): void {
    this.#made.set(name, { value, bytes: approximateBytes(value) });
  }

  /** Callers that ask while the value is being made wait for the same one. A failure is not kept. */
  get<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = this.find<T>(name);
    if (made !== undefined) return Promise.resolve(made);
    const beingMade = this.#beingMade.get(name);
    if (beingMade !== undefined) return beingMade as Promise<T>;
    const promise = make()
      .then((value) => {
        this.keep(name, value);
        return value;
      })
      .finally(() => this.#beingMade.delete(name));
    this.#beingMade.set(name, promise);
    return promise;
  }
}

/** Exact for rendered answers, a guess by the number of elements for the rest. */
function approximateBytes(value: unknown): number {
  if (value instanceof RawJson) return value.json.length;
  if (typeof value === "string") return value.length * 2;
  if (value instanceof Uint8Array) return value.byteLength;
  const elements = Array.isArray(value) ? value.length : value instanceof Map || value instanceof Set ? value.size : 1;
  return elements * BYTES_PER_ELEMENT;
}

/** a row as an object with a few IDs and amounts */
const BYTES_PER_ELEMENT = 512;
