/**
 * EVM transactions that nobody signed: a test sends them from an account whose key it need not have. Their signature is zero, so the bytes
 * do not tell the sender; their hash depends on it, as anvil has it.
 */

import { keccak256 } from "../../../base/bytes/hash.ts";
import type { ShortId } from "../../../base/bytes/id.ts";
import { encodeRlpString, type RlpItem, readRlp, rlpBytes, rlpInteger, rlpItems } from "../../../base/codec/rlp.ts";
import { AnswerObject } from "../../../sources/evm/parser/answer-object.ts";
import { encodeSignedTransaction } from "../../../sources/evm/parser/rlp-forms.ts";
import { toHex } from "../header.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";

/** A transaction on its way to the child. */
export interface SentTransaction {
  /** network form, hex */
  readonly raw: string;
  /** undefined if it is signed */
  readonly sender?: ShortId | undefined;
  /** undefined where it does not matter */
  readonly nonce?: bigint | undefined;
}

/** Members of a transaction in JSON-RPC form, without its signature. */
export type UnsignedFields = Readonly<Record<string, unknown>> & { readonly type: string; readonly chainId: string };

/** From EIP-155: the least `v` of a legacy transaction, besides twice its chain ID. */
const LEAST_V = 35n;
/** type byte: names of the members before the signature */
const MEMBERS: ReadonlyMap<number, readonly string[]> = new Map([
  [0, ["nonce", "gasPrice", "gas", "to", "value", "input"]],
  [1, ["chainId", "nonce", "gasPrice", "gas", "to", "value", "input", "accessList"]],
  [2, ["chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas", "to", "value", "input", "accessList"]],
]);
const FIRST_TYPE_OF_LEGACY = 0x80;

/** Returns the network form with a signature of zero. Throws an AnswerError that names a member that is wrong. */
export function encodeUnsigned(fields: UnsignedFields): Buffer {
  const v = BigInt(fields.type) === 0n ? toHex(LEAST_V + 2n * BigInt(fields.chainId)) : "0x0";
  return encodeSignedTransaction(new AnswerObject({ ...fields, v, yParity: v, r: "0x0", s: "0x0" }, "the transaction"));
}

export function hashOf({ raw, sender }: SentTransaction): string {
  const bytes = Buffer.from(raw.slice(2), "hex");
  const hashed =
    sender === undefined ? bytes : Buffer.concat([isLegacy(bytes) ? bytes : encodeRlpString(bytes), Buffer.from(sender, "hex")]);
  return `0x${keccak256(hashed).toString("hex")}`;
}

/** Puts a transaction into the child's pool. */
export async function sendToChild(rpc: JsonRpcClient, { raw, sender }: SentTransaction): Promise<void> {
  if (sender === undefined) await rpc.call("eth_sendRawTransaction", raw);
  else await rpc.call("eth_sendUnsignedTransaction", { from: `0x${sender}`, ...fieldsOf(raw) });
}

function fieldsOf(raw: string): Record<string, unknown> {
  const bytes = Buffer.from(raw.slice(2), "hex");
  const type = isLegacy(bytes) ? 0 : bytes[0]!;
  const items = rlpItems(readRlp(type === 0 ? bytes : bytes.subarray(1)));
  const fields = MEMBERS.get(type)!.map((name, at) => [name, memberOf(name, items[at]!)]);
  return { type: `0x${type}`, ...Object.fromEntries(fields) };
}

function memberOf(name: string, item: RlpItem): unknown {
  if (name === "accessList") {
    return rlpItems(item).map((entry) => {
      const [address, keys] = rlpItems(entry);
      return { address: hexOf(address!), storageKeys: rlpItems(keys!).map(hexOf) };
    });
  }
  if (name === "to") return item.payload.length === 0 ? null : hexOf(item);
  return name === "input" ? hexOf(item) : toHex(rlpInteger(item, 32));
}

function hexOf(item: RlpItem): string {
  return `0x${rlpBytes(item).toString("hex")}`;
}

function isLegacy(bytes: Buffer): boolean {
  return bytes[0]! >= FIRST_TYPE_OF_LEGACY;
}
