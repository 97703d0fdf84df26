/** Builds the value that JSON.parse would build, without the members that are not needed. */
import { type AnswerReader, JsonError, type JsonScalar, WHOLE } from "./json-events.ts";

/** Memory of a value besides its text, as measured; lists and objects with at most one element cost most. */
const VALUE_BYTES = 48;

type Container = unknown[] | Record<string, unknown>;

export class JsonValue implements AnswerReader {
  readonly #wanted: (name: string) => number;
  readonly #maxBytes: number;
  readonly #open: { readonly container: Container; key: string }[] = [];
  #value: unknown;
  #heldBytes = 0;

  /** @param wanted bytes needed of a member's texts, or SKIPPED or WHOLE. @param maxBytes most memory to use */
  constructor(wanted: (name: string) => number = () => WHOLE, maxBytes = Number.POSITIVE_INFINITY) {
    this.#wanted = wanted;
    this.#maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** undefined: nothing was read */
  result(): unknown {
    return this.#value;
  }

  startObject(): void {
    this.#start({});
  }

  startArray(): void {
    this.#start([]);
  }

  endObject(): void {
    this.#open.pop();
  }

  endArray(): void {
    this.#open.pop();
  }

  key(name: string): number {
    this.#open.at(-1)!.key = name;
    return this.#wanted(name);
  }

  value(value: JsonScalar): void {
    this.#add(value);
  }

  #start(container: Container): void {
    this.#add(container);
    this.#open.push({ container, key: "" });
  }

  #add(value: unknown): void {
    this.#heldBytes += VALUE_BYTES + (typeof value === "string" ? value.length : 0);
    if (this.#heldBytes > this.#maxBytes) {
      throw new JsonError(`the values of the JSON take more than ${this.#maxBytes} bytes`, { isTooLarge: true });
    }
    const open = this.#open.at(-1);
    if (open === undefined) this.#value = value;
    else if (Array.isArray(open.container)) open.container.push(value);
    // like JSON.parse, sets a member instead of the prototype
    else if (open.key === "__proto__")
      Object.defineProperty(open.container, open.key, { value, enumerable: true, configurable: true, writable: true });
    else open.container[open.key] = value;
  }
}
