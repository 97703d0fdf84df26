/** Where a UTXO counts in balances (data-api 8.4): on which chain, in which bucket, under which locks. */
import type { TableKey } from "../../../base/table/table.ts";
import type { UtxoRecord } from "../transactions/tx-effects.ts";
import { isNft, type UtxoBody } from "../utxos/utxo-codec.ts";
import { NO_LOCK, PLAIN_LOCK, STAKEABLE_LOCK, spansOf } from "./balance-locks.ts";
import {
  BUCKET_EXPORTED,
  BUCKET_IMPORTABLE,
  BUCKET_OWN,
  BUCKET_STAKED,
  BUCKET_STAKED_LOCKED,
  BUCKET_STAKED_PENDING,
  type balanceHeads,
} from "./balance-tables.ts";

/** The key of a sum without the owner group and the stream. */
export interface Place extends Omit<TableKey<typeof balanceHeads>, "groupId" | "stream"> {
  /** true: the amount is subtracted in this place */
  readonly isDeducted: boolean;
}

/** The places of an unspent UTXO. `isPending`: it is staked, and the staking period has not begun. */
export function placesOf(record: UtxoRecord, output: UtxoBody, isPending: boolean): Place[] {
  const { createdOn, consumedOn, stake } = record;
  const { assetId } = output;
  const ofNft = isNft(output);
  const locks = locksOf(record, output);
  if (createdOn !== consumedOn) {
    return [
      ...withLocks({ chain: createdOn, bucket: BUCKET_EXPORTED, peer: consumedOn, assetId, isNft: ofNft }, locks),
      ...withLocks({ chain: consumedOn, bucket: BUCKET_IMPORTABLE, peer: createdOn, assetId, isNft: ofNft }, locks),
    ];
  }
  if (!stake?.isActive) return withLocks({ chain: createdOn, peer: createdOn, bucket: BUCKET_OWN, assetId, isNft: ofNft }, locks);
  const bucket = isPending ? BUCKET_STAKED_PENDING : stakedBucket(stake.end, locks);
  return withLocks({ chain: createdOn, peer: createdOn, bucket, assetId, isNft: ofNft }, UNLOCKED);
}

/** When the locks end, Unix seconds; 0: no lock. */
interface Locks {
  readonly plain: bigint;
  readonly stakeable: bigint;
}

const UNLOCKED: Locks = { plain: 0n, stakeable: 0n };

/** A lock that had ended when the output was created never applies. */
function locksOf({ timestamp }: UtxoRecord, { locktime, stakeableLocktime = 0n }: UtxoBody): Locks {
  if (locktime === 0n && stakeableLocktime === 0n) return UNLOCKED;
  const held = (end: bigint) => (end > timestamp ? end : 0n);
  return { plain: held(locktime), stakeable: held(stakeableLocktime) };
}

function stakedBucket(end: bigint, { plain, stakeable }: Locks): number {
  return plain > end || stakeable > end ? BUCKET_STAKED_LOCKED : BUCKET_STAKED;
}

type Unlocked = Omit<Place, "lock" | "scale" | "span" | "isDeducted">;

/** An output with both locks is stakeable first: until its stakeable lock ends, it is subtracted from what the plain lock holds. */
function withLocks(place: Unlocked, { plain, stakeable }: Locks): Place[] {
  const { chain, bucket, peer, assetId, isNft } = place;
  const all = { chain, bucket, peer, assetId, isNft, lock: NO_LOCK, scale: 0, span: 0n, isDeducted: false };
  if (plain === 0n && stakeable === 0n) return [all];
  const behind = (lock: number, end: bigint, isDeducted = false) =>
    end === 0n ? [] : spansOf(end).map((span) => ({ ...place, lock, ...span, isDeducted }));
  const held = plain > stakeable ? [...behind(PLAIN_LOCK, plain), ...behind(PLAIN_LOCK, stakeable, true)] : [];
  return [all, ...behind(STAKEABLE_LOCK, stakeable), ...held];
}
