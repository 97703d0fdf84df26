/** Where a UTXO counts in balances (data-api 8.4): on which chain, in which bucket, behind which locks. */
import type { TableKey } from "../../primitives/table.ts";
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
export type Place = Omit<TableKey<typeof balanceHeads>, "groupId" | "stream">;

/** The places of a UTXO that is not spent. `isPending`: the period of its active stake has not begun. */
export function placesOf(record: UtxoRecord, output: UtxoBody, isPending: boolean): Place[] {
  const { createdOn, consumedOn } = record;
  const asset = { assetId: output.assetId, isNft: isNft(output) };
  const locks = locksOf(record, output);
  if (createdOn !== consumedOn) {
    return [
      { chain: createdOn, bucket: BUCKET_EXPORTED, peer: consumedOn, ...asset, ...locks },
      { chain: consumedOn, bucket: BUCKET_IMPORTABLE, peer: createdOn, ...asset, ...locks },
    ];
  }
  const own = { chain: createdOn, peer: createdOn, ...asset };
  if (!record.stake?.isActive) return [{ ...own, bucket: BUCKET_OWN, ...locks }];
  return [
    { ...own, bucket: isPending ? BUCKET_STAKED_PENDING : stakedBucket(record.stake.end, locks), locktime: 0n, stakeableLocktime: 0n },
  ];
}

interface Locks {
  readonly locktime: bigint;
  readonly stakeableLocktime: bigint;
}

/** A lock that was over when the output was made never holds it: most locks are 0, or as good as that. */
function locksOf({ timestamp }: UtxoRecord, { locktime, stakeableLocktime = 0n }: UtxoBody): Locks {
  const held = (lock: bigint) => (lock > timestamp ? lock : 0n);
  return { locktime: held(locktime), stakeableLocktime: held(stakeableLocktime) };
}

function stakedBucket(end: bigint, { locktime, stakeableLocktime }: Locks): number {
  return locktime > end || stakeableLocktime > end ? BUCKET_STAKED_LOCKED : BUCKET_STAKED;
}
