/**
 * Reads one trace of callTracer as the list of its calls, in pre-order, while it arrives or from a parsed value. It keeps the first calls and
 * the beginnings of inputs and outputs, so a trace of any size leaves little.
 */
import { type AnswerReader, type JsonScalar, LongText, SKIPPED, WHOLE } from "../../../base/json/json-events.ts";
import { tellValue } from "../../../base/json/tell-value.ts";
import { AnswerError, AnswerObject } from "./answer-object.ts";
import type { Address } from "./block.ts";

/** calls of a tree that are kept */
export const MOST_CALLS = 1000;
/** bytes of an input or output that are kept */
export const SHOWN_BYTES = 512;
/** characters of a node's words for an error */
const SHOWN_ERROR = 200;

/** The beginning of an input or output. */
export interface ShownBytes {
  /** up to SHOWN_BYTES; empty if there are more than half a MiB */
  readonly start: Buffer;
  /** of the whole, in bytes */
  readonly length: number;
}

export interface TracedCall {
  /** 0: the transaction's own call */
  readonly depth: number;
  /** CALL, DELEGATECALL, CREATE2 …, as the node names it */
  readonly type: string;
  readonly from: Address;
  readonly to: Address | undefined;
  /** wei */
  readonly value: bigint;
  readonly gas: bigint;
  readonly gasUsed: bigint;
  readonly input: ShownBytes;
  readonly output: ShownBytes;
  /** in the node's words; undefined: it did not fail */
  readonly error: string | undefined;
}

/** A class, so that nothing in a node's JSON can be taken for what was read of it. */
export class CallTree {
  readonly calls: readonly TracedCall[];
  /** false: the transaction made more calls than MOST_CALLS */
  readonly isComplete: boolean;

  constructor(calls: readonly TracedCall[], isComplete: boolean) {
    this.calls = calls;
    this.isComplete = isComplete;
  }
}

const WORD = 100;
const ERROR = 1000;
/** hex digits of a text that is looked at, so that its beginning can be kept */
const BYTES = 2 ** 20;

/** bytes of text to read, by member of a call */
const WANTED: ReadonlyMap<string, number> = new Map([
  ...["type", "from", "to", "value", "gas", "gasUsed"].map((name) => [name, WORD] as const),
  ["error", ERROR],
  ["input", BYTES],
  ["output", BYTES],
  ["calls", WHOLE],
]);

const TYPE = /^[A-Z][A-Z0-9_]{0,31}$/;
const HEX = /^0x([0-9a-f]{2})*$/i;
const NOTHING: ShownBytes = { start: Buffer.alloc(0), length: 0 };

/** approximate memory of a call besides its input and output, bytes */
const CALL_BYTES = 600;

interface OpenCall {
  /** place in the list; undefined: beyond MOST_CALLS */
  readonly at: number | undefined;
  readonly members: Record<string, unknown>;
  key: string;
  input: ShownBytes;
  output: ShownBytes;
}

export class CallTreeReader implements AnswerReader {
  readonly #calls: (TracedCall | undefined)[] = [];
  readonly #open: OpenCall[] = [];
  /** whether the list of calls of the innermost open call is open */
  #isInList = false;
  #isComplete = true;
  #shownBytes = 0;

  get heldBytes(): number {
    return this.#calls.length * CALL_BYTES + this.#shownBytes;
  }

  /** Throws an AnswerError if nothing was read, or no call. */
  result(): CallTree {
    if (this.#open.length > 0 || this.#calls.length === 0) throw new AnswerError("the trace has no call");
    return new CallTree(this.#calls as TracedCall[], this.#isComplete);
  }

  startObject(): void {
    if (this.#open.length === 0 ? this.#calls.length > 0 : !this.#isInList) throw misplaced("an object");
    const isKept = this.#calls.length < MOST_CALLS;
    if (!isKept) this.#isComplete = false;
    const at = isKept ? this.#calls.push(undefined) - 1 : undefined;
    this.#open.push({ at, members: {}, key: "", input: NOTHING, output: NOTHING });
    this.#isInList = false;
  }

  endObject(): void {
    const call = this.#open.pop()!;
    if (call.at !== undefined) this.#calls[call.at] = parsed(call, this.#open.length);
    this.#isInList = this.#open.length > 0;
  }

  startArray(): void {
    if (this.#isInList || this.#open.at(-1)?.key !== "calls") throw misplaced("a list");
    this.#isInList = true;
  }

  endArray(): void {
    this.#isInList = false;
  }

  key(name: string): number {
    const call = this.#open.at(-1)!;
    call.key = name;
    return call.at === undefined ? SKIPPED : (WANTED.get(name) ?? SKIPPED);
  }

  value(value: JsonScalar): void {
    const call = this.#open.at(-1);
    if (call === undefined || this.#isInList) throw misplaced(JSON.stringify(value));
    if (call.key !== "input" && call.key !== "output") call.members[call.key] = value;
    else if (value !== null) {
      call[call.key] = shownOf(value, call.key);
      this.#shownBytes += call[call.key].start.length;
    }
  }
}

/** Reads a trace: what a CallTreeReader made while it arrived, or the parsed answer. Throws an AnswerError. */
export function readCallTree(answer: unknown): CallTree {
  if (answer instanceof CallTree) return answer;
  const reader = new CallTreeReader();
  tellValue(reader, answer);
  return reader.result();
}

function parsed({ members, input, output }: OpenCall, depth: number): TracedCall {
  const call = new AnswerObject(members, "a call of the trace");
  const type = call.text("type").toUpperCase();
  if (!TYPE.test(type)) throw call.wrong("type", "the name of an instruction");
  return {
    depth,
    type,
    from: call.address("from"),
    to: call.optionalAddress("to"),
    value: call.optionalQuantity("value") ?? 0n,
    gas: call.optionalUint64("gas") ?? 0n,
    gasUsed: call.optionalUint64("gasUsed") ?? 0n,
    input,
    output,
    error: call.has("error") ? (call.knownText("error") ?? "failed").slice(0, SHOWN_ERROR) : undefined,
  };
}

const PREFIX = "0x".length;

function shownOf(value: JsonScalar, name: string): ShownBytes {
  if (value instanceof LongText) return { start: NOTHING.start, length: bytesIn(value.bytes, name) };
  if (typeof value !== "string") throw new AnswerError(`a call's ${name} is not a text`);
  const start = value.slice(0, PREFIX + 2 * SHOWN_BYTES);
  const length = bytesIn(value.length, name);
  if (!HEX.test(start)) throw new AnswerError(`a call's ${name} is not 0x and digits of hex`);
  return { start: Buffer.from(start.slice(PREFIX), "hex"), length };
}

function bytesIn(characters: number, name: string): number {
  if (characters % 2 !== 0) throw new AnswerError(`a call's ${name} has an odd number of digits`);
  return (characters - PREFIX) / 2;
}

function misplaced(what: string | undefined): AnswerError {
  return new AnswerError(`the trace has ${what} where a call cannot have one`);
}
