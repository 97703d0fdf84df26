import { NO_LOCK } from "../../../index/primary/balances/balance-locks.ts";
import { readBalances } from "../../../index/primary/balances/balance-reader.ts";
import { BUCKET_OWN, BUCKET_STAKED_LOCKED } from "../../../index/primary/balances/balance-tables.ts";
import { P_CHAIN } from "../../../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { StoreReader } from "../../../store/store.ts";

/**
 * AVAX on the P-chain behind a lock that ends after `time`, Unix seconds, staked or not: `lockedPlatform`, `lockedStakeable` and
 * `lockedStaked` of the whole chain's balances. Costs as much as reading those.
 */
export async function lockedAvax(reader: StoreReader, { avaxAssetId }: NetworkInstance, time: bigint): Promise<bigint> {
  const balances = await readBalances(reader, P_CHAIN, undefined, { at: undefined, clock: time });
  const locked = balances.filter(
    ({ bucket, assetId, lock }) =>
      assetId === avaxAssetId && (bucket === BUCKET_STAKED_LOCKED || (bucket === BUCKET_OWN && lock !== NO_LOCK)),
  );
  return locked.reduce((sum, { amount }) => sum + amount, 0n);
}
