/**
 * Decodes values as the ABI's specification encodes them. The bytes may be anybody's: every offset and length is checked, padding
 * must be as compilers write it, and the work is bounded, also where many offsets lead to the same bytes. Whatever does not fit throws, so
 * that bytes are not taken for something that they are not.
 */
import type { AbiParameter } from "./abi-item.ts";

export type Value =
  | { readonly kind: "number"; readonly number: bigint }
  | { readonly kind: "bool"; readonly isTrue: boolean }
  | { readonly kind: "address"; readonly address: string }
  /** `hex` is cut if the bytes are many */
  | { readonly kind: "bytes"; readonly hex: string; readonly length: number }
  | { readonly kind: "text"; readonly text: string; readonly length: number }
  /** `items` are the first ones */
  | { readonly kind: "list"; readonly items: readonly Value[]; readonly length: number }
  | { readonly kind: "tuple"; readonly fields: readonly Field[] }
  /** An event has only the hash of an indexed value that is longer than a word. */
  | { readonly kind: "hash"; readonly hash: string };

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly value: Value;
}

export class DecodingError extends Error {}

const WORD = 32;
/** Bytes of one value that are shown. */
export const MOST_BYTES_SHOWN = 4096;
/** Items of one list that are decoded. */
export const MOST_ITEMS_SHOWN = 200;
/** Values of one input, log or result that are decoded. */
export const MOST_VALUES = 5000;

/** Data of known length; `hex` without 0x. */
interface Data {
  readonly hex: string;
  /** values that may still be decoded */
  left: number;
}

const ARRAY = /^(.*)\[(\d*)\]$/;

/** @param hex the encoded values, without 0x and without selector */
export function decodeValues(parameters: readonly AbiParameter[], hex: string): readonly Field[] {
  if (hex.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(hex)) throw new DecodingError("these are not bytes in hex");
  return decodeFields(parameters, { hex, left: MOST_VALUES }, 0);
}

/** @param start in bytes: what the offsets of this tuple are relative to */
function decodeFields(parameters: readonly AbiParameter[], data: Data, start: number): Field[] {
  let at = start;
  return parameters.map((parameter) => {
    const value = decodeAt(parameter, data, start, at);
    at += headLength(parameter);
    return { name: parameter.name, type: parameter.type, value };
  });
}

/** Decodes the value whose head, the value itself or an offset to it, is at a place. */
function decodeAt(parameter: AbiParameter, data: Data, start: number, at: number): Value {
  return decodeBody(parameter, data, isDynamic(parameter) ? start + smallNumber(data, at) : at);
}

function decodeBody(parameter: AbiParameter, data: Data, at: number): Value {
  data.left--;
  if (data.left < 0) throw new DecodingError(`there are more than ${MOST_VALUES} values`);
  const array = itemOf(parameter);
  if (array !== undefined) {
    const begin = array.length === undefined ? at + WORD : at;
    const length = array.length ?? smallNumber(data, at);
    const size = headLength(array.item);
    if (begin + length * size > data.hex.length / 2) throw new DecodingError("a list is longer than the data");
    const shown = Math.min(length, MOST_ITEMS_SHOWN);
    return { kind: "list", length, items: Array.from({ length: shown }, (_, i) => decodeAt(array.item, data, begin, begin + i * size)) };
  }
  if (parameter.type === "tuple") return { kind: "tuple", fields: decodeFields(parameter.components!, data, at) };
  if (parameter.type === "bytes" || parameter.type === "string") return decodeBytes(parameter.type, data, at);
  return decodeWord(parameter.type, bytesAt(data, at, WORD));
}

function decodeBytes(type: "bytes" | "string", data: Data, at: number): Value {
  const length = smallNumber(data, at);
  if (at + WORD + length > data.hex.length / 2) throw new DecodingError("a text is longer than the data");
  const hex = bytesAt(data, at + WORD, Math.min(length, MOST_BYTES_SHOWN));
  return type === "bytes" ? { kind: "bytes", hex: `0x${hex}`, length } : { kind: "text", text: utf8(hex), length };
}

/** @param word 64 hex digits */
export function decodeWord(type: string, word: string): Value {
  const number = BigInt(`0x${word}`);
  if (type === "address") {
    if (number >> 160n !== 0n) throw new DecodingError("an address is longer than 20 bytes");
    return { kind: "address", address: `0x${word.slice(24)}` };
  }
  if (type === "bool") {
    if (number > 1n) throw new DecodingError("a bool is neither 0 nor 1");
    return { kind: "bool", isTrue: number === 1n };
  }
  const [, name, size] = /^(uint|int|bytes)(\d+)$/.exec(type === "function" ? "bytes24" : type) ?? [];
  if (name === "uint") {
    if (number >> BigInt(size!) !== 0n) throw new DecodingError(`a number is longer than ${size} bits`);
    return { kind: "number", number };
  }
  if (name === "int") {
    const signed = BigInt.asIntN(256, number);
    if (BigInt.asIntN(Number(size), signed) !== signed) throw new DecodingError(`a number is longer than ${size} bits`);
    return { kind: "number", number: signed };
  }
  const digits = 2 * Number(size);
  if (/[^0]/.test(word.slice(digits))) throw new DecodingError(`there are more than ${size} bytes`);
  return { kind: "bytes", hex: `0x${word.slice(0, digits)}`, length: Number(size) };
}

/** Whether the value stands behind an offset. */
export function isDynamic(parameter: AbiParameter): boolean {
  const array = itemOf(parameter);
  if (array !== undefined) return array.length === undefined || isDynamic(array.item);
  if (parameter.type === "tuple") return parameter.components!.some(isDynamic);
  return parameter.type === "bytes" || parameter.type === "string";
}

/** Bytes that the value takes among its siblings. */
function headLength(parameter: AbiParameter): number {
  if (isDynamic(parameter)) return WORD;
  const array = itemOf(parameter);
  if (array !== undefined) return array.length! * headLength(array.item);
  if (parameter.type === "tuple") return parameter.components!.reduce((sum, part) => sum + headLength(part), 0);
  return WORD;
}

/** An array's items, and how many; undefined: as many as the data say. */
function itemOf(parameter: AbiParameter): { readonly item: AbiParameter; readonly length: number | undefined } | undefined {
  const [, type, length] = ARRAY.exec(parameter.type) ?? [];
  if (type === undefined) return undefined;
  return { item: { ...parameter, type }, length: length === "" ? undefined : Number(length) };
}

/** An offset or a length. No data are longer than 2^48 bytes. */
function smallNumber(data: Data, at: number): number {
  const number = BigInt(`0x${bytesAt(data, at, WORD)}`);
  if (number >> 48n !== 0n) throw new DecodingError("an offset leads out of the data");
  return Number(number);
}

function bytesAt({ hex }: Data, at: number, length: number): string {
  if ((at + length) * 2 > hex.length) throw new DecodingError("the data end too early");
  return hex.slice(at * 2, (at + length) * 2);
}

/** Text as UTF-8; bytes that are none are shown as U+FFFD. */
export function utf8(hex: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
}
