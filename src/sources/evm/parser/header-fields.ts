import type { AnswerObject } from "./answer-object.ts";
import { rlpList, rlpString } from "./hex-rlp.ts";

/** Header fields with their JSON-RPC names, in the order in which they are hashed (chain-formats 9.2). */
interface HeaderField {
  readonly name: string;
  readonly isNumber?: boolean;
}

/** A header has the fields in order, up to the last one of its upgrade. */
export type HeaderFields = readonly HeaderField[];

const text = (name: string): HeaderField => ({ name });

export const number = (name: string): HeaderField => ({ name, isNumber: true });

const COMMON: HeaderFields = [
  ...["parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom"].map(text),
  ...["difficulty", "number", "gasLimit", "gasUsed", "timestamp"].map(number),
  ...["extraData", "mixHash", "nonce"].map(text),
];

export const ETHEREUM_FIELDS: HeaderFields = [
  ...COMMON,
  number("baseFeePerGas"),
  text("withdrawalsRoot"),
  ...["blobGasUsed", "excessBlobGas"].map(number),
  ...["parentBeaconBlockRoot", "requestsHash"].map(text),
];

export const C_CHAIN_FIELDS: HeaderFields = [
  ...COMMON,
  text("extDataHash"),
  // Apricot Phases 3 and 4
  ...["baseFeePerGas", "extDataGasUsed", "blockGasCost"].map(number),
  // Etna
  ...["blobGasUsed", "excessBlobGas"].map(number),
  text("parentBeaconBlockRoot"),
  // Granite
  ...["timestampMilliseconds", "minDelayExcess"].map(number),
  // Helicon
  ...["targetExponent", "minPriceExponent", "settledHeight", "settledGasUnix", "settledGasNumerator", "settledExcess"].map(number),
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
