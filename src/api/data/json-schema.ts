/** Converts a TypeBox schema to plain JSON Schema, which validation, serialization and the OpenAPI document use. */
import type { TSchema } from "typebox";

export interface JsonSchema {
  /** name in the OpenAPI document */
  readonly $id?: string;
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** of members that `properties` does not name */
  readonly additionalProperties?: JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

/** TypeBox writes a record as a pattern that any name matches. */
const ANY_NAME = "^.*$";

/** Members are the schema's own keywords. A union of literals becomes an `enum`, a record `additionalProperties`. */
export function jsonSchema(schema: TSchema): JsonSchema {
  return simplified(JSON.parse(JSON.stringify(schema)) as JsonSchema);
}

function simplified(schema: JsonSchema): JsonSchema {
  const { anyOf, patternProperties, ...rest } = schema;
  if (anyOf?.every((choice) => typeof choice.const === "string")) {
    return { ...rest, type: "string", enum: anyOf.map((choice) => choice.const as string) };
  }
  if (patternProperties?.[ANY_NAME] !== undefined) return simplified({ ...rest, additionalProperties: patternProperties[ANY_NAME] });
  return mapNested(schema, simplified);
}

/** Returns the schema with each nested schema changed; `member` is the name of its property. */
export function mapNested(schema: JsonSchema, change: (nested: JsonSchema, member?: string) => JsonSchema): JsonSchema {
  const nested: Record<string, unknown> = { ...schema };
  for (const choices of ["anyOf", "allOf"] as const) {
    const of = schema[choices];
    if (of !== undefined) nested[choices] = of.map((choice) => change(choice));
  }
  for (const every of ["items", "additionalProperties"] as const) {
    const of = schema[every];
    if (of !== undefined) nested[every] = change(of);
  }
  if (schema.properties !== undefined) {
    nested.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, change(member, name)]));
  }
  return nested;
}
