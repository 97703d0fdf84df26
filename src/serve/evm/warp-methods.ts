/** `warp_*`: the messages of a chain and their signatures, in the names, parameters and texts of the node's `warp` API. */

import { formatId, parseId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { JsonValue } from "../../base/json/go-encode.ts";
import { EvmRequestError } from "../../devnet/anvil/evm-error.ts";
import type { ChainWarp } from "../../devnet/warp/chain-warp.ts";

type WarpMethod = (warp: ChainWarp, params: readonly unknown[]) => Promise<JsonValue>;

const INVALID_PARAMS = -32_602;
const MOST_QUORUM = 2n ** 64n - 1n;

export const warpMethods: ReadonlyMap<string, WarpMethod> = new Map<string, WarpMethod>([
  ["warp_getMessage", getMessage],
  ["warp_getMessageSignature", getMessageSignature],
  ["warp_getMessageAggregateSignature", getMessageAggregateSignature],
  ["warp_getBlockSignature", getBlockSignature],
  ["warp_getBlockAggregateSignature", getBlockAggregateSignature],
]);

async function getMessage(warp: ChainWarp, params: readonly unknown[]): Promise<JsonValue> {
  return hex(await messageOf(warp, id(params)));
}

async function getMessageSignature(warp: ChainWarp, params: readonly unknown[]): Promise<JsonValue> {
  return hex(warp.signature(await messageOf(warp, id(params))));
}

async function getMessageAggregateSignature(warp: ChainWarp, params: readonly unknown[]): Promise<JsonValue> {
  const messageId = id(params);
  const [quorum, subnetId] = [quorumOf(params), subnetOf(params)];
  return hex(await warp.signed(await warp.message(messageId), quorum, subnetId));
}

async function getBlockSignature(warp: ChainWarp, params: readonly unknown[]): Promise<JsonValue> {
  const blockId = id(params);
  const prefix = `failed to get signature for block ${formatId(blockId)} with error failed to validate block message`;
  await within(prefix, () => warp.requireBlock(blockId));
  return hex(warp.signature(warp.blockMessage(blockId)));
}

/** Validators do not sign for a block that they did not accept; the node's answer is then a message without signatures. */
async function getBlockAggregateSignature(warp: ChainWarp, params: readonly unknown[]): Promise<JsonValue> {
  const blockId = id(params);
  const [quorum, subnetId] = [quorumOf(params), subnetOf(params)];
  await within("no validator signs", () => warp.requireBlock(blockId));
  return hex(await warp.signed(warp.blockMessage(blockId), quorum, subnetId));
}

function messageOf(warp: ChainWarp, messageId: Id): Promise<Buffer> {
  return within(`failed to get message ${formatId(messageId)} with error`, () => warp.message(messageId), " ");
}

async function within<T>(prefix: string, read: () => Promise<T>, separator = ": "): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof FirnError) || error instanceof EvmRequestError) throw error;
    throw new FirnError("warp", `${prefix}${separator}${error.message}`, error.facts, { cause: error });
  }
}

function id([given]: readonly unknown[]): Id {
  if (given === undefined || given === null) throw invalid("missing value for required argument 0");
  if (typeof given !== "string") throw invalid("invalid argument 0: first and last characters should be quotes");
  try {
    return parseId(given);
  } catch (error) {
    throw invalid(`invalid argument 0: couldn't decode ID to bytes: ${(error as Error).message}`);
  }
}

function quorumOf([, given]: readonly unknown[]): bigint {
  if (given === undefined || given === null) throw invalid("missing value for required argument 1");
  const isNumber = typeof given === "number" && Number.isInteger(given) && given >= 0 && given <= Number(MOST_QUORUM);
  if (!isNumber) throw invalid("invalid argument 1: json: cannot unmarshal it into Go value of type uint64; send percent as a number");
  return BigInt(given);
}

/** The chain's own subnet if the text is empty. */
function subnetOf([, , given]: readonly unknown[]): Id | undefined {
  if (given === undefined || given === null) throw invalid("missing value for required argument 2");
  if (given === "") return undefined;
  try {
    return parseId(given as string);
  } catch {
    throw new FirnError("warp", `failed to parse subnetID: ${JSON.stringify(given)}`);
  }
}

function invalid(message: string): EvmRequestError {
  return new EvmRequestError("warp", { code: INVALID_PARAMS, message });
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
