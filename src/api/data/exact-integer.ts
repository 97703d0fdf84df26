/** 64-bit integers as JSON numbers. The JSON text is exact; a client may round them. */
import Type, { type TUnsafe } from "typebox";

export function exactInteger(description: string): TUnsafe<bigint> {
  return Type.Unsafe<bigint>({ type: "integer", description });
}
