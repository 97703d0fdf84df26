/** The events of a JSON reader, in the order of the text. */
import { FirnError } from "../errors/errors.ts";

/** Returned by `key` for a member that is not needed: its value produces no events, however long and deep it is. */
export const SKIPPED = -1;
/** Returned by `key` if texts are needed in full. */
export const WHOLE = Number.POSITIVE_INFINITY;

/** Stands for a text that is longer than `key` asked for. */
export class LongText {
  /** length of the text in the JSON, without its quotes */
  readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

export type JsonScalar = string | number | boolean | null | LongText;

export interface JsonEvents {
  startObject(): void;
  endObject(): void;
  startArray(): void;
  endArray(): void;
  /**
   * Called before the value of a member. Returns how many bytes of a text are needed, also of texts in a list: SKIPPED, WHOLE, or a number
   */
  key(name: string): number;
  value(value: JsonScalar): void;
}

/** Makes the result of one call while its text is read. */
export interface AnswerReader extends JsonEvents {
  /** called after the last event */
  result(): unknown;
  /** approximate memory in use, bytes */
  readonly heldBytes: number;
}

/** The text is not JSON, or exceeds a limit. */
export class JsonError extends FirnError {
  readonly isTooLarge: boolean;

  constructor(message: string, { isTooLarge = false } = {}) {
    super(isTooLarge ? "json-too-large" : "json", message);
    this.isTooLarge = isTooLarge;
  }
}
