/** Plain JSON Schema of a TypeBox schema, as validation, serialization and the OpenAPI document read it. */
import type { TSchema } from "typebox";

export interface JsonSchema {
  readonly type?: "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
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

/** Members are the schema's own keywords; a choice of texts becomes an `enum`, which is read and tested at once. */
export function jsonSchema(schema: TSchema): JsonSchema {
  return simplified(JSON.parse(JSON.stringify(schema)) as JsonSchema);
}

function simplified(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (anyOf?.every((choice) => typeof choice.const === "string")) {
    return { ...rest, type: "string", enum: anyOf.map((choice) => choice.const as string) };
  }
  const nested: Record<string, unknown> = { ...schema };
  if (anyOf !== undefined) nested.anyOf = anyOf.map(simplified);
  if (schema.allOf !== undefined) nested.allOf = schema.allOf.map(simplified);
  if (schema.items !== undefined) nested.items = simplified(schema.items);
  for (const members of ["properties", "patternProperties"] as const) {
    const of = schema[members];
    if (of !== undefined) nested[members] = Object.fromEntries(Object.entries(of).map(([name, member]) => [name, simplified(member)]));
  }
  return nested;
}
