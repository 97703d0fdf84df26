/** Which address a text is: bech32 with or without a chain's letter (BIP-173), or 0x with or without a checksum (EIP-55). */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

export interface Bech32Address {
  readonly kind: "bech32";
  /** without a chain's letter, in lower case */
  readonly address: string;
  /** the chain's letter in the text */
  readonly chain: "P" | "X" | "C" | undefined;
}

export interface EvmAddress {
  readonly kind: "evm";
  /** with EIP-55's checksum */
  readonly address: string;
  /** the text has a checksum, and it is wrong: a letter or digit may be mistyped */
  readonly isChecksumWrong: boolean;
}

export interface NoAddress {
  readonly kind: "none";
  /** what is wrong, and what would be right */
  readonly problem: string;
}

export type AddressForm = Bech32Address | EvmAddress | NoAddress;

const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
/** The node accepts bech32m's checksum too. */
const CHECKSUMS = [1, 0x2bc830a3];
const CHECKSUM_LENGTH = 6;
const [SHORTEST, LONGEST] = [8, 90];
const ADDRESS_BYTES = 20;
const EVM_DIGITS = 40;

/** @param hrp what addresses of this network begin with; undefined: any */
export function readAddress(text: string, hrp: string | undefined): AddressForm {
  if (/^0x/i.test(text)) return readEvm(text.slice(2));
  if (/^[0-9a-f]{40}$/i.test(text)) return readEvm(text);
  const [, letter, rest] = /^([^-]*)-(.*)$/s.exec(text) ?? [undefined, undefined, text];
  const forms = `An address is ${hrp ?? "avax"}1… with or without P-, X- or C-, or 0x and ${EVM_DIGITS} hex digits`;
  if (letter !== undefined && !/^[PXC]$/i.test(letter)) return none(`${forms}; this begins with ${letter.slice(0, 40)}-.`);
  const problem = bech32Problem(rest!, hrp);
  if (problem !== undefined) return none(`${forms}; ${problem}.`);
  return { kind: "bech32", address: rest!.toLowerCase(), chain: letter?.toUpperCase() as Bech32Address["chain"] };
}

function none(problem: string): NoAddress {
  return { kind: "none", problem };
}

function readEvm(digits: string): EvmAddress | NoAddress {
  if (!/^[0-9a-f]*$/i.test(digits)) return none(`An EVM address is 0x and ${EVM_DIGITS} hex digits; this has other characters after 0x.`);
  if (digits.length !== EVM_DIGITS) {
    const what = digits.length === 64 ? ", as many as the hash of a block or transaction: search for it instead" : "";
    return none(`An EVM address is 0x and ${EVM_DIGITS} hex digits; this has ${digits.length}${what}.`);
  }
  const address = checksummed(digits);
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  return { kind: "evm", address, isChecksumWrong: hasChecksum && address !== `0x${digits}` };
}

/** A letter is upper case where the hash of the text has a digit of 8 or more. */
export function checksummed(digits: string): string {
  const text = digits.toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(text)));
  return `0x${[...text].map((digit, i) => (hash[i]! >= "8" ? digit.toUpperCase() : digit)).join("")}`;
}

/** What is wrong with a text that should be the bech32 of an address; undefined: nothing. */
function bech32Problem(text: string, hrp: string | undefined): string | undefined {
  if (text.length < SHORTEST || text.length > LONGEST) return `this has ${text.length} characters`;
  if (!/^[\x21-\x7e]*$/.test(text)) return "this has characters that bech32 does not have";
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return "this has both small and capital letters";
  const lower = text.toLowerCase();
  const separator = lower.lastIndexOf("1");
  if (separator < 1 || separator + 1 + CHECKSUM_LENGTH > lower.length)
    return "this has no 1 with a prefix before it and an address after it";
  const groups = Array.from(lower.slice(separator + 1), (character) => CHARSET.indexOf(character));
  const foreign = groups.indexOf(-1);
  if (foreign !== -1) return `this has a “${lower[separator + 1 + foreign]}” after the 1, which bech32 does not use`;
  const prefix = lower.slice(0, separator);
  if (!CHECKSUMS.includes(polymod(prefix, groups))) return "the checksum at the end does not fit, so a character is wrong or missing";
  if (hrp !== undefined && prefix !== hrp) return `this one is of another network, whose addresses begin with ${prefix}1`;
  // what does not fill a byte becomes one more, as on the node
  const bytes = Math.ceil(((groups.length - CHECKSUM_LENGTH) * 5) / 8);
  return bytes === ADDRESS_BYTES ? undefined : `this one has ${bytes} bytes instead of ${ADDRESS_BYTES}`;
}

function polymod(prefix: string, groups: readonly number[]): number {
  const letters = Array.from(prefix, (letter) => letter.charCodeAt(0));
  return [...letters.map((letter) => letter >> 5), 0, ...letters.map((letter) => letter & 31), ...groups].reduce(step, 1);
}

function step(state: number, group: number): number {
  const top = state >>> 25;
  return GENERATOR.reduce((next, factor, i) => ((top >> i) & 1 ? next ^ factor : next), ((state & 0x1ffffff) << 5) ^ group);
}
