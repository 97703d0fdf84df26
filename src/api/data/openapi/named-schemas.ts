/** Collects schemas with a name as the document's components, each once, and replaces them by references. */
import { isDeepStrictEqual } from "node:util";
import { type JsonSchema, mapNested } from "../json-schema.ts";

export class NamedSchemas {
  readonly #components = new Map<string, JsonSchema>();

  /** Sorted by name. */
  get components(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * Replaces named schemas within the schema, or the schema itself, by references. A description stays in place, since it is about that
   * use.
   */
  referring(schema: JsonSchema): JsonSchema {
    const { $id, ...rest } = mapNested(schema, (nested) => this.referring(nested));
    if ($id === undefined) return rest;
    const { description, ...component } = rest;
    const known = this.#components.get($id);
    if (known !== undefined && !isDeepStrictEqual(known, component)) throw new Error(`two different schemas have the name ${$id}`);
    this.#components.set($id, component);
    return { $ref: `#/components/schemas/${$id}`, ...(description !== undefined && { description }) };
  }
}
