/**
 * Running sums of UTXOs. Table IDs 210–219. A sum is of one owner group on one chain, one bucket and one asset. What of it is
 * locked has sums of its own beside that of all (`balance-locks.ts`). Sums of what different chains did are apart (`stream`), since time only
 * goes forward within each: a part may be negative, all together is what there is.
 */
import { bool, type Codec, list, u8, u64, type Value } from "../../primitives/codec/codec.ts";
import { struct } from "../../primitives/codec/struct.ts";
import { id, shortId } from "../../primitives/columns.ts";
import { type TableKey, table } from "../../primitives/table.ts";

/** Values of `bucket`. */
/** on the chain itself, not staked */
export const BUCKET_OWN = 0;
export const BUCKET_STAKED = 1;
/** a lock runs beyond the end of the stake */
export const BUCKET_STAKED_LOCKED = 2;
export const BUCKET_STAKED_PENDING = 3;
/** exported to `peer` */
export const BUCKET_EXPORTED = 4;
/** exported by `peer` to this chain */
export const BUCKET_IMPORTABLE = 5;

const sumKey = {
  chain: u8,
  groupId: shortId,
  /** 0: of all; else of what is locked until some time in a span (`balance-locks.ts`) */
  lock: u8,
  scale: u8,
  span: u64,
  bucket: u8,
  /** the other chain of atomic buckets, else the chain itself */
  peer: u8,
  assetId: id,
  isNft: bool,
  stream: u8,
};

/** Signed 128 bits: outputs of an asset may add up to more than 64, and parts may be negative. */
const amount: Codec<bigint> = {
  decode(reader) {
    const high = BigInt.asIntN(64, reader.u64());
    return (high << 64n) | reader.u64();
  },
  encode(writer, value) {
    writer.u64(BigInt.asUintN(64, value >> 64n));
    writer.u64(BigInt.asUintN(64, value));
  },
  json: (value) => `${value}`,
};

const count: Codec<number> = {
  decode: (reader) => reader.u32() | 0,
  encode: (writer, value) => writer.u32(value >>> 0),
  json: (value) => `${value}`,
};

const total = { amount, count };

/** A change of a sum that counts from `time` on, Unix seconds. */
const delta = struct({ time: u64, ...total });
export type Delta = Value<typeof delta>;

/**
 * Sums that are not 0, as of the newest change: `amount` and `count` count from `time` on, `pending` are changes after the block that made
 * them (an output counts from the second after its block), ascending. Serves balances of now; a read costs O(sums).
 */
export const balanceHeads = table({
  id: 210,
  name: "balance_heads",
  key: sumKey,
  value: { time: u64, ...total, pending: list(delta) },
});
export type SumKey = TableKey<typeof balanceHeads>;

/** Sums that there ever were. Serves balances of the past, which are of each the newest row of `balance_history` at that time. */
export const balanceSums = table({ id: 211, name: "balance_sums", key: sumKey, value: {} });

/** What a sum was from a time on. */
export const balanceHistory = table({ id: 212, name: "balance_history", key: { ...sumKey, time: u64 }, value: total });
