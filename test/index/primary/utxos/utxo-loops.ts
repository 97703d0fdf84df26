/** The expected answers of the index, from simple loops over all UTXOs. */
import { NO_LOCK, PLAIN_LOCK, STAKEABLE_LOCK } from "../../../../src/index/primary/balances/balance-locks.ts";
import type { Balance } from "../../../../src/index/primary/balances/balance-reader.ts";
import {
  BUCKET_EXPORTED,
  BUCKET_IMPORTABLE,
  BUCKET_OWN,
  BUCKET_STAKED,
  BUCKET_STAKED_LOCKED,
  BUCKET_STAKED_PENDING,
} from "../../../../src/index/primary/balances/balance-tables.ts";
import { type PrimaryChain, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import type { Owners } from "../../../../src/index/primary/utxos/owner-group-reader.ts";
import type { UtxoPageQuery } from "../../../../src/index/primary/utxos/utxo-reader.ts";
import type { LivingUtxo } from "./utxo-world.ts";

export type Query = Omit<UtxoPageQuery, "after">;

export function isSeen({ owner, createdOn, consumedOn }: LivingUtxo, chain: number, asked: Owners): boolean {
  if (createdOn !== chain && consumedOn !== chain) return false;
  if (asked === undefined) return true;
  const found = owner.addresses.filter((address) => asked.includes(address)).length;
  return found > 0 && found >= owner.threshold;
}

export function expectedList(
  utxos: readonly LivingUtxo[],
  { chain, owners, assetId, minAmount, includeSpent, sortBy, isDescending }: Query,
) {
  const direction = isDescending ? -1 : 1;
  const rank = (utxo: LivingUtxo) => (sortBy === "amount" ? utxo.amount : utxo.created!);
  return utxos
    .filter(({ created }) => created !== undefined)
    .filter((utxo) => isSeen(utxo, chain, owners) && utxo.amount >= minAmount)
    .filter((utxo) => includeSpent || utxo.spent === undefined)
    .filter((utxo) => chain !== X_CHAIN || assetId === undefined || utxo.assetId === assetId)
    .sort((a, b) => direction * (rank(a) === rank(b) ? (a.utxoId < b.utxoId ? -1 : 1) : rank(a) < rank(b) ? -1 : 1))
    .map(({ utxoId }) => utxoId);
}

/** Where a UTXO counts at a time, or now; undefined: nowhere. */
function placeOf(utxo: LivingUtxo, chain: PrimaryChain, at: bigint | undefined, clock: bigint): number[] | undefined {
  const { created, spent, createdOn, consumedOn, locktime, stakeableLocktime = 0n, stake } = utxo;
  if (created === undefined || utxo.amount === 0n) return undefined;
  if (at === undefined ? spent !== undefined : created >= at || (spent !== undefined && spent <= at)) return undefined;
  const time = at ?? clock;
  if (createdOn !== consumedOn) {
    const peer = createdOn === chain ? consumedOn : createdOn;
    return [createdOn === chain ? BUCKET_EXPORTED : BUCKET_IMPORTABLE, peer, locktime > time ? PLAIN_LOCK : NO_LOCK];
  }
  const staked = stake?.states.findLast((state) => at === undefined || state.time <= at);
  if (staked?.state === "pending") return [BUCKET_STAKED_PENDING, chain, NO_LOCK];
  if (staked?.state === "active") {
    const isLocked = locktime > staked.end || stakeableLocktime > staked.end;
    return [isLocked ? BUCKET_STAKED_LOCKED : BUCKET_STAKED, chain, NO_LOCK];
  }
  return [BUCKET_OWN, chain, stakeableLocktime > time ? STAKEABLE_LOCK : locktime > time ? PLAIN_LOCK : NO_LOCK];
}

export function expectedBalances(utxos: readonly LivingUtxo[], chain: PrimaryChain, owners: Owners, at: bigint | undefined, clock: bigint) {
  const sums = new Map<string, [bigint, number]>();
  for (const utxo of utxos.filter((utxo) => isSeen(utxo, chain, owners))) {
    const place = placeOf(utxo, chain, at, clock);
    if (place === undefined) continue;
    const name = [...place, utxo.assetId, utxo.isNft].join();
    const [amount, count] = sums.get(name) ?? [0n, 0];
    sums.set(name, [amount + utxo.amount, count + 1]);
  }
  return Object.fromEntries(sums);
}

export function byPlace(balances: readonly Balance[]) {
  return Object.fromEntries(
    balances.map(({ bucket, peer, lock, assetId, isNft, amount, count }) => [[bucket, peer, lock, assetId, isNft].join(), [amount, count]]),
  );
}
