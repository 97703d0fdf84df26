/**
 * What an address owns, as getBalance counts it: only transfer outputs of the secp256k1 fx (rpc-avm-info-health 3.2). It reads the few
 * fields that it needs directly from the UTXOs' bytes, once per height. It costs O(UTXOs of the address).
 */

import type { Id, ShortId } from "../../../base/bytes/id.ts";
import { type Awaitable, atOnce, later, type Steps } from "../../../base/work/awaitable.ts";
import { eachPageOfUtxos } from "../../../index/utxos-of-address.ts";
import type { RpcContext } from "../method.ts";
import { chainCodec, chainNumber } from "./chain.ts";

/** Offsets in a UTXO without codec version whose output is a transfer output (chain-formats 3). */
const OUTPUT_INDEX = 32;
const ASSET_ID = OUTPUT_INDEX + 4;
const TYPE_ID = ASSET_ID + 32;
const AMOUNT = TYPE_ID + 4;
const LOCKTIME = AMOUNT + 8;
const ADDRESS_COUNT = LOCKTIME + 8 + 4; // after the threshold

export interface Holding {
  readonly txId: Uint8Array;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly amount: bigint;
  /** Unix seconds */
  readonly locktime: bigint;
  /** whether the output lists no other address */
  readonly isSole: boolean;
}

export function holdings(context: RpcContext, address: ShortId): Awaitable<readonly Holding[]> {
  return context.cached(`holdings of ${address} on ${context.chain.chainId}`, () => atOnce(holdingSteps(context, address)));
}

function* holdingSteps(context: RpcContext, address: ShortId): Steps<readonly Holding[]> {
  const typeId = (yield* later(chainCodec(context))).typeId("secp256k1.TransferOutput");
  const found: Holding[] = [];
  // An address owns few assets, so their IDs are shared.
  const assetIds = new Map<string, Id>();
  yield* eachPageOfUtxos(context.reader, { chain: chainNumber(context), address }, (utxos) => {
    for (const utxo of utxos) {
      const bytes = Buffer.from(utxo.bytes.buffer, utxo.bytes.byteOffset, utxo.bytes.byteLength);
      if (bytes.readUInt32BE(TYPE_ID) !== typeId) continue;
      const assetId = bytes.toString("hex", ASSET_ID, TYPE_ID);
      if (!assetIds.has(assetId)) assetIds.set(assetId, assetId);
      found.push({
        txId: Uint8Array.prototype.slice.call(bytes, 0, OUTPUT_INDEX),
        outputIndex: bytes.readUInt32BE(OUTPUT_INDEX),
        assetId: assetIds.get(assetId)!,
        amount: bytes.readBigUInt64BE(AMOUNT),
        locktime: bytes.readBigUInt64BE(LOCKTIME),
        isSole: bytes.readUInt32BE(ADDRESS_COUNT) === 1,
      });
    }
  });
  return found;
}
