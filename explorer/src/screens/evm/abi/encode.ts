/** Encodes a call from what the user typed. */
import { encodeAbiParameters } from "viem/utils";
import { type AbiItem, type AbiParameter, selectorOf } from "./abi-item.ts";

/** The typed text is not of the parameter's type. */
export class WrongArgument extends Error {}

/** @param texts one for each parameter: lists and tuples as JSON, everything else as it is */
export function encodeCall(item: AbiItem, texts: readonly string[]): string {
  const values = item.inputs.map((parameter, i) => typedValue(parameter, texts[i]!));
  return `${selectorOf(item)}${encodeAbiParameters(item.inputs, values).slice(2)}`;
}

type Value = bigint | boolean | string | readonly Value[];

function typedValue(parameter: AbiParameter, text: string): Value {
  if (!/\]$|^tuple/.test(parameter.type)) return scalarOf(parameter, text);
  return partsOf(parameter, parsed(parameter, text));
}

/** Numbers longer than 2^53 stay exact: they are read as texts. */
function parsed(parameter: AbiParameter, text: string): unknown {
  try {
    return JSON.parse(
      text.replace(/("(?:[^"\\]|\\.)*")|(-?\d+)(?![\d.eE])/g, (all, quoted, number) =>
        number === undefined ? (quoted ?? all) : `"${number}"`,
      ),
    );
  } catch {
    throw wrong(parameter, 'a list as JSON, such as ["0x…", 5]', text);
  }
}

function partsOf(parameter: AbiParameter, json: unknown): Value {
  const { type, components = [] } = parameter;
  const [, itemType, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
  if (itemType !== undefined) {
    if (!Array.isArray(json)) throw wrong(parameter, "a list as JSON", JSON.stringify(json));
    if (length !== "" && json.length !== Number(length)) throw wrong(parameter, `a list of ${length}`, `${json.length} items`);
    return json.map((item) => partsOf({ ...parameter, type: itemType }, item));
  }
  if (type !== "tuple") return scalarOf(parameter, typeof json === "object" ? JSON.stringify(json) : `${json}`);
  const parts = Array.isArray(json) ? json : components.map(({ name }) => (json as Record<string, unknown> | null)?.[name]);
  if (parts.length !== components.length) throw wrong(parameter, `a list of ${components.length}`, `${parts.length} items`);
  // viem reads the parts of a tuple by their places where it is given a list
  return components.map((part, i) => partsOf(part, parts[i]));
}

function scalarOf(parameter: AbiParameter, typed: string): Value {
  const { type } = parameter;
  if (type === "string") return typed;
  const text = typed.trim();
  if (type === "bool") {
    if (text === "true" || text === "false") return text === "true";
    throw wrong(parameter, "true or false", text);
  }
  if (type === "address") {
    if (/^0x[0-9a-f]{40}$/i.test(text)) return text.toLowerCase();
    throw wrong(parameter, "0x and 40 hex digits", text);
  }
  const [, kind, size] = /^(u?int|bytes)(\d*)$/.exec(type) ?? [];
  if (kind === "bytes") return bytesOf(parameter, text, size === "" ? undefined : Number(size));
  if (kind === undefined) throw new WrongArgument(`Parameters of type ${type} cannot be typed here.`);
  return numberOf(parameter, text, kind === "int", Number(size));
}

function bytesOf(parameter: AbiParameter, text: string, length: number | undefined): string {
  const isRight = /^0x([0-9a-f]{2})*$/i.test(text) && (length === undefined || text.length === 2 + 2 * length);
  if (isRight) return text;
  throw wrong(parameter, length === undefined ? "0x and pairs of hex digits" : `0x and ${2 * length} hex digits`, text);
}

function numberOf(parameter: AbiParameter, text: string, isSigned: boolean, bits: number): bigint {
  if (!/^(-?\d{1,80}|0x[0-9a-f]{1,64})$/i.test(text)) throw wrong(parameter, "a whole number", text);
  const number = BigInt(text);
  const fits = isSigned ? BigInt.asIntN(bits, number) === number : number >= 0n && BigInt.asUintN(bits, number) === number;
  if (fits) return number;
  throw wrong(parameter, `a number of ${bits} bits${isSigned ? "" : ", not below 0"}`, text);
}

function wrong({ name, type }: AbiParameter, expected: string, got: string): WrongArgument {
  return new WrongArgument(`${name || type} must be ${expected}, got ${got === "" ? "nothing" : got.slice(0, 80)}.`);
}
