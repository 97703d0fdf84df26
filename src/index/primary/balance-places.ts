/** Where a UTXO counts in balances (data-api 8.4): on which chain, in which bucket, behind which locks. */
import type { TableKey } from "../../primitives/table.ts";
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
import type { UtxoRecord } from "./tx-effects.ts";
import { isNft, type UtxoBody } from "./utxo-codec.ts";

/** The key of a sum, but for whose and by whom. */
export interface Place extends Omit<TableKey<typeof balanceHeads>, "groupId" | "stream"> {
  /** whether what is in the place counts less there */
  readonly isDeducted: boolean;
}

/** The places of a UTXO that is not spent. `isPending`: the period of its active stake has not begun. */
export function placesOf(record: UtxoRecord, output: UtxoBody, isPending: boolean): Place[] {
  const { createdOn, consumedOn, stake } = record;
  const asset = { assetId: output.assetId, isNft: isNft(output) };
  const locks = locksOf(record, output);
  if (createdOn !== consumedOn) {
    return [
      ...withLocks({ chain: createdOn, bucket: BUCKET_EXPORTED, peer: consumedOn, ...asset }, locks),
      ...withLocks({ chain: consumedOn, bucket: BUCKET_IMPORTABLE, peer: createdOn, ...asset }, locks),
    ];
  }
  const own = { chain: createdOn, peer: createdOn, ...asset };
  if (!stake?.isActive) return withLocks({ ...own, bucket: BUCKET_OWN }, locks);
  return withLocks({ ...own, bucket: isPending ? BUCKET_STAKED_PENDING : stakedBucket(stake.end, locks) }, { plain: 0n, stakeable: 0n });
}

/** Unix seconds of their ends; 0: none. */
interface Locks {
  readonly plain: bigint;
  readonly stakeable: bigint;
}

/** A lock that was over when the output was made never holds it. */
function locksOf({ timestamp }: UtxoRecord, { locktime, stakeableLocktime = 0n }: UtxoBody): Locks {
  const held = (end: bigint) => (end > timestamp ? end : 0n);
  return { plain: held(locktime), stakeable: held(stakeableLocktime) };
}

function stakedBucket(end: bigint, { plain, stakeable }: Locks): number {
  return plain > end || stakeable > end ? BUCKET_STAKED_LOCKED : BUCKET_STAKED;
}

type Unlocked = Omit<Place, "lock" | "scale" | "span" | "isDeducted">;

/** Behind both locks something is stakeable first: until then it is deducted from what the plain lock holds. */
function withLocks(place: Unlocked, { plain, stakeable }: Locks): Place[] {
  const all = { ...place, lock: NO_LOCK, scale: 0, span: 0n, isDeducted: false };
  if (plain === 0n && stakeable === 0n) return [all];
  const behind = (lock: number, end: bigint, isDeducted = false) =>
    end === 0n ? [] : spansOf(end).map((span) => ({ ...place, lock, ...span, isDeducted }));
  const held = plain > stakeable ? [...behind(PLAIN_LOCK, plain), ...behind(PLAIN_LOCK, stakeable, true)] : [];
  return [all, ...behind(STAKEABLE_LOCK, stakeable), ...held];
}
