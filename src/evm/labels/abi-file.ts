/**
 * Reads the functions of an ABI file from the operator: a list of entries as compilers write it, or an object with such a list as `abi` (an
 * artifact). If it has an `address`, the names apply to that contract only.
 */
import type { JsonInput } from "../../base/json/json-input.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { selectorOf } from "../abi.ts";
import { readAddress } from "./label-file.ts";

export interface AbiFile {
  /** undefined: applies to any contract */
  readonly contract: Address | undefined;
  /** `transfer(address,uint256)` by selector */
  readonly names: ReadonlyMap<string, string>;
}

const NAME = /^[A-Za-z_$][\w$]*$/;
/** elementary types and their arrays; a tuple is written as its components */
const TYPE = /^(?:address|bool|string|function|bytes(?:[12]?\d|3[0-2])?|u?int(?:\d{1,3})?|u?fixed(?:\d+x\d+)?)((?:\[\d*\])*)$/;
const TUPLE = /^tuple((?:\[\d*\])*)$/;

export function readAbiFile(file: JsonInput): AbiFile {
  const isList = Array.isArray(file.value);
  const address = isList ? undefined : file.optionalMember("address");
  const names = new Map<string, string>();
  for (const entry of (isList ? file : file.member("abi")).list()) {
    if (entry.member("type").text() !== "function") continue;
    const signature = signatureOf(entry);
    names.set(selectorOf(signature), signature);
  }
  return { contract: address && readAddress(address), names };
}

function signatureOf(entry: JsonInput): string {
  const name = entry.member("name");
  if (!NAME.test(name.text())) throw name.wrong("the name of a function");
  return `${name.text()}${typesOf(entry.member("inputs"))}`;
}

function typesOf(parameters: JsonInput): string {
  return `(${parameters.list().map(typeOf).join(",")})`;
}

function typeOf(parameter: JsonInput): string {
  const type = parameter.member("type");
  const arrays = TUPLE.exec(type.text())?.[1];
  if (arrays !== undefined) return `${typesOf(parameter.member("components"))}${arrays}`;
  if (!TYPE.test(type.text())) throw type.wrong("a type of the contract ABI such as uint256, address[] or tuple");
  return type.text();
}
