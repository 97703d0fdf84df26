/** Integers of 64 bits as JSON numbers: a client may round them, the text says them exactly. */
import Type, { type TUnsafe } from "typebox";

export function exactInteger(description: string): TUnsafe<bigint> {
  return Type.Unsafe<bigint>({ type: "integer", description });
}
