/**
 * What an address holds, as getBalance counts it: transfer outputs of the secp256k1 fx only (rpc-avm-info-health 3.2).
 * Reads the few fields that count straight from the UTXO's bytes; costs O(UTXOs of the address).
 */
import { utxosByAddress } from "../../index/tables.ts";
import { encodeCb58 } from "../../primitives/cb58.ts";
import type { Id, ShortId } from "../../primitives/id.ts";
import { scanAll } from "../../store/store.ts";
import type { RpcContext } from "../method.ts";
import { chainCodec } from "./chain.ts";

/** Offsets in a UTXO without codec version whose output is a transfer output (chain-formats 3). */
const OUTPUT_INDEX = 32;
const ASSET_ID = OUTPUT_INDEX + 4;
const TYPE_ID = ASSET_ID + 32;
const AMOUNT = TYPE_ID + 4;
const LOCKTIME = AMOUNT + 8;
const ADDRESS_COUNT = LOCKTIME + 8 + 4; // behind the threshold

export interface Holding {
  readonly assetId: Id;
  readonly amount: bigint;
  /** Unix seconds */
  readonly locktime: bigint;
  /** whether the address is the only one that the output lists */
  readonly isSole: boolean;
  /** the UTXO's reference, rendered */
  readonly reference: () => string;
}

export async function* holdings(context: RpcContext, address: ShortId): AsyncGenerator<Holding> {
  const typeId = await transferOutputType(context);
  for await (const { value } of scanAll(context.reader, utxosByAddress, { chainId: context.chain.chainId, address })) {
    const bytes = Buffer.from(value.bytes.buffer, value.bytes.byteOffset, value.bytes.byteLength);
    if (bytes.readUInt32BE(TYPE_ID) !== typeId) continue;
    yield {
      assetId: bytes.toString("hex", ASSET_ID, TYPE_ID),
      amount: bytes.readBigUInt64BE(AMOUNT),
      locktime: bytes.readBigUInt64BE(LOCKTIME),
      isSole: bytes.readUInt32BE(ADDRESS_COUNT) === 1,
      reference: () => `{"txID":"${encodeCb58(bytes.subarray(0, OUTPUT_INDEX))}","outputIndex":${bytes.readUInt32BE(OUTPUT_INDEX)}}`,
    };
  }
}

/** Type IDs follow the order of the chain's fxs. */
function transferOutputType(context: RpcContext): Promise<number> {
  return context.cached(`transfer output of ${context.chain.chainId}`, async () => {
    const { nodeTypeName } = await chainCodec(context);
    for (let typeId = 0; nodeTypeName(typeId) !== undefined; typeId++) {
      if (nodeTypeName(typeId) === "*secp256k1fx.TransferOutput") return typeId;
    }
    // a chain without this fx has no such outputs
    return -1;
  });
}
