/**
 * Reads a request's parameters by a route's schema. Texts of a query or a path become numbers and booleans, comma-separated values become a
 * list, defaults are filled in, and unknown parameters are ignored. Every refusal says what was sent and what would be right. If a pattern
 * would not tell a reader what a text must be, the schema's title says it. A schema with an unknown keyword is refused when the route is
 * registered, not at a request.
 */
import type { TObject } from "typebox";
import { badRequest } from "./errors.ts";
import { shown } from "./ids.ts";
import { type JsonSchema, jsonSchema } from "./json-schema.ts";

/** Parameters as sent, by name: texts and lists of texts, or the members of a JSON body. */
export type Sent = Readonly<Record<string, unknown>>;
export type Reader = (sent: Sent) => Record<string, unknown>;
export type BodyReader = (body: unknown) => Record<string, unknown>;

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly default: unknown;
  /** the rest of the sentence "must be …" */
  readonly wanted: string;
  /** returns undefined if the value is not what is wanted */
  read(value: unknown): unknown;
}

/** Reads a query or a path, whose values are texts. */
export function textReader(schema: TObject): Reader {
  return readerOf(schema, textValue);
}

/** Reads a JSON body, whose values have types. */
export function bodyReader(schema: TObject): BodyReader {
  const read = readerOf(schema, jsonValue);
  return (body) => {
    if (isObject(body)) return read(body);
    throw badRequest(`the body must be a JSON object with ${Object.keys(schema.properties).join(", ")}`);
  };
}

function isObject(value: unknown): value is Sent {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param within the object that has these members, in messages: `metadata.` */
function readerOf(schema: TObject | JsonSchema, kindReader: ScalarReader, within = ""): Reader {
  const { properties = {}, required = [] } = jsonSchema(schema);
  const members = Object.entries(properties).map(([own, member]) => ({
    own,
    ...memberOf(`${within}${own}`, member, required.includes(own), kindReader),
  }));
  return (sent) => {
    const values: Record<string, unknown> = {};
    for (const member of members) {
      const value = sent[member.own];
      const read = value === undefined ? member.default : member.read(value);
      if (read !== undefined) values[member.own] = read;
      else if (value !== undefined) throw refusal(member, value);
      else if (member.isRequired) throw badRequest(`${member.name} is missing; it must be ${member.wanted}`);
    }
    return values;
  };
}

function refusal({ name, wanted }: Member, value: unknown) {
  return badRequest(`${name} must be ${wanted}, got ${shownValue(value)}`);
}

/** Shows only the length of lists and objects in a body, since printing thousands of nested levels would overflow the stack. */
function shownValue(value: unknown): string {
  if (isTextList(value)) return `${value.length} values: ${shown(value.join(", "))}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return /^-?[0-9.]{1,40}$/.test(value) ? value : shown(value);
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

const KNOWN_KEYWORDS = new Set(
  "type enum const items minimum maximum minLength maxLength maxItems pattern default description examples title deprecated".split(" "),
);
const OBJECT_KEYWORDS = new Set([...KNOWN_KEYWORDS, "$id", "properties", "required"]);

type ScalarReader = (schema: JsonSchema) => (value: unknown) => unknown;

function memberOf(name: string, schema: JsonSchema, isRequired: boolean, kindReader: ScalarReader): Member {
  const keywords = schema.type === "object" ? OBJECT_KEYWORDS : KNOWN_KEYWORDS;
  const unknown = [schema, schema.items ?? {}].flatMap(Object.keys).find((keyword) => !keywords.has(keyword));
  if (unknown !== undefined)
    throw new Error(`the schema of ${name} has the keyword ${unknown}, which the reader of requests does not support`);
  const base = { name, isRequired, default: schema.default, wanted: wantedOf(schema) };
  if (schema.type === "object" && kindReader === jsonValue) {
    const read = readerOf(schema, kindReader, `${name}.`);
    return { ...base, read: (value) => (isObject(value) ? read(value) : undefined) };
  }
  if (schema.type !== "array") return { ...base, read: kindReader(schema) };
  const readItem = kindReader(schema.items!);
  const itemsOf = kindReader === textValue ? separated : (value: unknown) => (Array.isArray(value) ? value : [value]);
  const most = schema.maxItems ?? Number.MAX_SAFE_INTEGER;
  return {
    ...base,
    read(value) {
      const items = itemsOf(value).map(readItem);
      return items.length > most || items.includes(undefined) ? undefined : items;
    },
  };
}

/** `txTypes=A&txTypes=B` and `txTypes=A,B` are the same list. */
function separated(value: unknown): unknown[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((each) => (typeof each === "string" ? each.split(",") : [each]));
}

const WHOLE = /^[+-]?[0-9]+$/;
const DECIMAL = /^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

const textValue: ScalarReader = (schema) => {
  const read = jsonValue(schema);
  switch (schema.type) {
    case "integer":
      return (value) => (typeof value === "string" && WHOLE.test(value) ? read(Number(value)) : undefined);
    case "number":
      return (value) => (typeof value === "string" && DECIMAL.test(value) ? read(Number(value)) : undefined);
    case "boolean":
      return (value) => (value === "true" ? true : value === "false" ? false : undefined);
    default:
      return read;
  }
};

const jsonValue: ScalarReader = (schema) => {
  if (schema.const !== undefined) return (value) => (value === schema.const ? value : undefined);
  if (schema.enum !== undefined) {
    const choices = new Set<unknown>(schema.enum);
    return (value) => (choices.has(value) ? value : undefined);
  }
  const { minimum = -Infinity, maximum = Infinity, minLength = 0, maxLength = Infinity } = schema;
  const isWithin = (value: number) => value >= minimum && value <= maximum;
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern, "u");
  switch (schema.type) {
    case "integer":
      return (value) => (Number.isSafeInteger(value) && isWithin(value as number) ? value : undefined);
    case "number":
      return (value) => (Number.isFinite(value) && isWithin(value as number) ? value : undefined);
    case "boolean":
      return (value) => (typeof value === "boolean" ? value : undefined);
    case "string":
      return (value) => {
        if (typeof value !== "string" || value.length < minLength || value.length > maxLength) return undefined;
        return pattern === undefined || pattern.test(value) ? value : undefined;
      };
    default:
      throw new Error(`the reader of requests does not support the schema ${JSON.stringify(schema)}`);
  }
};

function wantedOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum !== undefined) return schema.enum.length === 2 ? schema.enum.join(" or ") : `one of ${schema.enum.join(", ")}`;
  switch (schema.type) {
    case "integer":
      return `an integer${boundsOf(schema)}`;
    case "number":
      return `a number${boundsOf(schema)}`;
    case "boolean":
      return "true or false";
    case "object":
      return `an object with ${Object.keys(schema.properties ?? {}).join(", ")}`;
    case "array":
      return `${schema.maxItems === undefined ? "values" : `at most ${schema.maxItems} values`}, each ${wantedOf(schema.items!)}`;
    default: {
      if (schema.title !== undefined) return String(schema.title);
      const length = schema.maxLength === undefined ? "" : ` of at most ${schema.maxLength} characters`;
      return `${(schema.minLength ?? 0) > 0 ? "a text that is not empty" : "one text"}${length}${schema.pattern === undefined ? "" : ` like ${schema.pattern}`}`;
    }
  }
}

function boundsOf({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined) return maximum === undefined ? "" : ` up to ${maximum}`;
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? ` from ${minimum} on` : ` from ${minimum} to ${maximum}`;
}
