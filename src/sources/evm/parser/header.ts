/** Parses the header of a block, including the fields of Avalanche's chains (chain-formats 9.2). */

import type { AnswerObject } from "./answer-object.ts";
import type { EvmBlock } from "./block.ts";
import { ZERO_ADDRESS } from "./trace-frame.ts";

export type Header = Omit<EvmBlock, "transactions" | "hasTraces" | "untraced">;

/** Detected by the field, not by the time. They were added with Apricot 3, Granite and Helicon. */
const HASH_FIELD = "extDataHash";
const EXTRA_FIELDS = [
  HASH_FIELD,
  "extDataGasUsed",
  "targetExponent",
  "minPriceExponent",
  "settledHeight",
  "settledGasUnix",
  "settledGasNumerator",
  "settledExcess",
];

export function parseHeader(block: AnswerObject): Header {
  return {
    height: block.uint64("number"),
    hash: block.hash("hash"),
    parentHash: block.hash("parentHash"),
    timestamp: block.uint64("timestamp"),
    timestampMilliseconds: block.optionalUint64("timestampMilliseconds"),
    minDelayExcess: block.optionalUint64("minDelayExcess"),
    gasLimit: block.optionalUint64("gasLimit") ?? 0n,
    baseFee: block.optionalQuantity("baseFeePerGas"),
    gasCost: block.optionalQuantity("blockGasCost") ?? 0n,
    // chains without miners omit it
    miner: block.optionalAddress("miner") ?? ZERO_ADDRESS,
    extraFields: Object.fromEntries(EXTRA_FIELDS.filter((name) => block.has(name)).map((name) => [name, extraField(block, name)])),
    extraData: block.has("blockExtraData") ? block.bytes("blockExtraData") : Buffer.alloc(0),
  };
}

/** In one spelling, whatever the node's is. */
function extraField(block: AnswerObject, name: string): string {
  return name === HASH_FIELD ? `0x${block.hash(name)}` : `0x${block.quantity(name).toString(16)}`;
}
