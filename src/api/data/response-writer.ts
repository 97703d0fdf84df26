/**
 * Writes answers by their schema: members that the schema does not name are left out, absent ones stay absent, integers may be bigints. An
 * answer that does not fit its schema is a defect of the route and throws, so no client gets it. For a union, the first alternative that
 * fits is used, as clients do. If alternatives differ in the items of a list, the first item decides.
 */
import type { TSchema } from "typebox";
import { type JsonSchema, jsonSchema } from "./json-schema.ts";

type ResponseWriter = (answer: unknown) => string;
/** Yields between pieces of the work. */
export type ResponseSteps = (answer: unknown) => Generator<void, string>;

export function responseWriter(schema: TSchema): ResponseWriter {
  return writerOf(jsonSchema(schema), "answer");
}

/** Writes the same in pieces: some items of the answer's own lists at a time. */
export function responseSteps(schema: TSchema): ResponseSteps {
  const { properties = {} } = jsonSchema(schema);
  const write = responseWriter(schema);
  const lists = Object.entries(properties)
    .filter(([, { type }]) => type === "array")
    .map(([name, { items }]) => ({ name, writeItem: writerOf(items ?? {}, `answer.${name}[]`) }));
  return function* (answer) {
    if (!isObject(answer)) return write(answer);
    const partly: Record<string, unknown> = { ...answer };
    for (const { name, writeItem } of lists) {
      const list = answer[name];
      if (Array.isArray(list) && list.length > PIECE) partly[name] = new WrittenList(yield* listSteps(list, writeItem));
    }
    return write(partly);
  };
}

/** Items per piece. */
const PIECE = 8;

function* listSteps(list: readonly unknown[], writeItem: ResponseWriter): Generator<void, string> {
  let text = "";
  for (let at = 0; at < list.length; at++) {
    text += `${at === 0 ? "" : ","}${writeItem(list[at])}`;
    if (at % PIECE === PIECE - 1) yield;
  }
  return `[${text}]`;
}

class WrittenList {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

function misfit(path: string, wanted: string, value: unknown): Error {
  return new Error(
    `${path} must be ${wanted}, is ${value === undefined ? "missing" : typeof value === "bigint" ? value : JSON.stringify(value)}`,
  );
}

function writerOf(schema: JsonSchema, path: string): ResponseWriter {
  if (schema.anyOf !== undefined) return choiceWriter(schema.anyOf, path);
  if (schema.type === "object") return objectWriter(schema, path);
  if (schema.type === "array") return arrayWriter(schema.items ?? {}, path);
  if (schema.type === undefined && schema.const === undefined && schema.enum === undefined) return (value) => JSON.stringify(value);
  const isFit = testOf(schema);
  const wanted = schema.const !== undefined ? String(schema.const) : (schema.enum?.join(" or ") ?? schema.type!);
  return (value) => {
    if (!isFit(value)) throw misfit(path, wanted, value);
    return typeof value === "string" ? quoted(value) : String(value);
  };
}

/** Control characters, quotes, backslashes, and surrogates. */
const NEEDS_ESCAPE = /["\\\p{Cc}\p{Cs}]/u;

function quoted(text: string): string {
  return text.length > 5000 || NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function objectWriter({ properties = {}, additionalProperties, required = [] }: JsonSchema, path: string): ResponseWriter {
  const writeMembers = membersWriter(properties, required, path);
  const others = additionalProperties && writerOf(additionalProperties, `${path}.*`);
  return (value) => {
    if (!isObject(value)) throw misfit(path, "an object", value);
    let text = writeMembers(value);
    if (others === undefined) return `{${text}}`;
    for (const [name, member] of Object.entries(value)) {
      if (!Object.hasOwn(properties, name)) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${others(member)}`;
    }
    return `{${text}}`;
  };
}

/**
 * Compiles the writer of an object's named members to straight-line code, in which each place sees one member: several times as fast as a
 * loop over names. The names come from Firn's own schemas, never from input.
 */
function membersWriter(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[], path: string): ResponseWriter {
  const names = Object.keys(properties);
  const writers = names.map((name) => writerOf(properties[name]!, `${path}.${name}`));
  // of the first one that is surely written, and all after it, it is known whether a comma precedes them
  const sure = names.findIndex((name) => required.includes(name));
  const writes = names.map((name, i) => {
    const member = `${JSON.stringify(name)}:`;
    const known = i === 0 ? member : `,${member}`;
    const start = i === 0 || (sure !== -1 && i > sure) ? JSON.stringify(known) : `(text === "" ? "" : ",") + ${JSON.stringify(member)}`;
    const write = `text += ${start} + w${i}(v${i});`;
    const read = `const v${i} = value[${JSON.stringify(name)}];`;
    return required.includes(name) ? `${read} ${write}` : `${read} if (v${i} !== undefined) { ${write} }`;
  });
  const body = `return (value) => {\nlet text = "";\n${writes.join("\n")}\nreturn text;\n};`;
  return new Function(...names.map((_, i) => `w${i}`), body)(...writers);
}

function arrayWriter(items: JsonSchema, path: string): ResponseWriter {
  const write = writerOf(items, `${path}[]`);
  return (value) => {
    if (value instanceof WrittenList) return value.json;
    if (!Array.isArray(value)) throw misfit(path, "a list", value);
    let text = "";
    for (const item of value) text += `${text === "" ? "" : ","}${write(item)}`;
    return `[${text}]`;
  };
}

function choiceWriter(choices: readonly JsonSchema[], path: string): ResponseWriter {
  const alternatives = choices.map((schema) => ({ isFit: testOf(schema), write: writerOf(schema, path) }));
  return (value) => {
    for (const { isFit, write } of alternatives) if (isFit(value)) return write(value);
    throw misfit(path, `one of ${choices.length} forms`, value);
  };
}

type Test = (value: unknown) => boolean;

function testOf(schema: JsonSchema): Test {
  if (schema.const !== undefined) return (value) => value === schema.const;
  if (schema.enum !== undefined) {
    const values = new Set<unknown>(schema.enum);
    return (value) => values.has(value);
  }
  if (schema.anyOf !== undefined) {
    const tests = schema.anyOf.map(testOf);
    return (value) => tests.some((isFit) => isFit(value));
  }
  switch (schema.type) {
    case "object":
      return objectTest(schema);
    case "array": {
      const isFit = testOf(schema.items ?? {});
      return (value) => Array.isArray(value) && (value.length === 0 || isFit(value[0]));
    }
    case "integer":
      return (value) => typeof value === "bigint" || Number.isInteger(value);
    case "number":
      return (value) => typeof value === "bigint" || Number.isFinite(value);
    case "null":
      return (value) => value === null;
    case undefined:
      return () => true;
    default:
      return (value) => typeof value === schema.type;
  }
}

function objectTest({ properties = {}, required = [] }: JsonSchema): Test {
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    isRequired: required.includes(name),
    isFit: testOf(schema),
  }));
  return (value) =>
    isObject(value) &&
    members.every(({ name, isRequired, isFit }) => {
      const member = value[name];
      return member === undefined ? !isRequired : isFit(member);
    });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
