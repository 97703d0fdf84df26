/**
 * Kinds of parameter fields. Each decodes as Go's encoding/json decodes the node's argument structures: no field is required, a missing one
 * or `null` has its zero value, and a mismatch fails the whole request (rpc-avm-info-health 1.10, rpc-platform 2.1–2.6).
 */

import { createHash } from "node:crypto";
import { parseId, parseNodeId } from "../../base/bytes/cb58.ts";
import { decodeHex, encodeHexChecksummed, encodeHexPlain } from "../../base/bytes/hex.ts";
import { EMPTY_ID, EMPTY_SHORT_ID, type Id, type NodeId } from "../../base/bytes/id.ts";
import { TextError } from "../../base/errors/text-error.ts";
import { completed, foldName, type JsonToken } from "../../base/json/go-decode.ts";
import { RawJson } from "../../base/json/go-encode.ts";
import { eachInTurns, type Work } from "../../base/work/work.ts";
import { InvalidArgumentError } from "./errors.ts";

/** Encodes blocks, transactions and UTXOs as text, in the encoding that the request names (rpc-platform 2.6). */
const UNSUPPORTED = "unsupported encoding in method";

/** Throws TextError for `json`, which does not encode bytes; the caller adds what could not be encoded. */
export function encodeBytes(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === "json") throw new TextError("encoding", UNSUPPORTED);
  return encoding === "hexnc" ? encodeHexPlain(bytes) : encodeHexChecksummed(bytes);
}

/** Returns the same as a JSON string without escaping it: hex needs no escapes, and blocks are long. */
export function encodeBytesJson(bytes: Uint8Array, encoding: Encoding): RawJson {
  return new RawJson(`"${encodeBytes(bytes, encoding)}"`);
}

/** Throws TextError with the node's fragment. Empty text is no bytes in every encoding. */
export function decodeBytes(text: string, encoding: Encoding): Buffer {
  if (encoding === "json" && text !== "") throw new TextError("encoding", UNSUPPORTED);
  return decodeHex(text, { checksum: encoding !== "hexnc" });
}

// Names lists that clients send in the keys of kept answers.

/** Shorter lists are their own names. */
const LONG = 64;

/** @param items texts, none of which could be two that a comma joins. The name of a long list is its hash, so that a key does not take more memory than its answer. */
export async function listName(work: Work, items: readonly string[]): Promise<string> {
  if (items.length < LONG) return items.join();
  const hash = createHash("sha256");
  await eachInTurns(work, items, (item) => hash.update(item).update(","));
  return `${items.length} of ${hash.digest("hex")}`;
}

export interface ParamKind<T> {
  /** value of a field that was not sent */
  readonly zero: T;
  /** `current` is the field's value so far, since a later duplicate decodes into it. Throws InvalidArgumentError. */
  decode(token: JsonToken, current: T): T;
  /** Decodes in pieces, for kinds whose values are made of others. */
  decodeSteps?(token: JsonToken, current: T): Generator<void, T>;
}

// biome-ignore lint/suspicious/noExplicitAny: a field's own type is recovered by Params<>
export type ParamFields = { readonly [name: string]: ParamKind<any> };
export type Params<F extends ParamFields> = { -readonly [N in keyof F]: F[N] extends ParamKind<infer T> ? T : never };

/** Names of byte encodings. The reply echoes the requested one. */
export type Encoding = "hex" | "hexc" | "hexnc" | "json";

function mismatch(token: JsonToken, wanted: string): never {
  throw new InvalidArgumentError(`${token.kind} where ${wanted} is expected`);
}

export const string: ParamKind<string> = {
  zero: "",
  decode(token, current) {
    const { kind } = token;
    if (kind === "string") return token.text;
    return kind === "null" ? current : mismatch(token, "a string");
  },
};

export const bool: ParamKind<boolean> = {
  zero: false,
  decode(token, current) {
    const { kind } = token;
    if (kind === "bool") return token.raw === "true";
    return kind === "null" ? current : mismatch(token, "true or false");
  },
};

/**
 * A kind that reads the raw JSON token, including quotes and escapes, as the node's own unmarshalers do. `null` keeps the zero value.
 * `read` may throw anything to refuse the value.
 */
function rawKind<T>(zero: T, read: (raw: string) => T): ParamKind<T> {
  return {
    zero,
    decode(token, current) {
      const { raw } = token;
      if (raw === "null") return current;
      try {
        return read(raw);
      } catch (error) {
        throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

function unquoted(raw: string): string {
  if (raw.length < 2 || !raw.startsWith('"') || !raw.endsWith('"')) throw new InvalidArgumentError(`${raw} is not quoted`);
  return raw.slice(1, -1);
}

export const id: ParamKind<Id> = rawKind(EMPTY_ID, (raw) => parseId(unquoted(raw)));

export const nodeId: ParamKind<NodeId> = rawKind(EMPTY_SHORT_ID, (raw) => parseNodeId(unquoted(raw)));

/** Digits, quoted or not, without sign, fraction or exponent. Up to 32 bits give a number, 64 bits a bigint. */
export function integer(bits: 64): ParamKind<bigint>;
export function integer(bits: 16 | 32): ParamKind<number>;
export function integer(bits: 16 | 32 | 64): ParamKind<bigint> | ParamKind<number> {
  const bound = 1n << BigInt(bits);
  return bits === 64 ? rawKind(0n, (raw) => readInteger(raw, bound)) : rawKind(0, (raw) => Number(readInteger(raw, bound)));
}

function readInteger(raw: string, bound: bigint): bigint {
  const digits = raw.startsWith('"') ? unquoted(raw) : raw;
  if (!/^[0-9]+$/.test(digits)) throw new InvalidArgumentError(`${raw} is not a sequence of digits`);
  // Any number of leading zeros is allowed; 20 digits fit every u64.
  const significant = digits.replace(/^0+/, "");
  const value = significant.length <= 20 ? BigInt(significant) : bound;
  if (value >= bound) throw new InvalidArgumentError(`${raw} does not fit`);
  return value;
}

const encodings: ReadonlyMap<string, Encoding> = new Map([
  ['"hex"', "hex"],
  ['"hexc"', "hexc"],
  ['"hexnc"', "hexnc"],
  ['"json"', "json"],
]);

export const encoding: ParamKind<Encoding> = rawKind<Encoding>("hex", (raw) => {
  const name = encodings.get(raw.toLowerCase());
  if (name === undefined) throw new InvalidArgumentError(`${raw} is not an encoding`);
  return name;
});

/** A list. Go decodes a repeated list into the elements that it already has. */
export function listOf<T>(element: ParamKind<T>): ParamKind<readonly T[]> {
  function* decodeSteps(token: JsonToken, current: readonly T[]): Generator<void, readonly T[]> {
    const { kind } = token;
    if (kind === "null") return [];
    if (kind !== "array") mismatch(token, "a list");
    const values: T[] = [];
    for (let item = token.firstElement(); item !== undefined; item = token.elementAfter(item)) {
      const index = values.length;
      values.push(element.decode(item, index < current.length ? current[index]! : element.zero));
      yield;
    }
    return values;
  }
  return { zero: [], decodeSteps, decode: (token, current) => completed(decodeSteps(token, current)) };
}

/** An object with the given members. It also decodes `params` itself. */
export function object<const F extends ParamFields>(fields: F): ParamKind<Params<F>> {
  const names = Object.keys(fields);
  const exact = new Set(names);
  const folded = new Map(names.map((name) => [foldName(name), name]));
  const zero = Object.fromEntries(names.map((name) => [name, fields[name]!.zero])) as Params<F>;
  function* decodeSteps(token: JsonToken, current: Params<F>): Generator<void, Params<F>> {
    const { kind } = token;
    if (kind === "null") return current;
    if (kind !== "object") mismatch(token, "an object");
    const values = { ...current } as Record<string, unknown>;
    for (let member = token.firstMember(); member !== undefined; member = token.memberAfter(member)) {
      const name = exact.has(member.name) ? member.name : folded.get(foldName(member.name));
      if (name !== undefined) {
        const field = fields[name]!;
        values[name] = field.decodeSteps ? yield* field.decodeSteps(member.value, values[name]) : field.decode(member.value, values[name]);
      }
      yield;
    }
    return values as Params<F>;
  }
  return { zero, decodeSteps, decode: (token, current) => completed(decodeSteps(token, current)) };
}
