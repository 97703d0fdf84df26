/** Members of JSON objects that people write. Each is defined once: how it is read, and the schema that an editor is shown. */

import { didYouMean } from "../text/near-name.ts";
import type { JsonInput } from "./json-input.ts";

/** JSON Schema, draft 7. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Member<T> {
  readonly schema: JsonSchema;
  /** @param directory to which paths are relative */
  read(value: JsonInput, directory: string): T;
}

export type Members = Readonly<Record<string, Member<unknown>>>;

/** Absent members are undefined. */
type ReadMembers<M extends Members> = { readonly [N in keyof M]: ReturnType<M[N]["read"]> | undefined };

export function member<T>(schema: JsonSchema, read: Member<T>["read"]): Member<T> {
  return { schema, read };
}

export function object<M extends Members>(description: string, members: M): Member<ReadMembers<M>> {
  return member({ ...objectSchema(members), description }, (value, directory) => readMembers(value, members, directory));
}

export function objectSchema(members: Members): JsonSchema {
  const properties = Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema]));
  return { type: "object", properties, additionalProperties: false };
}

/** Reads the members of one object. Unknown members are refused; each known one is absent or valid. */
export function readMembers<M extends Members>(object: JsonInput, members: M, directory: string): ReadMembers<M> {
  const names = Object.keys(members);
  // also refuses a value that is not an object
  object.optionalMember(names[0]!);
  const unknown = Object.keys(object.value as object).find((name) => !names.includes(name));
  if (unknown !== undefined) throw object.wrong(`only ${names.join(", ")} (${unknown} is unknown${didYouMean(unknown, names)})`);
  const read = (name: string) => {
    const value = object.optionalMember(name);
    return value && members[name]!.read(value, directory);
  };
  return Object.fromEntries(names.map((name) => [name, read(name)])) as ReadMembers<M>;
}
