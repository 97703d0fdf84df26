import { FirnError } from "../errors/errors.ts";

/**
 * What can be wrong with bytes. The node's texts are in error-text.ts.
 * - `short`: the input ends inside a value (`need`, `left`, `reading`: the kind of value)
 * - `version`: the leading u16 is not the codec version (`read`, `expected`)
 * - `no-version`: the input has fewer than two bytes
 * - `oversize`: the whole input exceeds the codec's limit (`length`, `limit`)
 * - `trailing`: bytes are left over (`read`, `provided`)
 * - `unknown-type`: the u32 type ID is not registered (`typeId`)
 * - `wrong-type`: the type ID is registered, but not allowed here (`typeId`)
 * - `recursive`: a type is nested in itself (`typeId`)
 * - `bool`: the byte is neither 0 nor 1 (`value`)
 * - `length`: a count is above 2^31-1 (`length`)
 * - `zero-length`: a list element has no bytes
 * - `order`: elements that must be in ascending order are not
 */
type CodecErrorKind =
  | "short"
  | "version"
  | "no-version"
  | "oversize"
  | "trailing"
  | "unknown-type"
  | "wrong-type"
  | "recursive"
  | "bool"
  | "length"
  | "zero-length"
  | "order";

/** Bytes that a codec cannot decode. The combinators fill in `path` on the way up: `outputs[0].owners.threshold`. */
export class CodecError extends FirnError {
  readonly kind: CodecErrorKind;
  readonly offset: number;
  path = "";

  constructor(kind: CodecErrorKind, offset: number, facts: Record<string, unknown> = {}) {
    super(`codec-${kind}`, "", facts);
    this.kind = kind;
    this.offset = offset;
    this.message = this.#describe();
  }

  /** Prepends one step; called by the combinator that owns the step. */
  under(step: string): this {
    this.path = this.path === "" || this.path.startsWith("[") ? step + this.path : `${step}.${this.path}`;
    this.message = this.#describe();
    return this;
  }

  #describe(): string {
    const facts = Object.entries(this.facts)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ");
    return `${this.path || "value"} at byte ${this.offset}: ${this.kind}${facts && ` (${facts})`}`;
  }
}
