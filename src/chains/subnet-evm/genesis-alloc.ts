/** `alloc` of an EVM chain's genesis, and its quantities (libevm: core/types/account.go, common/math/big.go). */
import type { JsonInput } from "../../base/json/json-input.ts";
import { goStruct } from "./go-struct.ts";

export interface GenesisAccount {
  readonly balance: bigint;
  readonly nonce: bigint;
  /** `0x…` */
  readonly code: string;
  /** slots and values, `0x` and 64 digits */
  readonly storage: Readonly<Record<string, string>>;
}

const U64 = 2n ** 64n - 1n;
const U256 = 2n ** 256n - 1n;
const ADDRESS = /^(?:0x)?([0-9a-f]{40})$/i;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;
const WORD = /^(?:0x)?((?:[0-9a-f]{2}){0,32})$/i;
const WORD_DIGITS = 64;

/** A JSON integer, or a text in hex or decimal; an empty text is 0. */
export function quantity(value: JsonInput, most = U256): bigint {
  if (typeof value.value !== "string") return value.integer(most);
  const text = value.value;
  const isQuantity = text === "" || /^0x[0-9a-f]{1,64}$/i.test(text) || /^[0-9]{1,78}$/.test(text);
  const read = isQuantity ? BigInt(text) : undefined;
  if (read === undefined || read > most) throw value.wrong(`an integer from 0 to ${most}, as a number or a text in decimal or hex`);
  return read;
}

export function readAlloc(alloc: JsonInput): ReadonlyMap<string, GenesisAccount> {
  if (typeof alloc.value !== "object" || Array.isArray(alloc.value)) throw alloc.wrong("an object of accounts by address");
  const accounts = Object.keys(alloc.value as object).map((name): [string, GenesisAccount] => {
    const account = alloc.member(name);
    const address = ADDRESS.exec(name)?.[1];
    if (address === undefined) throw account.wrong("an address of 40 hex digits as its name");
    return [address.toLowerCase(), readAccount(account)];
  });
  return new Map(accounts);
}

const ACCOUNT = ["balance", "nonce", "code", "storage", "secretKey"];

function readAccount(given: JsonInput): GenesisAccount {
  const account = goStruct(given, ACCOUNT, { isClosed: true });
  const nonce = account.optionalMember("nonce");
  const code = account.optionalMember("code");
  const storage = account.optionalMember("storage");
  return {
    balance: quantity(account.member("balance")),
    nonce: nonce === undefined ? 0n : quantity(nonce, U64),
    code: code === undefined ? "0x" : matching(code, BYTES, "bytes as 0x… in hex"),
    storage: storage === undefined ? {} : readStorage(storage),
  };
}

function readStorage(storage: JsonInput): Record<string, string> {
  if (typeof storage.value !== "object" || Array.isArray(storage.value)) throw storage.wrong("an object of values by slot");
  const slots = Object.keys(storage.value as object).map((name): [string, string] => {
    const value = storage.member(name);
    const slot = WORD.exec(name)?.[1];
    if (slot === undefined) throw value.wrong("a slot of up to 32 bytes in hex as its name");
    return [word(slot), word(WORD.exec(matching(value, WORD, "up to 32 bytes in hex"))![1]!)];
  });
  return Object.fromEntries(slots);
}

function matching(value: JsonInput, pattern: RegExp, wanted: string): string {
  const text = value.text();
  if (!pattern.test(text)) throw value.wrong(wanted);
  return text;
}

function word(digits: string): string {
  return `0x${digits.padStart(WORD_DIGITS, "0")}`;
}
