/** Reads the answers of `trace_block` and `trace_transaction` as a stream, frame by frame; see `call-trace-reader.ts`. */
import { type AnswerReader, JsonError, type JsonScalar, SKIPPED, WHOLE } from "../../../base/json/json-events.ts";
import { JsonValue } from "../../../base/json/json-value.ts";
import { AnswerError } from "./answer-object.ts";
import { FlatTraces, FRAME_BYTES, MOST_FRAMES, ReadTraces } from "./trace-block.ts";

const UNUSED = new Set(["input", "output", "stateDiff", "vmTrace", "blockHash", "blockNumber"]);
/** only the length of code is used */
const CODE = 100;
/** hex digits */
const INIT_CODE = 2 ** 21;
const ENTRY_BYTES = 2 ** 22;

export class FlatTraceReader implements AnswerReader {
  readonly #traces = new FlatTraces("a trace", { keepsAll: false });
  readonly #repaired: (trace: unknown) => unknown;
  #isList = false;
  #isNull = false;
  #entry: JsonValue | undefined;
  #depth = 0;

  /** @param repaired corrects a trace of a node that is known to omit something */
  constructor(repaired: (trace: unknown) => unknown = (trace) => trace) {
    this.#repaired = repaired;
  }

  get heldBytes(): number {
    return this.#traces.kept * FRAME_BYTES + (this.#entry?.heldBytes ?? 0);
  }

  /** null: the node has no trace */
  result(): unknown {
    return this.#isNull ? null : new ReadTraces(this.#traces.end());
  }

  startObject(): void {
    if (!this.#isList) throw new AnswerError("traces are an object; they must be a list");
    if (this.#depth++ === 0) this.#entry = new JsonValue(wanted, ENTRY_BYTES);
    this.#entry!.startObject();
  }

  endObject(): void {
    this.#entry!.endObject();
    if (--this.#depth > 0) return;
    this.#traces.add(this.#repaired(this.#entry!.result()));
    this.#entry = undefined;
    if (this.#traces.kept > MOST_FRAMES) throw new JsonError(`a trace has more than ${MOST_FRAMES} relevant frames`, { isTooLarge: true });
  }

  startArray(): void {
    if (!this.#isList) {
      this.#isList = true;
      return;
    }
    if (this.#entry === undefined) throw new AnswerError("a trace is a list; it must be an object");
    this.#depth++;
    this.#entry.startArray();
  }

  endArray(): void {
    if (this.#entry === undefined) return;
    this.#depth--;
    this.#entry.endArray();
  }

  key(name: string): number {
    return this.#entry!.key(name);
  }

  value(value: JsonScalar): void {
    if (this.#entry !== undefined) this.#entry.value(value);
    else if (!this.#isList && value === null) this.#isNull = true;
    else throw new AnswerError("a trace is not an object; it must be one");
  }
}

function wanted(name: string): number {
  if (UNUSED.has(name)) return SKIPPED;
  return name === "code" ? CODE : name === "init" ? INIT_CODE : WHOLE;
}
