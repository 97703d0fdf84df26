/** The header of a block, with what Avalanche's chains add to it (formats: coreth's header, reference data-api 8). */
import type { EvmBlock } from "../block.ts";
import type { AnswerObject } from "./answer-object.ts";

export type Header = Omit<EvmBlock, "transactions" | "hasTraces">;

/** Told by the field, never by the time: they appear with Apricot 3, Granite and Helicon. */
const EXTRA_FIELDS = [
  "extDataHash",
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
    gasLimit: block.uint64("gasLimit"),
    baseFee: block.optionalQuantity("baseFeePerGas"),
    gasCost: block.optionalQuantity("blockGasCost") ?? 0n,
    miner: block.address("miner"),
    extraFields: Object.fromEntries(EXTRA_FIELDS.filter((name) => block.has(name)).map((name) => [name, block.text(name)])),
    extraData: block.has("blockExtraData") ? block.bytes("blockExtraData") : Buffer.alloc(0),
  };
}
