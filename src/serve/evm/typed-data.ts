/** What is signed of typed data (EIP-712). Everything in it comes from a client: a defect is refused with a sentence. */
import { keccak256 } from "../../base/bytes/hash.ts";
import { addressOf, bytesOf, flagOf, invalid } from "./cheats/cheat-params.ts";

type Json = Readonly<Record<string, unknown>>;

interface Member {
  readonly name: string;
  readonly type: string;
}

type Types = ReadonlyMap<string, readonly Member[]>;

/** What is known while one message is read. */
interface Reading {
  readonly types: Types;
  /** hashes of definitions, by type */
  readonly definitions: Map<string, Buffer>;
  values: number;
}

const DOMAIN = "EIP712Domain";
const DEEPEST = 64;
/** Each is hashed. */
const MOST_VALUES = 10_000;
const MOST_TYPES = 256;
const LONGEST = 1 << 22;
const ARRAY = /^(.+)\[(\d{0,9})\]$/;
const INTEGER = /^(u?)int(\d{1,3})?$/;
const FIXED_BYTES = /^bytes([1-9]|[12]\d|3[0-2])$/;
const NUMBER = /^(?:0x[0-9a-f]{1,64}|-?\d{1,78})$/i;
const WORD = 32;

export function typedDataDigest(data: unknown): Buffer {
  const { types, primaryType, domain, message } = objectOf(data, "the typed data");
  const known = typesOf(types);
  if (typeof primaryType !== "string" || !known.has(primaryType)) throw invalid("primaryType must be the name of one of the types");
  const reading: Reading = { types: known, definitions: new Map(), values: 0 };
  const hashes = [hashStruct(DOMAIN, objectOf(domain, "domain"), reading, 0)];
  if (primaryType !== DOMAIN) hashes.push(hashStruct(primaryType, objectOf(message, "message"), reading, 0));
  return keccak256(Buffer.concat([Buffer.of(0x19, 0x01), ...hashes]));
}

function typesOf(given: unknown): Types {
  const entries = Object.entries(objectOf(given, "types"));
  if (entries.length > MOST_TYPES) throw invalid(`types may have at most ${MOST_TYPES} members`);
  const types = new Map(entries.map(([name, members]) => [name, membersOf(name, members)]));
  if (!types.has(DOMAIN)) throw invalid(`types must have ${DOMAIN}`);
  return types;
}

function membersOf(type: string, given: unknown): readonly Member[] {
  if (!Array.isArray(given)) throw invalid(`types.${type} must be a list`);
  return given.map((member: unknown) => {
    const { name, type: of } = objectOf(member, `each of types.${type}`);
    if (typeof name !== "string" || typeof of !== "string") throw invalid(`each of types.${type} must have a name and a type`);
    return { name, type: of };
  });
}

function hashStruct(type: string, value: Json, reading: Reading, depth: number): Buffer {
  if (depth > DEEPEST) throw invalid(`the message is deeper than ${DEEPEST} structures`);
  const { types, definitions } = reading;
  const definition = definitions.get(type) ?? keccak256(Buffer.from(definitionOf(type, types)));
  definitions.set(type, definition);
  const words = types.get(type)!.map((member) => encoded(member.type, value[member.name], { reading, depth, where: member.name }));
  return keccak256(Buffer.concat([definition, ...words]));
}

/** The type and those that it is made of, these in the order of their names. */
function definitionOf(type: string, types: Types): string {
  const found = new Set([type]);
  for (const name of found) for (const member of types.get(name)!) if (types.has(elementOf(member.type))) found.add(elementOf(member.type));
  const [first, ...others] = found;
  return [first!, ...others.sort()]
    .map(
      (name) =>
        `${name}(${types
          .get(name)!
          .map((member) => `${member.type} ${member.name}`)
          .join(",")})`,
    )
    .join("");
}

function elementOf(type: string): string {
  return type.replace(/(?:\[\d*\])+$/, "");
}

interface Place {
  readonly reading: Reading;
  readonly depth: number;
  readonly where: string;
}

function encoded(type: string, value: unknown, place: Place): Buffer {
  const { reading, depth, where } = place;
  const { types } = reading;
  if (++reading.values > MOST_VALUES) throw invalid(`the message has more than ${MOST_VALUES} values`);
  const [, element, length] = ARRAY.exec(type) ?? [];
  if (element !== undefined) {
    if (depth > DEEPEST) throw invalid(`the message is deeper than ${DEEPEST} structures`);
    if (!Array.isArray(value) || (length !== "" && value.length !== Number(length))) throw invalid(`${where} must be a list as of ${type}`);
    return keccak256(Buffer.concat(value.map((one: unknown) => encoded(element, one, { ...place, depth: depth + 1 }))));
  }
  if (types.has(type)) {
    // as wallets have it: a structure that is left out has no hash
    return value === undefined || value === null ? Buffer.alloc(WORD) : hashStruct(type, objectOf(value, where), reading, depth + 1);
  }
  if (type === "string") {
    if (typeof value !== "string") throw invalid(`${where} must be a text`);
    return keccak256(Buffer.from(value));
  }
  if (type === "bytes") return keccak256(bytesOf(value, where, LONGEST));
  if (type === "bool") return word(flagOf(value, where) ? 1n : 0n);
  if (type === "address") return word(BigInt(`0x${addressOf(value, where)}`));
  const [, unsigned, bits = "256"] = INTEGER.exec(type) ?? [];
  if (unsigned !== undefined) return word(integerOf(value, { isSigned: unsigned === "", bits: Number(bits), where }));
  const [, size] = FIXED_BYTES.exec(type) ?? [];
  if (size === undefined) throw invalid(`${where} has the type ${type.slice(0, 100)}, which does not exist`);
  const bytes = bytesOf(value, where, Number(size));
  return Buffer.concat([bytes, Buffer.alloc(WORD - bytes.length)]);
}

function integerOf(value: unknown, { isSigned, bits, where }: { isSigned: boolean; bits: number; where: string }): bigint {
  const isNumber = typeof value === "number" && Number.isSafeInteger(value);
  const number = isNumber || (typeof value === "string" && NUMBER.test(value)) ? BigInt(value) : undefined;
  const fits = number !== undefined && (isSigned ? BigInt.asIntN(bits, number) === number : BigInt.asUintN(bits, number) === number);
  if (!fits || bits > 256 || bits === 0 || bits % 8 > 0)
    throw invalid(`${where} must be a whole number of ${bits} bits, ${isSigned ? "signed" : "from 0 on"}`);
  return number;
}

/** A negative number in two's complement. */
function word(value: bigint): Buffer {
  return Buffer.from(
    BigInt.asUintN(256, value)
      .toString(16)
      .padStart(2 * WORD, "0"),
    "hex",
  );
}

function objectOf(value: unknown, where: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(`${where} must be an object`);
  return value as Json;
}
