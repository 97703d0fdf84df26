import type { Codec, JsonContext, Value } from "./codec.ts";
import { CodecError } from "./error.ts";

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
