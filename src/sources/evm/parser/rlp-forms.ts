/** RLP of headers and of signed EVM transactions in network form, from their JSON-RPC form (EIP-155, 2930, 1559, 4844, 7702). */

import { AnswerObject } from "./answer-object.ts";
import { rlpList, rlpString } from "./hex-rlp.ts";

/** Header fields with their JSON-RPC names, in the order in which they are hashed (chain-formats 9.2). */
interface HeaderField {
  readonly name: string;
  readonly isNumber?: boolean;
}

/** A header has the fields in order, up to the last one of its upgrade. */
export type HeaderFields = readonly HeaderField[];

const text = (name: string): HeaderField => ({ name });

const quantity = (name: string): HeaderField => ({ name, isNumber: true });

const COMMON: HeaderFields = [
  ...["parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom"].map(text),
  ...["difficulty", "number", "gasLimit", "gasUsed", "timestamp"].map(quantity),
  ...["extraData", "mixHash", "nonce"].map(text),
];

export const ETHEREUM_FIELDS: HeaderFields = [
  ...COMMON,
  quantity("baseFeePerGas"),
  text("withdrawalsRoot"),
  ...["blobGasUsed", "excessBlobGas"].map(quantity),
  ...["parentBeaconBlockRoot", "requestsHash"].map(text),
];

export const C_CHAIN_FIELDS: HeaderFields = [
  ...COMMON,
  text("extDataHash"),
  // Apricot Phases 3 and 4
  ...["baseFeePerGas", "extDataGasUsed", "blockGasCost"].map(quantity),
  // Etna
  ...["blobGasUsed", "excessBlobGas"].map(quantity),
  text("parentBeaconBlockRoot"),
  // Granite
  ...["timestampMilliseconds", "minDelayExcess"].map(quantity),
  // Helicon
  ...["targetExponent", "minPriceExponent", "settledHeight", "settledGasUnix", "settledGasNumerator", "settledExcess"].map(quantity),
];

/** RLP of the fields that the block has; a block without later upgrades' fields is shorter. */
export function encodeHeaderFields(block: AnswerObject, fields: HeaderFields): Buffer {
  const present = fields.filter(({ name }) => block.has(name));
  const items = present.map(({ name, isNumber }) => rlpString(isNumber ? block.shortestDigits(name) : block.digits(name)));
  return block.bytesOf(rlpList(items));
}

/** A field that the block lacks although it has a later one, or although every header has it. */
export function missingField(block: AnswerObject, fields: HeaderFields): string | undefined {
  const last = fields.findLastIndex(({ name }) => block.has(name));
  return fields.find(({ name }, index) => !block.has(name) && index < Math.max(last, COMMON.length))?.name;
}

/** Encodes a part of a transaction, in digits of hex. */
type Part = (transaction: AnswerObject) => string;

/** A type has one byte; those above 0x7f are of chains of their own kind. */
const MOST_TYPE = 0xff;
const HASH = /^0x[0-9a-f]{64}$/i;

const number =
  (name: string): Part =>
  (tx) =>
    rlpString(tx.shortestDigits(name));

const target: Part = (tx) => rlpString(tx.optionalAddress("to") ?? "");
const input: Part = (tx) => rlpString(tx.digits("input"));
const call: readonly Part[] = [number("gas"), target, number("value"), input];
const dynamicFees: readonly Part[] = [number("maxPriorityFeePerGas"), number("maxFeePerGas")];

/** 0 or 1; older nodes only return it as `v`. */
const parity: Part = (tx) => rlpString(tx.shortestDigits(tx.has("yParity") ? "yParity" : "v"));
const signature: readonly Part[] = [parity, number("r"), number("s")];

const accessList: Part = (tx) => rlpEntries(tx, "accessList", (entry) => [address(entry), hashes(entry, "storageKeys")]);
const blobHashes: Part = (tx) => hashes(tx, "blobVersionedHashes");
const authorizations: Part = (tx) =>
  rlpEntries(tx, "authorizationList", (entry) => [
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
  return transaction.bytesOf(signedTransactionDigits(transaction));
}

/** The same in digits of hex. */
export function signedTransactionDigits(transaction: AnswerObject): string {
  const type = typeOf(transaction);
  const parts = PARTS.get(type);
  if (parts === undefined) throw transaction.wrong("type", `one of ${[...PARTS.keys()].join(", ")}, the types that this version knows`);
  const list = rlpList(inOrder(parts, transaction));
  return type === 0 ? list : `0${type}${list}`;
}

function inOrder(parts: readonly Part[], transaction: AnswerObject): string[] {
  return parts.map((part) => part(transaction));
}

function address(entry: AnswerObject): string {
  return rlpString(entry.address("address"));
}

function rlpEntries(tx: AnswerObject, name: string, parts: (entry: AnswerObject) => readonly string[]): string {
  const entries = tx.list(name).map((entry, index) => new AnswerObject(entry, `${tx.where}.${name}[${index}]`));
  return rlpList(entries.map((entry) => rlpList(parts(entry))));
}

function hashes(entry: AnswerObject, name: string): string {
  return rlpList(
    entry.list(name).map((hash) => {
      if (typeof hash !== "string" || !HASH.test(hash)) throw entry.wrong(name, "a list of texts of 0x and 64 digits of hex");
      return rlpString(hash.slice(2));
    }),
  );
}
