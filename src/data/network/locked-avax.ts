import { BUCKET_OWN, BUCKET_STAKED_LOCKED, balanceHeads } from "../../index/primary/balance-tables.ts";
import { WHOLE_CHAIN } from "../../index/primary/owner-group.ts";
import { P_CHAIN } from "../../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { StoreReader } from "../../store/store.ts";
import { scanAll } from "../../store/store.ts";

/**
 * AVAX on the P-chain behind a lock that is not over at `time`, Unix seconds, staked or not. Costs a row for each time at which a lock of
 * an output ends or ended.
 */
export async function lockedAvax(reader: StoreReader, { avaxAssetId }: NetworkInstance, time: bigint): Promise<bigint> {
  const whole = { chain: P_CHAIN, groupId: WHOLE_CHAIN };
  let locked = 0n;
  for (const bucket of [BUCKET_OWN, BUCKET_STAKED_LOCKED]) {
    const prefix = { ...whole, bucket, peer: P_CHAIN, assetId: avaxAssetId, isNft: false };
    for await (const { key, value } of scanAll(reader, balanceHeads, prefix)) {
      if (bucket === BUCKET_OWN && key.locktime <= time && key.stakeableLocktime <= time) continue;
      // changes of the last block count from the next second on
      locked += value.pending.reduce((sum, { amount }) => sum + amount, value.amount);
    }
  }
  return locked;
}
