/**
 * Running sums of UTXOs. Table IDs 210–219. A sum belongs to one owner group on one chain, one bucket and one asset. Locked amounts have
 * sums of their own beside the total (`balance-locks.ts`). Each chain that causes changes has its own sum (`stream`), since time only goes
 * forward within a stream. One such part may be negative; the balance is the sum of all parts.
 */
import { bool, bytes, type Codec, list, rest, struct, u8, u64, type Value } from "../../../base/codec/codec.ts";
import { id, shortId, type TableKey, table } from "../../../base/table/table.ts";

/** Values of `bucket`. */
/** on the chain itself, not staked */
export const BUCKET_OWN = 0;
export const BUCKET_STAKED = 1;
/** the UTXO has a lock that ends after the staking period */
export const BUCKET_STAKED_LOCKED = 2;
export const BUCKET_STAKED_PENDING = 3;
/** exported to `peer` */
export const BUCKET_EXPORTED = 4;
/** exported by `peer` to this chain */
export const BUCKET_IMPORTABLE = 5;

const sumKey = {
  chain: u8,
  groupId: shortId,
  /** 0: the total; otherwise the amount locked until some time in a span (`balance-locks.ts`) */
  lock: u8,
  scale: u8,
  span: u64,
  bucket: u8,
  /** the other chain, for atomic buckets; otherwise the chain itself */
  peer: u8,
  assetId: id,
  isNft: bool,
  stream: u8,
};

/** Signed 128 bits: outputs of an asset may add up to more than 64 bits, and parts may be negative. */
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

/** the value of a sum */
export const total = { amount, count };

/** A change of a sum that counts from `time` on, Unix seconds. */
const delta = struct({ time: u64, ...total });
export type Delta = Value<typeof delta>;

/**
 * Sums that are not 0. `amount` and `count` apply from `time` on. `pending` lists changes, in ascending order, that apply only after the
 * block that made them (an output counts from the second after its block). Serves current balances; a read costs O(sums). `history` has
 * the newest part of its history (`balance-points.ts`), which most sums never outgrow.
 */
export const balanceHeads = table({
  id: 210,
  name: "balance_heads",
  key: sumKey,
  value: { time: u64, ...total, pending: list(delta), history: bytes },
});
export type SumKey = TableKey<typeof balanceHeads>;

/**
 * The sums that were 0 again at some time, whether they are now or not. With `balance_heads` these are all that ever existed. Serves past
 * balances: for each sum, the newest row of `balance_history` at that time.
 */
export const endedSums = table({ id: 213, name: "ended_sums", key: sumKey, value: {} });

/**
 * The values that a sum had before those in `balance_heads`, several to a row (`balance-points.ts`). `time`: from when on the first of them
 * applied.
 */
export const balanceHistory = table({ id: 212, name: "balance_history", key: { ...sumKey, time: u64 }, value: { points: rest } });
