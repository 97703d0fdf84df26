/**
 * bech32 as the reference node reads and writes it (BIP-173). Reading follows the node's library where it is laxer than the standard: it
 * accepts a bech32m checksum, and it pads when it regroups five-bit groups, so that extra bits become one more byte.
 */
import { TextError } from "../errors/text-error.ts";

const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const VERSION_0 = 1;
const VERSION_M = 0x2bc830a3;
const CHECKSUM_GROUPS = 6;
const MAX_LENGTH = 90;
const MIN_LENGTH = 8;

export function encodeBech32Bytes(hrp: string, bytes: Uint8Array): string {
  const groups = regroup(bytes, 8, 5);
  return `${hrp}1${toCharacters(groups)}${checksum(hrp, groups, VERSION_0)}`;
}

/** Returns human-readable part and bytes. Errors have the node's texts and order (rpc-platform 2.2). */
export function decodeBech32(text: string): { hrp: string; bytes: Buffer } {
  const input = checkCharacters(Buffer.from(text, "utf8"));
  const separator = input.lastIndexOf("1");
  if (separator < 1 || separator + 1 + CHECKSUM_GROUPS > input.length) {
    throw new TextError("bech32", `invalid separator index ${separator}`);
  }
  const hrp = input.slice(0, separator);
  const groups = toGroups(input.slice(separator + 1));
  const state = polymod(hrp, groups);
  const payload = groups.slice(0, -CHECKSUM_GROUPS);
  if (state !== VERSION_0 && state !== VERSION_M) throw wrongChecksum(hrp, payload, input.slice(-CHECKSUM_GROUPS));
  return { hrp, bytes: Buffer.from(regroup(payload, 5, 8)) };
}

/** Returns the text in lower case. Lengths and characters are counted in UTF-8 bytes. */
function checkCharacters(bytes: Buffer): string {
  if (bytes.length < MIN_LENGTH || bytes.length > MAX_LENGTH) throw new TextError("bech32", `invalid bech32 string length ${bytes.length}`);
  let hasLower = false;
  let hasUpper = false;
  for (const byte of bytes) {
    if (byte < 33 || byte > 126) throw new TextError("bech32", `invalid character in string: '${String.fromCharCode(byte)}'`);
    hasLower ||= byte >= 97 && byte <= 122;
    hasUpper ||= byte >= 65 && byte <= 90;
    if (hasLower && hasUpper) throw new TextError("bech32", "string not all lowercase or all uppercase");
  }
  return bytes.toString("latin1").toLowerCase();
}

function toGroups(characters: string): number[] {
  return Array.from(characters, (character) => {
    const group = CHARSET.indexOf(character);
    if (group === -1) throw new TextError("bech32", `invalid character not part of charset: ${character.charCodeAt(0)}`);
    return group;
  });
}

function toCharacters(groups: ArrayLike<number>): string {
  let text = "";
  for (let i = 0; i < groups.length; i++) text += CHARSET[groups[i]!];
  return text;
}

/** The node's text has the second checksum directly after the first one, because its string builder is not reset. */
function wrongChecksum(hrp: string, payload: number[], actual: string): TextError {
  const expected0 = checksum(hrp, payload, VERSION_0);
  const expectedM = expected0 + checksum(hrp, payload, VERSION_M);
  return new TextError("bech32", `invalid checksum (expected (bech32=${expected0}, bech32m=${expectedM}), got ${actual})`);
}

function checksum(hrp: string, payload: number[], version: number): string {
  const state = polymod(hrp, [...payload, 0, 0, 0, 0, 0, 0]) ^ version;
  return toCharacters(Array.from({ length: CHECKSUM_GROUPS }, (_, i) => (state >>> (5 * (5 - i))) & 31));
}

function polymod(hrp: string, groups: number[]): number {
  let state = 1;
  for (let i = 0; i < hrp.length; i++) state = step(state, hrp.charCodeAt(i) >> 5);
  state = step(state, 0);
  for (let i = 0; i < hrp.length; i++) state = step(state, hrp.charCodeAt(i) & 31);
  for (const group of groups) state = step(state, group);
  return state;
}

function step(state: number, group: number): number {
  const top = state >>> 25;
  let next = ((state & 0x1ffffff) << 5) ^ group;
  for (let i = 0; i < 5; i++) if ((top >> i) & 1) next ^= GENERATOR[i]!;
  return next;
}

/** Regroups bits; the rest is padded with zeros. */
function regroup(groups: ArrayLike<number>, from: number, to: number): number[] {
  const regrouped: number[] = [];
  let bits = 0;
  let held = 0;
  for (let i = 0; i < groups.length; i++) {
    bits = ((bits << from) | groups[i]!) & 0xffff;
    held += from;
    while (held >= to) {
      held -= to;
      regrouped.push((bits >> held) & ((1 << to) - 1));
    }
  }
  if (held > 0) regrouped.push((bits << (to - held)) & ((1 << to) - 1));
  return regrouped;
}
