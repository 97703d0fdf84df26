import { CodecError } from "./error.ts";
import { Reader, Writer } from "./reader.ts";

/** The context of a JSON rendering. */
export interface JsonContext {
  /** The text form of a 20-byte address on the chain being rendered, e.g. `P-custom1…`. */
  address(address: string): string;
}

/**
 * Defines a value's type, its bytes and the node's JSON in one place. `json` returns text, because `JSON.stringify` cannot print u64
 * values.
 */
export interface Codec<T> {
  decode(reader: Reader): T;
  encode(writer: Writer, value: T): void;
  json(value: T, context: JsonContext): string;
  /** How a table stores a column of this codec; by default as opaque bytes. */
  readonly column?: ColumnKind;
}

/** Kinds of columns. Those of the first three lines sort like their bytes and may be key columns (`text` only as the last one). */
export type ColumnKind =
  | { kind: "u8" | "u16" | "u32" | "u64" | "bool" }
  | { kind: "hex"; length: number }
  | { kind: "text" }
  | { kind: "bytes" | "sentence" | "varint" | "varint64" | "integer" }
  | { kind: "optional"; inner: PlainColumnKind };

/** A column that always has a value. */
export type PlainColumnKind = Exclude<ColumnKind, { kind: "optional" }>;

/** The TypeScript type that a codec describes. */
export type Value<C> = C extends Codec<infer T> ? T : never;

const HEX_PREFIX_JSON = '"0x';

function integer(kind: "u8" | "u16" | "u32"): Codec<number> {
  return {
    decode: (reader) => reader[kind](),
    encode: (writer, value) => writer[kind](value),
    json: (value) => `${value}`,
    column: { kind },
  };
}

export const u8 = integer("u8");
export const u16 = integer("u16");
export const u32 = integer("u32");

/** Amounts (nAVAX), times (Unix seconds), heights, weights. */
export const u64: Codec<bigint> = {
  decode: (reader) => reader.u64(),
  encode: (writer, value) => writer.u64(value),
  json: (value) => `${value}`,
  column: { kind: "u64" },
};

export const bool: Codec<boolean> = {
  decode(reader) {
    const at = reader.offset;
    const value = reader.bytes[reader.take(1, "bool")]!;
    if (value > 1) throw new CodecError("bool", at, { value });
    return value === 1;
  },
  encode: (writer, value) => writer.u8(value ? 1 : 0),
  json: (value) => `${value}`,
  column: { kind: "bool" },
};

/** `length` raw bytes, in memory as lowercase hex. By default the JSON is `0x…`. */
export function fixedHex(length: number, json: Codec<string>["json"] = (value) => `${HEX_PREFIX_JSON}${value}"`): Codec<string> {
  return {
    decode: (reader) => reader.hex(length),
    encode(writer, value) {
      if (value.length !== length * 2) throw new RangeError(`needs ${length} bytes of hex, got ${value.length / 2}`);
      writer.hex(value);
    },
    json,
    column: { kind: "hex", length },
  };
}

/** u32 length, then raw bytes (a view of the input). JSON is `0x…`. */
export const bytes: Codec<Uint8Array> = {
  decode: (reader) => reader.slice(reader.length()),
  encode(writer, value) {
    writer.u32(value.length);
    writer.raw(value);
  },
  json: (value) => `${HEX_PREFIX_JSON}${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}"`,
  column: { kind: "bytes" },
};

/** All bytes to the end (a view of the input), so only the last column of Firn's own rows. JSON is `0x…`. */
export const rest: Codec<Uint8Array> = {
  ...bytes,
  decode: (reader) => reader.slice(reader.left),
  encode: (writer, value) => writer.raw(value),
};

/** u16 length, then text. In memory the text is latin1, so bytes that are not UTF-8 survive a round trip. */
export const str: Codec<string> = {
  decode: (reader) => reader.slice(reader.u16("string"), "string").toString("latin1"),
  encode(writer, value) {
    writer.u16(value.length);
    writer.raw(Buffer.from(value, "latin1"));
  },
  json: (value) => JSON.stringify(Buffer.from(value, "latin1").toString("utf8")),
  column: { kind: "text" },
};

/** u16 length, then UTF-8, cut to the maximum length. For text written for people; ASCII has the same bytes as `str`. */
export const sentence: Codec<string> = {
  decode: (reader) => reader.slice(reader.u16("string"), "string").toString("utf8"),
  encode(writer, value) {
    const bytes = Buffer.from(value, "utf8").subarray(0, 0xff_ff);
    writer.u16(bytes.length);
    writer.raw(bytes);
  },
  json: (value) => JSON.stringify(value),
  column: { kind: "sentence" },
};

/** u32 count, then elements. */
export function list<T>(element: Codec<T>): Codec<T[]> {
  return {
    decode(reader) {
      const count = reader.length();
      const values: T[] = [];
      for (let i = 0; i < count; i++) {
        const at = reader.offset;
        try {
          values.push(element.decode(reader));
        } catch (error) {
          throw error instanceof CodecError ? error.under(`[${i}]`) : error;
        }
        if (reader.offset === at) throw new CodecError("zero-length", at).under(`[${i}]`);
      }
      return values;
    },
    encode(writer, values) {
      writer.u32(values.length);
      for (const value of values) element.encode(writer, value);
    },
    json: (values, context) => `[${values.map((value) => element.json(value, context)).join(",")}]`,
  };
}

/** One byte that tells whether a value follows. Only for Firn's own rows; the chains have no such type. */
export function optional<T>(inner: Codec<T>): Codec<T | undefined> {
  const { column } = inner;
  return {
    ...(column !== undefined && column.kind !== "optional" && { column: { kind: "optional", inner: column } }),
    decode: (reader) => (bool.decode(reader) ? inner.decode(reader) : undefined),
    encode(writer, value) {
      bool.encode(writer, value !== undefined);
      if (value !== undefined) inner.encode(writer, value);
    },
    json: (value, context) => (value === undefined ? "null" : inner.json(value, context)),
  };
}

/** Decodes a whole input; left-over bytes are an error. */
export function decodeAll<T>(codec: Codec<T>, input: Uint8Array): T {
  const reader = new Reader(input);
  const value = codec.decode(reader);
  if (reader.left > 0) throw new CodecError("trailing", reader.offset, { read: reader.offset, provided: reader.end });
  return value;
}

export function encodeAll<T>(codec: Codec<T>, value: T): Buffer {
  return write((writer) => codec.encode(writer, value));
}

/**
 * One writer is reused for all encodings, except nested ones: allocating a buffer for each small value would cost more than encoding it.
 */
let idleWriter: Writer | undefined;

function write(encode: (writer: Writer) => void): Buffer {
  const writer = idleWriter ?? new Writer();
  idleWriter = undefined;
  writer.clear();
  encode(writer);
  idleWriter = writer;
  return writer.finish();
}

/** Size limit of P, X and C-atomic blocks and transactions, in bytes (chain-formats 1.3). */
export const MAX_MESSAGE_BYTES = 256 * 1024;

/** Decodes `u16 codec version ++ value`, the form of every independently encoded object (chain-formats 1.2). */
export function decodeVersioned<T>(codec: Codec<T>, input: Uint8Array, { version = 0, limit = Number.POSITIVE_INFINITY } = {}): T {
  if (input.length > limit) throw new CodecError("oversize", 0, { length: input.length, limit });
  if (input.length < 2) throw new CodecError("no-version", 0, { length: input.length });
  const reader = new Reader(input);
  const read = reader.u16();
  if (read !== version) throw new CodecError("version", 0, { read, expected: version });
  const value = codec.decode(reader);
  if (reader.left > 0) throw new CodecError("trailing", reader.offset, { read: reader.offset, provided: reader.end });
  return value;
}

export function encodeVersioned<T>(codec: Codec<T>, value: T, version = 0): Buffer {
  return write((writer) => {
    writer.u16(version);
    codec.encode(writer, value);
  });
}

/** A member that exists only in JSON, such as `fxID`, without bytes or a value. */
interface JsonOnly<S> {
  readonly jsonOnly: (value: S, context: JsonContext) => string;
}

// biome-ignore lint/suspicious/noExplicitAny: a field's own type is recovered by Value<>; `any` is the only bound that admits every codec
type Fields = Record<string, Codec<any> | JsonOnly<any>>;

/** The value type of a struct's fields, without JSON-only members. */
type StructValue<F extends Fields> = { [K in keyof F as F[K] extends { jsonOnly: unknown } ? never : K]: Value<F[K]> };

interface StructOptions {
  /** JSON members in alphabetical order instead of declaration order, for structures that the node renders from a map. */
  jsonSorted?: boolean;
}

/** A struct: fields in the order of their bytes. JSON names follow {@link jsonName}. */
export function struct<F extends Fields>(fields: F, options: StructOptions = {}): Codec<StructValue<F>> {
  return makeStruct(fields, undefined, options) as Codec<StructValue<F>>;
}

/** A struct that is a variant of a {@link union}. Its values have `kind`. */
export function variant<K extends string, F extends Fields>(
  kind: K,
  fields: F,
  options: StructOptions = {},
): Codec<{ kind: K } & StructValue<F>> & { readonly kind: K } {
  return { kind, ...(makeStruct(fields, kind, options) as Codec<{ kind: K } & StructValue<F>>) };
}

/** The node's spelling of JSON names: `validationId` → `validationID`, `fxIds` → `fxIDs`. */
function jsonName(name: string): string {
  return name.replace(/Id(s?)$/, "ID$1");
}

function makeStruct(fields: Fields, kind: string | undefined, { jsonSorted = false }: StructOptions): Codec<Record<string, unknown>> {
  const members = Object.entries(fields);
  const stored = members.filter((member): member is [string, Codec<unknown>] => "decode" in member[1]);
  const names = stored.map(([name]) => name);
  const codecs = stored.map(([, codec]) => codec);
  const printed = members.map(([name, field]) => ({ name, label: `"${jsonName(name)}":`, field }));
  if (jsonSorted) printed.sort((a, b) => (a.label < b.label ? -1 : 1));

  return {
    decode: compileDecode(names, codecs, kind),
    encode: compileEncode(names, codecs),
    json(value, context) {
      const parts = printed.map(({ name, label, field }) =>
        "jsonOnly" in field ? label + field.jsonOnly(value, context) : label + field.json(value[name], context),
      );
      return `{${parts.join(",")}}`;
    },
  };
}

/**
 * Compiles the decoder to straight-line code: values get a fixed shape and each call site sees one codec, so decoding a transaction is
 * several times faster than with a loop over dynamic names. The names come from Firn's own definitions, never from input.
 */
function compileDecode(names: string[], codecs: Codec<unknown>[], kind: string | undefined): Codec<Record<string, unknown>>["decode"] {
  const reads = names.map((_, i) => `at = ${i}; const v${i} = codecs[${i}].decode(reader);`).join("\n");
  const members = [...(kind === undefined ? [] : [`kind: ${JSON.stringify(kind)}`]), ...names.map((name, i) => `${name}: v${i}`)];
  const body = `return (reader) => { let at = 0; try {\n${reads}\nreturn { ${members.join(", ")} }; } catch (error) { throw located(error, names[at]); } };`;
  return new Function("codecs", "names", "located", body)(codecs, names, located);
}

function compileEncode(names: string[], codecs: Codec<unknown>[]): Codec<Record<string, unknown>>["encode"] {
  const writes = names.map((name, i) => `codecs[${i}].encode(writer, value.${name});`).join("\n");
  return new Function("codecs", `return (writer, value) => {\n${writes}\n};`)(codecs);
}

function located(error: unknown, field: string): unknown {
  return error instanceof CodecError ? error.under(field) : error;
}

type Variants = Record<number, Codec<{ kind: string }> & { readonly kind: string }>;

/**
 * u32 type ID, then the variant's body.
 * @param variants the types allowed at this position, by type ID
 * @param registered all type IDs of the chain's codec: if another one of these is found, the error is `wrong-type`, otherwise
 * `unknown-type`
 */
export function union<V extends Record<number, { readonly kind: string }>>(
  variants: V,
  registered: ReadonlySet<number>,
): Codec<Value<V[keyof V]>> {
  const table = variants as unknown as Variants;
  const byKind = new Map(Object.entries(table).map(([typeId, codec]) => [codec.kind, { typeId: Number(typeId), codec }]));
  const entry = (kind: string) => {
    const found = byKind.get(kind);
    if (found === undefined) throw new TypeError(`${kind} is not a variant of this union`);
    return found;
  };
  const codec: Codec<{ kind: string }> = {
    decode(reader) {
      const at = reader.offset;
      const typeId = reader.u32("interface");
      const found = table[typeId];
      if (found === undefined) throw new CodecError(registered.has(typeId) ? "wrong-type" : "unknown-type", at, { typeId });
      return found.decode(reader);
    },
    encode(writer, value) {
      const found = entry(value.kind);
      writer.u32(found.typeId);
      found.codec.encode(writer, value);
    },
    json: (value, context) => entry(value.kind).codec.json(value, context),
  };
  return codec as unknown as Codec<Value<V[keyof V]>>;
}
