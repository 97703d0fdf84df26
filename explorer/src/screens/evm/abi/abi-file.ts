/**
 * Reads a contract's ABI from a file that a user gave: a list of items, or an artifact of Foundry, Hardhat or another compiler, which has the
 * list as `abi`. The file may come from anybody, so only what the explorer uses is taken over, and only if it is as the ABI's specification
 * has it.
 */
import type { Abi, AbiItem, AbiParameter } from "./abi-item.ts";

/** Artifacts also have bytecode and source maps. */
export const MOST_FILE_BYTES = 8 * 2 ** 20;
const MOST_ITEMS = 4000;
const MOST_PARAMETERS = 20_000;
const MOST_NESTING = 16;
const MOST_DIMENSIONS = 8;
const MOST_ARRAY_LENGTH = 65_536;
const LONGEST_NAME = 256;

/** What is wrong with the file, as a sentence. */
export class AbiFileError extends Error {}

const NAME = /^[A-Za-z_$][\w$]*$/;
const ARRAY = /\[(\d*)\]/g;
const TYPE = /^(address|bool|string|tuple|function|bytes(\d{1,2})?|(?:u?int)(\d{1,3})?)((?:\[\d*\])*)$/;
const KINDS = ["function", "event", "error", "constructor"] as const;
/** kinds that decode nothing */
const IGNORED = new Set(["fallback", "receive"]);
const MUTABILITIES = new Set(["pure", "view", "nonpayable", "payable"]);

type Json = Record<string, unknown>;

/** Throws an `AbiFileError`. */
export function readAbi(text: string): Abi {
  if (text.length > MOST_FILE_BYTES) {
    throw new AbiFileError(`The file is too long: an ABI or an artifact has at most ${MOST_FILE_BYTES / 2 ** 20} MiB.`);
  }
  const items = listOf(parsed(text));
  if (items.length > MOST_ITEMS) throw new AbiFileError(`The ABI has ${items.length} items; at most ${MOST_ITEMS} are read.`);
  const budget = { parameters: MOST_PARAMETERS };
  const abi = items.flatMap((item, i) => readItem(item, `item ${i + 1}`, budget) ?? []);
  if (abi.length === 0) throw new AbiFileError("The ABI has no function, event or error.");
  return abi;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AbiFileError("The file is not JSON. Give the ABI as a JSON file, or an artifact of Foundry or Hardhat.");
  }
}

function listOf(json: unknown): readonly unknown[] {
  const list = Array.isArray(json) ? json : (json as { abi?: unknown } | null)?.abi;
  if (Array.isArray(list)) return list;
  throw new AbiFileError('The file has no ABI: it should be a list of items, or an object with such a list as "abi".');
}

function readItem(json: unknown, where: string, budget: { parameters: number }): AbiItem | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new AbiFileError(`In the ABI, ${where} is not an object.`);
  const { type = "function", name = "", inputs = [], outputs, stateMutability, constant, anonymous } = json as Json;
  if (IGNORED.has(type as string)) return undefined;
  const kind = KINDS.find((known) => known === type);
  if (kind === undefined) throw new AbiFileError(`In the ABI, ${where} has the type ${shown(type)}; known are ${KINDS.join(", ")}.`);
  if (kind !== "constructor" && (typeof name !== "string" || !isName(name))) {
    throw new AbiFileError(`In the ABI, ${where} (${kind}) has the name ${shown(name)}; a name has letters, digits, _ and $.`);
  }
  const place = kind === "constructor" ? "the constructor" : `${kind} ${name}`;
  return {
    type: kind,
    name: kind === "constructor" ? "" : (name as string),
    inputs: readParameters(inputs, place, budget, 0),
    ...(kind === "function" && {
      outputs: readParameters(outputs ?? [], place, budget, 0),
      // before Solidity 0.6 there was `constant` instead
      stateMutability: MUTABILITIES.has(stateMutability as string)
        ? (stateMutability as string)
        : constant === true
          ? "view"
          : "nonpayable",
    }),
    ...(kind === "event" && anonymous === true && { anonymous }),
  };
}

function readParameters(json: unknown, place: string, budget: { parameters: number }, nesting: number): AbiParameter[] {
  if (!Array.isArray(json)) throw new AbiFileError(`In the ABI, ${place} has parameters that are not a list.`);
  budget.parameters -= json.length;
  if (budget.parameters < 0) throw new AbiFileError(`The ABI has more than ${MOST_PARAMETERS} parameters.`);
  if (nesting > MOST_NESTING) throw new AbiFileError(`In the ABI, ${place} has tuples that are nested more than ${MOST_NESTING} deep.`);
  return json.map((parameter) => {
    const { name = "", type, components, indexed } = (parameter ?? {}) as Json;
    if (typeof name !== "string" || (name !== "" && !isName(name))) {
      throw new AbiFileError(`In the ABI, ${place} has a parameter with the name ${shown(name)}; a name has letters, digits, _ and $.`);
    }
    const canonical = typeof type === "string" ? canonicalType(type) : undefined;
    if (canonical === undefined) {
      throw new AbiFileError(`In the ABI, ${place} has a parameter of type ${shown(type)}, which is not a type of the ABI.`);
    }
    if (!canonical.startsWith("tuple")) return { name, type: canonical, ...(indexed === true && { indexed }) };
    const parts = readParameters(components ?? [], place, budget, nesting + 1);
    if (parts.length === 0) throw new AbiFileError(`In the ABI, ${place} has a tuple without components.`);
    return { name, type: canonical, components: parts, ...(indexed === true && { indexed }) };
  });
}

function isName(text: string): boolean {
  return text.length <= LONGEST_NAME && NAME.test(text);
}

/** `uint` is short for `uint256`. Returns undefined if it is no type, or one with arrays that nobody could fill. */
function canonicalType(type: string): string | undefined {
  const [, base, bytes, bits, arrays = ""] = TYPE.exec(type) ?? [];
  if (base === undefined || type.length > LONGEST_NAME) return undefined;
  if (bytes !== undefined && !(Number(bytes) >= 1 && Number(bytes) <= 32 && !bytes.startsWith("0"))) return undefined;
  if (bits !== undefined && !(Number(bits) >= 8 && Number(bits) <= 256 && Number(bits) % 8 === 0 && !bits.startsWith("0")))
    return undefined;
  const lengths = [...arrays.matchAll(ARRAY)].map(([, length]) => length!);
  const isPossible = (length: string) => length === "" || (/^[1-9]/.test(length) && Number(length) <= MOST_ARRAY_LENGTH);
  if (lengths.length > MOST_DIMENSIONS || !lengths.every(isPossible)) return undefined;
  return `${base === "uint" || base === "int" ? `${base}256` : base}${arrays}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "none";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
