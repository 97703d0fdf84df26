/** Encodes signed EVM transactions in network form from their JSON-RPC form (EIP-155, 2930, 1559, 4844, 7702). */

import { encodeRlpInteger, encodeRlpList, encodeRlpString } from "../../primitives/codec/rlp.ts";
import { AnswerObject } from "./answer-object.ts";

/** Encodes a part of a transaction. */
type Part = (transaction: AnswerObject) => Buffer;

/** A type has one byte; those above 0x7f are of chains of their own kind. */
const MOST_TYPE = 0xff;
const HASH = /^0x[0-9a-f]{64}$/i;

const number =
  (name: string): Part =>
  (tx) =>
    encodeRlpInteger(tx.quantity(name));

const target: Part = (tx) => encodeRlpString(Buffer.from(tx.optionalAddress("to") ?? "", "hex"));
const input: Part = (tx) => encodeRlpString(tx.bytes("input"));
const call: readonly Part[] = [number("gas"), target, number("value"), input];
const dynamicFees: readonly Part[] = [number("maxPriorityFeePerGas"), number("maxFeePerGas")];

/** 0 or 1; older nodes only return it as `v`. */
const parity: Part = (tx) => encodeRlpInteger(tx.quantity(tx.has("yParity") ? "yParity" : "v"));
const signature: readonly Part[] = [parity, number("r"), number("s")];

const accessList: Part = (tx) => listOf(tx, "accessList", (entry) => [address(entry), hashes(entry, "storageKeys")]);
const blobHashes: Part = (tx) => hashes(tx, "blobVersionedHashes");
const authorizations: Part = (tx) =>
  listOf(tx, "authorizationList", (entry) => [
    number("chainId")(entry),
    address(entry),
    number("nonce")(entry),
    ...inOrder(signature, entry),
  ]);

/** The parts after the type byte, in order. */
const PARTS: ReadonlyMap<number, readonly Part[]> = new Map([
  [0, [number("nonce"), number("gasPrice"), ...call, number("v"), number("r"), number("s")]],
  [1, [number("chainId"), number("nonce"), number("gasPrice"), ...call, accessList, ...signature]],
  [2, [number("chainId"), number("nonce"), ...dynamicFees, ...call, accessList, ...signature]],
  [3, [number("chainId"), number("nonce"), ...dynamicFees, ...call, accessList, number("maxFeePerBlobGas"), blobHashes, ...signature]],
  [4, [number("chainId"), number("nonce"), ...dynamicFees, ...call, accessList, authorizations, ...signature]],
]);

/** Whether its bytes can be made from its members. */
export function isKnownType(transaction: AnswerObject): boolean {
  return PARTS.has(typeOf(transaction));
}

function typeOf(transaction: AnswerObject): number {
  return transaction.has("type") ? transaction.number("type", MOST_TYPE) : 0;
}

export function encodeSignedTransaction(transaction: AnswerObject): Buffer {
  const type = typeOf(transaction);
  const parts = PARTS.get(type);
  if (parts === undefined) throw transaction.wrong("type", `one of ${[...PARTS.keys()].join(", ")}, the types that this version knows`);
  const list = encodeRlpList(inOrder(parts, transaction));
  return type === 0 ? list : Buffer.concat([Buffer.of(type), list]);
}

function inOrder(parts: readonly Part[], transaction: AnswerObject): Buffer[] {
  return parts.map((part) => part(transaction));
}

function address(entry: AnswerObject): Buffer {
  return encodeRlpString(Buffer.from(entry.address("address"), "hex"));
}

function listOf(tx: AnswerObject, name: string, parts: (entry: AnswerObject) => readonly Buffer[]): Buffer {
  const entries = tx.list(name).map((entry, index) => new AnswerObject(entry, `${tx.where}.${name}[${index}]`));
  return encodeRlpList(entries.map((entry) => encodeRlpList(parts(entry))));
}

function hashes(entry: AnswerObject, name: string): Buffer {
  return encodeRlpList(
    entry.list(name).map((hash) => {
      if (typeof hash !== "string" || !HASH.test(hash)) throw entry.wrong(name, "a list of texts of 0x and 64 digits of hex");
      return encodeRlpString(Buffer.from(hash.slice(2), "hex"));
    }),
  );
}
