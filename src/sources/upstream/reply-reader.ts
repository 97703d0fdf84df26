/**
 * Reads the replies of a message that is too large to parse at once. The reader of each call makes its result, and keeps only what it uses.
 */
import { type AnswerReader, type JsonEvents, type JsonScalar, SKIPPED, WHOLE } from "../../base/json/json-events.ts";
import { JsonValue } from "../../base/json/json-value.ts";
import type { Reply } from "./json-rpc-message.ts";
import type { RpcCall } from "./upstream-rpc.ts";

const MIB = 2 ** 20;
/** for the result of one call */
const RESULT_BYTES = 128 * MIB;
const ERROR_BYTES = 8 * MIB;
const ID_BYTES = 200;

/** Ignores the rest of a result that failed. */
const DEAF: AnswerReader = {
  heldBytes: 0,
  startObject() {},
  endObject() {},
  startArray() {},
  endArray() {},
  key: () => SKIPPED,
  value() {},
  result: () => undefined,
};

export class ReplyReader implements JsonEvents {
  readonly #callOf: (id: unknown) => RpcCall | undefined;
  readonly #replies: Reply[] = [];
  #isBatch = false;
  #depth = 0;
  #reply: { -readonly [N in keyof Reply]: Reply[N] } = {};
  #member: "id" | "result" | "error" = "id";
  /** reader of the current member, and the depth within it */
  #inner: AnswerReader | undefined;
  #innerDepth = 0;
  #heldBytes = 0;

  /** @param callOf the call with an ID; for undefined, if a result comes before its ID, the only call of the message */
  constructor(callOf: (id: unknown) => RpcCall | undefined) {
    this.#callOf = callOf;
  }

  get heldBytes(): number {
    return this.#heldBytes + (this.#inner?.heldBytes ?? 0);
  }

  /** What JSON.parse would return, except for results that the readers of calls made. */
  answer(): unknown {
    return this.#isBatch ? this.#replies : this.#replies[0];
  }

  startObject(): void {
    if (this.#inner !== undefined) this.#tell((inner) => inner.startObject(), 1);
    else if (++this.#depth === (this.#isBatch ? 2 : 1)) this.#reply = {};
  }

  endObject(): void {
    if (this.#inner !== undefined) this.#tell((inner) => inner.endObject(), -1);
    else if (this.#depth-- === (this.#isBatch ? 2 : 1)) this.#replies.push(this.#reply);
  }

  startArray(): void {
    if (this.#inner !== undefined) this.#tell((inner) => inner.startArray(), 1);
    else if (this.#depth++ === 0) this.#isBatch = true;
  }

  endArray(): void {
    if (this.#inner !== undefined) this.#tell((inner) => inner.endArray(), -1);
    else this.#depth--;
  }

  key(name: string): number {
    if (this.#inner !== undefined) return this.#keyOfInner(this.#inner, name);
    const isOfReply = this.#depth === (this.#isBatch ? 2 : 1);
    if (!isOfReply || (name !== "id" && name !== "result" && name !== "error")) return SKIPPED;
    this.#member = name;
    this.#innerDepth = 0;
    this.#inner = name === "result" ? this.#resultReader() : new JsonValue(() => WHOLE, name === "id" ? ID_BYTES : ERROR_BYTES);
    return WHOLE;
  }

  value(value: JsonScalar): void {
    if (this.#inner !== undefined) this.#tell((inner) => inner.value(value), 0);
  }

  #resultReader(): AnswerReader {
    return this.#callOf(this.#reply.id)?.reader?.() ?? new JsonValue(() => WHOLE, RESULT_BYTES);
  }

  #keyOfInner(inner: AnswerReader, name: string): number {
    try {
      return inner.key(name);
    } catch (error) {
      this.#giveUp(error);
      return SKIPPED;
    }
  }

  #tell(event: (inner: AnswerReader) => void, deeper: number): void {
    this.#innerDepth += deeper;
    try {
      event(this.#inner!);
      if (this.#innerDepth === 0) this.#endMember();
    } catch (error) {
      this.#giveUp(error);
      if (this.#innerDepth === 0) this.#inner = undefined;
    }
  }

  #endMember(): void {
    const inner = this.#inner!;
    // null is a valid result
    if (inner !== DEAF) this.#reply[this.#member] = inner.result() as never;
    this.#heldBytes += inner.heldBytes;
    this.#inner = undefined;
  }

  /** Skips the rest of the member; other replies of the message are still read. */
  #giveUp(error: unknown): void {
    this.#reply.failure = error;
    this.#inner = DEAF;
  }
}
