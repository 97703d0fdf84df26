/**
 * Reads callTracer's answer as a stream. It keeps only the inputs and outputs that are used, and only the frames that matter, since
 * everything else makes a trace large. `call-tracer.ts` parses traces that are small enough; both lead to the same rows.
 */
import { type AnswerReader, JsonError, type JsonScalar, LongText, SKIPPED, WHOLE } from "../../../base/json/json-events.ts";
import { AnswerError, AnswerObject } from "./answer-object.ts";
import { parseFrame } from "./call-tracer.ts";
import { FRAME_BYTES, isKept, MAX_DEPTH, MOST_FRAMES, ReadTraces, type TraceFrame, type TransactionTrace } from "./trace-frame.ts";

const WORD = 100;
const ERROR = 1000;
/** hex digits of init code; on most chains contracts are created from less than 48 KiB */
const INIT_CODE = 2 ** 21;
/** hex digits of inputs of open frames; only at the end of a frame is it known whether its input is init code */
const OPEN_INPUTS = 2 ** 24;

/** bytes of text to keep, by member of a frame */
const WANTED: Readonly<Record<string, number>> = {
  type: WORD,
  from: WORD,
  to: WORD,
  value: WORD,
  gas: WORD,
  gasUsed: WORD,
  error: ERROR,
  output: WORD,
  input: INIT_CODE,
  calls: WHOLE,
};

interface OpenFrame {
  /** index in the list of frames */
  readonly slot: number;
  readonly members: Record<string, unknown>;
  /** frames below it that are kept */
  kept: number;
  key: string;
  inputBytes: number;
}

type Place = "list" | "entry" | "frame" | "calls";

export class CallTraceReader implements AnswerReader {
  readonly #isOfBlock: boolean;
  readonly #places: Place[] = [];
  readonly #traces: TransactionTrace[] = [];
  readonly #open: OpenFrame[] = [];
  #entry: Record<string, unknown> = {};
  #entryKey = "";
  /** frames of the current transaction; undefined: the frame has not ended, or is left out */
  #frames: (TraceFrame | undefined)[] = [];
  #inputBytes = 0;
  #framesBefore = 0;
  #isNull = false;

  /** @param of "block": the answer is a list of traces; "transaction": it is one trace */
  constructor(of: "block" | "transaction") {
    this.#isOfBlock = of === "block";
  }

  get heldBytes(): number {
    return (this.#framesBefore + this.#frames.length) * FRAME_BYTES + this.#inputBytes;
  }

  /** null: the node has no trace */
  result(): unknown {
    return this.#isNull ? null : new ReadTraces(this.#traces);
  }

  startObject(): void {
    const place = this.#places.at(-1);
    if (place === "list") {
      this.#entry = {};
      this.#places.push("entry");
    } else if (place === "calls" || (place === "entry" && this.#entryKey === "result") || (place === undefined && !this.#isOfBlock)) {
      this.#startFrame();
    } else throw this.#misplaced("an object");
  }

  startArray(): void {
    const place = this.#places.at(-1);
    if (place === undefined && this.#isOfBlock) this.#places.push("list");
    else if (place === "frame" && this.#open.at(-1)!.key === "calls") this.#places.push("calls");
    else throw this.#misplaced("a list");
  }

  endArray(): void {
    this.#places.pop();
  }

  endObject(): void {
    const place = this.#places.pop();
    if (place === "frame") this.#endFrame();
    if (place === "entry") this.#endEntry();
  }

  key(name: string): number {
    if (this.#places.at(-1) === "entry") {
      this.#entryKey = name;
      return name === "result" ? WHOLE : name === "txHash" || name === "error" ? ERROR : SKIPPED;
    }
    this.#open.at(-1)!.key = name;
    if (name === "input" && this.#inputBytes > OPEN_INPUTS) return SKIPPED;
    return WANTED[name] ?? SKIPPED;
  }

  value(value: JsonScalar): void {
    const place = this.#places.at(-1);
    if (place === "entry") this.#entry[this.#entryKey] = value;
    else if (place === "frame") this.#setMember(this.#open.at(-1)!, value);
    else if (place === undefined && value === null) this.#isNull = true;
    else throw this.#misplaced(JSON.stringify(value));
  }

  #setMember(frame: OpenFrame, value: JsonScalar): void {
    // only the presence of an error is used
    frame.members[frame.key] = frame.key === "error" && value instanceof LongText ? "failed" : value;
    if (frame.key !== "input" || typeof value !== "string") return;
    frame.inputBytes = value.length;
    this.#inputBytes += value.length;
  }

  #startFrame(): void {
    if (this.#open.length > MAX_DEPTH) throw new AnswerError(`a trace is deeper than ${MAX_DEPTH} calls, the most that an EVM allows`);
    this.#places.push("frame");
    this.#open.push({ slot: this.#frames.push(undefined) - 1, members: {}, kept: 0, key: "", inputBytes: 0 });
    if (this.#framesBefore + this.#frames.length > MOST_FRAMES) {
      throw new JsonError(`a trace has more than ${MOST_FRAMES} relevant frames`, { isTooLarge: true });
    }
  }

  #endFrame(): void {
    const { slot, members, kept, inputBytes } = this.#open.pop()!;
    const depth = this.#open.length;
    const frame = parseFrame(new AnswerObject(members, `${this.#where}: a frame`), depth);
    if (frame.initCode === undefined) this.#inputBytes -= inputBytes;
    if (depth === 0 || kept > 0 || isKept(frame)) {
      this.#frames[slot] = frame;
      if (depth > 0) this.#open.at(-1)!.kept += kept + 1;
    } else this.#frames.pop();
    if (depth === 0 && !this.#isOfBlock) this.#endTransaction(undefined);
  }

  #endEntry(): void {
    const entry = new AnswerObject(this.#entry, this.#where);
    if (entry.has("error")) throw entry.wrong("error", "absent: the node could not trace the transaction");
    if (this.#frames.length === 0) throw entry.wrong("result", "an object");
    this.#endTransaction(entry.has("txHash") ? entry.hash("txHash") : undefined);
  }

  #endTransaction(transactionHash: string | undefined): void {
    this.#traces.push({ transactionHash, frames: this.#frames as TraceFrame[] });
    this.#framesBefore += this.#frames.length;
    this.#frames = [];
  }

  get #where(): string {
    return `traces[${this.#traces.length}]`;
  }

  #misplaced(what: string | undefined): AnswerError {
    return new AnswerError(`${this.#where} has ${what} where a call trace cannot have one`);
  }
}
