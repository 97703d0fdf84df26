import { foldName } from "../../base/json/go-decode.ts";
import type { JsonInput } from "../../base/json/json-input.ts";
import { didYouMean } from "../../base/text/near-name.ts";

/**
 * An object as Go reads it into a struct: names count in any case, the last of those that are the same, and null changes nothing.
 * @param isClosed refuses other names, which Go ignores: there a mistyped name has a chain on which nobody may send, for instance
 */
export function goStruct(given: JsonInput, names: readonly string[], { isClosed = false } = {}): JsonInput {
  // refuses what is no object
  given.optionalMember(names[0]!);
  const fields = new Map(names.map((name) => [foldName(name), name]));
  const members = new Map<string, unknown>();
  for (const [name, value] of Object.entries(given.value as object)) {
    const field = fields.get(foldName(name));
    if (field === undefined && isClosed)
      throw given.wrong(`only ${names.join(", ")} (${name.slice(0, LONGEST_NAME)} is unknown${didYouMean(name, names)})`);
    if (value !== null) members.set(field ?? name, value);
  }
  return given.replaced(Object.fromEntries(members));
}

const LONGEST_NAME = 40;
