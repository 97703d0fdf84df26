/** Signed EVM transactions whose access list carries warp messages. */

import { formatEvmAddress } from "../../../base/bytes/evm-address.ts";
import type { ShortId } from "../../../base/bytes/id.ts";
import { CodecError } from "../../../base/codec/error.ts";
import { type RlpItem, readRlp, rlpBytes, rlpInteger, rlpItems } from "../../../base/codec/rlp.ts";
import { FirnError } from "../../../base/errors/errors.ts";
import { RuleError } from "../../../network/execution.ts";
import { signerOf } from "../pool/signer.ts";
import { predicateGas } from "./predicate.ts";
import { WARP_ADDRESS } from "./warp-contract.ts";

export interface PredicatedTransaction {
  readonly origin: ShortId;
  readonly nonce: bigint;
  /** packed, in the order of the access list */
  readonly predicates: readonly Buffer[];
}

interface Fields {
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  readonly isCreation: boolean;
  readonly data: Buffer;
  readonly accessList: readonly AccessTuple[];
  readonly origin: ShortId;
}

interface AccessTuple {
  readonly address: ShortId;
  /** one after the other */
  readonly keys: Buffer;
}

/** Number of fields before `nonce`…, by transaction type: those with an access list. The gas limit, recipient, value, data, list follow. */
const GAS_LIMIT_AT: ReadonlyMap<number, number> = new Map([
  [1, 3],
  [2, 4],
]);
const FIELDS_FROM_GAS_LIMIT = 8;
const KEY_BYTES = 32;

/**
 * Returns undefined for transactions without warp messages, and for those that the EVM will refuse anyway. Throws with the node's text if a
 * message cannot be read, or the gas limit is too low for verifying the messages.
 * @param raw hex
 */
export function predicatedTransaction(raw: string, rules: { isGranite: boolean }): PredicatedTransaction | undefined {
  if (!raw.includes(WARP_ADDRESS)) return undefined;
  const fields = fieldsOf(Buffer.from(raw.slice("0x".length), "hex"));
  const predicates = fields?.accessList.filter(({ address }) => address === WARP_ADDRESS).map(({ keys }) => keys) ?? [];
  if (fields === undefined || predicates.length === 0) return undefined;
  const { origin, nonce, gasLimit } = fields;
  const needed = intrinsicGas(fields, rules);
  if (gasLimit >= needed) return { origin, nonce, predicates };
  const text = `intrinsic gas too low: address ${formatEvmAddress(origin)} tx gas (${gasLimit}), minimum needed ${needed}`;
  throw new RuleError("intrinsic-gas", text);
}

function intrinsicGas({ isCreation, data, accessList }: Fields, rules: { isGranite: boolean }): bigint {
  let gas = isCreation ? 53_000 + 2 * Math.ceil(data.length / 32) : 21_000;
  for (const byte of data) gas += byte === 0 ? 4 : 16;
  let total = BigInt(gas);
  for (const { address, keys } of accessList) {
    total += address === WARP_ADDRESS ? predicateGas(keys, rules) : 2_400n + 1_900n * BigInt(keys.length / KEY_BYTES);
  }
  return total;
}

function fieldsOf(bytes: Buffer): Fields | undefined {
  const at = GAS_LIMIT_AT.get(bytes[0]!);
  if (at === undefined) return undefined;
  try {
    const items = rlpItems(readRlp(bytes.subarray(1)));
    if (items.length !== at + FIELDS_FROM_GAS_LIMIT) return undefined;
    const [gasLimit, to, , data, accessList] = items.slice(at) as [RlpItem, ...RlpItem[]];
    return {
      nonce: rlpInteger(items[1]!),
      gasLimit: rlpInteger(gasLimit),
      isCreation: rlpBytes(to!).length === 0,
      data: rlpBytes(data!),
      accessList: rlpItems(accessList!).map(accessTuple),
      origin: signerOf(bytes),
    };
  } catch (error) {
    if (error instanceof FirnError || error instanceof CodecError) return undefined;
    throw error;
  }
}

function accessTuple(item: RlpItem): AccessTuple {
  const [address, keys] = rlpItems(item);
  if (address === undefined || keys === undefined) throw new CodecError("short", item.offset);
  return { address: rlpBytes(address, 20).toString("hex"), keys: Buffer.concat(rlpItems(keys).map((key) => rlpBytes(key, KEY_BYTES))) };
}
