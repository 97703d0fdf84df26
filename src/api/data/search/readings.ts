/** What a text can be, by its form alone. One text can be several things: 64 hex digits are the hash of a transaction or of a block. */

import { decodeBech32 } from "../../../base/bytes/bech32.ts";
import { decodeCb58, parseNodeId } from "../../../base/bytes/cb58.ts";
import { correctedChecksum } from "../../../base/bytes/evm-address.ts";
import { foldedName } from "../../../base/bytes/folded-name.ts";
import type { Id, NodeId, ShortId } from "../../../base/bytes/id.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { Address, Hash } from "../../../sources/evm/parser/block.ts";
import { shown } from "../ids.ts";

export interface Readings {
  /** a height, or an EVM chain ID */
  number?: bigint;
  /** 32 bytes: of the primary network, or a hash of an EVM chain */
  id?: Id & Hash;
  evmAddress?: Address;
  /** 20 bytes that can own UTXOs */
  owner?: ShortId;
  nodeId?: NodeId;
  /** folded; any text can be a name */
  name?: string;
  readonly understoodAs: string[];
  readonly problems: string[];
}

/** For those whose text was not found. */
export const FORMS: readonly string[] = [
  "a transaction, block, vertex, subnet, blockchain, asset or L1 validator: its ID in cb58, or 0x and 64 hex digits",
  "a height, or an EVM chain ID: a decimal number",
  "an address: P-…, X-…, C-…, or without a chain, or 0x and 40 hex digits",
  "a node: NodeID-…",
  "the name or the beginning of the name of a chain, blockchain, asset or token, or its symbol",
];

export function readingsOf(query: string, network: Pick<NetworkInstance, "hrp">): Readings {
  const text = query.trim();
  const readings: Readings = { understoodAs: [], problems: [] };
  readNumber(text, readings);
  readHex(text.replace(/^[cC]-(?=0x)/, ""), readings);
  readNodeId(text, readings);
  readCb58(text, readings);
  readBech32(text, network.hrp, readings);
  const name = foldedName(text);
  if (name !== "") {
    readings.name = name;
    readings.understoodAs.push("a name");
  }
  return readings;
}

const MAX_HEIGHT = 2n ** 64n - 1n;

function readNumber(text: string, readings: Readings): void {
  const digits = /^[0-9]{1,3}([,_' ][0-9]{3})+$/.test(text) ? text.replace(/[,_' ]/g, "") : text;
  if (!/^[0-9]{1,20}$/.test(digits) || BigInt(digits) > MAX_HEIGHT) return;
  readings.number = BigInt(digits);
  readings.understoodAs.push("a height", "an EVM chain ID");
}

function readHex(text: string, readings: Readings): void {
  const hasPrefix = /^0x/i.test(text);
  const digits = hasPrefix ? text.slice(2) : text;
  if (!/^[0-9a-fA-F]+$/.test(digits)) {
    if (hasPrefix) readings.problems.push(`${shown(text)} has other characters than hex digits after 0x`);
    return;
  }
  const hex = digits.toLowerCase();
  if (digits.length === 64) {
    readings.id = hex;
    readings.understoodAs.push("the hash of a transaction or block, or an ID in hex");
  } else if (digits.length === 40) {
    readings.evmAddress = hex;
    readings.understoodAs.push("an address of EVM chains");
    // the right one is not quoted: it would lend the mistyped address a checksum
    if (correctedChecksum(`0x${digits}`) !== undefined) {
      readings.problems.push(
        `the checksum of ${shown(text)} is wrong, so a letter or digit may be mistyped: compare it with where it is from`,
      );
    }
    // 20 bytes of the primary network, if they are not written as such
    if (!hasPrefix) Object.assign(readings, { owner: hex, nodeId: hex });
  } else if (hasPrefix) {
    readings.problems.push(`${shown(text)} has ${digits.length} hex digits; an address has 40, a hash has 64`);
  }
}

function readNodeId(text: string, readings: Readings): void {
  if (!text.startsWith("NodeID-")) return;
  const nodeId = decoded(() => parseNodeId(text));
  if (typeof nodeId === "string") Object.assign(readings, { nodeId });
  else readings.problems.push(`${shown(text)} is not the ID of a node: ${nodeId.message}; look for a mistyped or missing character`);
  readings.understoodAs.push("a node ID");
}

/** Shorter texts of these characters are words. Longer ones are no ID. */
const CB58 = /^[1-9A-HJ-NP-Za-km-z]{25,52}$/;
/** the fewest characters of 32 bytes, all zeros but for the checksum */
const SHORTEST_ID = 33;

function readCb58(text: string, readings: Readings): void {
  if (!CB58.test(text) || /^[0-9a-fA-F]{40}$/.test(text)) return;
  const bytes = decoded(() => decodeCb58(text));
  if (bytes instanceof TextError) {
    if (text.length >= SHORTEST_ID) {
      readings.problems.push(`${shown(text)} is not an ID: ${bytes.message}; look for a mistyped or missing character`);
    }
    return;
  }
  if (bytes.length === 32) {
    readings.id = bytes.toString("hex");
    readings.understoodAs.push("an ID of the primary network");
  } else if (bytes.length === 20) {
    const hex = bytes.toString("hex");
    Object.assign(readings, { nodeId: hex, owner: hex });
    readings.understoodAs.push("a node ID or an address without its prefix");
  }
}

function readBech32(text: string, hrp: string, readings: Readings): void {
  const [, chain, rest] = /^(?:([A-Za-z0-9]+)-)?([a-z]+1[02-9ac-hj-np-z]{6,}|[A-Z]+1[02-9AC-HJ-NP-Z]{6,})$/.exec(text) ?? [];
  if (rest === undefined) return;
  const address = decoded(() => decodeBech32(rest));
  const isMeant = chain !== undefined || rest.toLowerCase().startsWith(`${hrp}1`);
  if (address instanceof TextError) {
    // any word with a 1 in it has this form
    if (isMeant) readings.problems.push(`${shown(text)} is not an address: ${address.message}; look for a mistyped or missing character`);
    return;
  }
  if (address.bytes.length !== 20) return;
  readings.understoodAs.push("an address of P, X and C");
  if (address.hrp === hrp) readings.owner = address.bytes.toString("hex");
  else readings.problems.push(`${shown(text)} is an address of another network: here addresses begin with ${hrp}1`);
}

/** What a parser returns, or the error that says what is wrong with the text. */
function decoded<T>(parse: () => T): T | TextError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TextError) return error;
    throw error;
  }
}
