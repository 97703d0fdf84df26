/**
 * Reads callTracer's answer as a stream. It keeps only the inputs and outputs that are used, and only the frames that matter, since
 * everything else makes a trace large. `call-tracer.ts` parses traces that are small enough; both lead to the same rows.
 */

import { type AnswerReader, JsonError, type JsonScalar, LongText, SKIPPED, WHOLE } from "../../../base/json/json-events.ts";
import { AnswerError, AnswerObject } from "./answer-object.ts";
import {
  FRAME_BYTES,
  frameType,
  isKept,
  MAX_DEPTH,
  MOST_FRAMES,
  ReadTraces,
  type TraceFrame,
  type TransactionTrace,
  ZERO_ADDRESS,
} from "./trace-block.ts";

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

export function parseCallTracer(traces: readonly unknown[], where: string): TransactionTrace[] {
  return traces.map((entry, index) => {
    const trace = new AnswerObject(entry, `${where}: traces[${index}]`);
    if (trace.has("error")) throw trace.wrong("error", "absent: the node could not trace the transaction");
    const frames: TraceFrame[] = [];
    addFrames(trace.object("result"), 0, frames);
    return { transactionHash: trace.has("txHash") ? trace.hash("txHash") : undefined, frames };
  });
}

/** Parses the trace of `debug_traceTransaction`. */
export function parseCallTrace(trace: unknown, where: string): TransactionTrace {
  const frames: TraceFrame[] = [];
  addFrames(new AnswerObject(trace, where), 0, frames);
  return { transactionHash: undefined, frames };
}

function addFrames(frame: AnswerObject, depth: number, frames: TraceFrame[]): void {
  if (depth > MAX_DEPTH) throw new AnswerError(`${frame.where} is deeper than ${MAX_DEPTH} calls, the most that an EVM allows`);
  frames.push(parseFrame(frame, depth));
  if (!frame.has("calls")) return;
  for (const call of frame.list("calls")) addFrames(new AnswerObject(call, `${frame.where}.calls[]`), depth + 1, frames);
}

/**
 * Parses traces of `debug_traceBlockByNumber` with callTracer: a tree per transaction. The traces of anvil and coreth differ in gas and in
 * which failed frames they contain.
 */
function parseFrame(frame: AnswerObject, depth: number): TraceFrame {
  const type = frameType(frame.text("type").toUpperCase());
  const isCreated = type === "CREATE" || type === "CREATE2";
  const error = frame.has("error") ? frame.text("error") : undefined;
  const mayLackTo = isCreated ? error !== undefined : type === "SELFDESTRUCT" || type === "OTHER";
  const to = frame.has("to") || !mayLackTo ? frame.address("to") : undefined;
  return {
    type,
    depth,
    from: frame.address("from"),
    // anvil omits the recipient if a contract destroys itself in favour of itself
    to: to ?? (isCreated ? undefined : ZERO_ADDRESS),
    value: frame.optionalQuantity("value") ?? 0n,
    gasLimit: frame.optionalUint64("gas") ?? 0n,
    gasUsed: frame.optionalUint64("gasUsed") ?? 0n,
    error,
    codeLength: isCreated && error === undefined && frame.has("output") ? frame.byteLength("output") : 0,
    initCode: type === "CREATE2" ? frame.knownText("input") : undefined,
  };
}
