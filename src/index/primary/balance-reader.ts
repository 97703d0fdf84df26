/**
 * Balances of owner groups, now or at any past time: sums of sums. Of now it costs O(sums that are not 0), mostly one per asset and bucket; of
 * the past O(sums that there ever were), one row each.
 */
import type { Id } from "../../primitives/id.ts";
import type { StoreReader } from "../../store/store.ts";
import { BUCKET_EXPORTED, BUCKET_IMPORTABLE, balanceHeads, balanceHistory, balanceSums, type SumKey } from "./balance-tables.ts";
import { type Owners, spendableGroups } from "./owner-group-reader.ts";

/** What of an asset lies in one bucket of one group, all streams together. */
export interface Balance {
  readonly bucket: number;
  /** the other chain of atomic buckets */
  readonly peer: number;
  readonly assetId: Id;
  readonly isNft: boolean;
  /** a plain lock that runs beyond the time that was asked for; one of a stake says so in its bucket */
  readonly isLocked: boolean;
  readonly isStakeableLocked: boolean;
  readonly amount: bigint;
  readonly count: number;
}

/**
 * Sums with an amount, those of all groups together.
 * @param at Unix seconds: what counted then; undefined: everything that is unspent
 * @param clock Unix seconds: locks are held against it, where `at` is undefined
 */
export async function readBalances(
  reader: StoreReader,
  chain: number,
  owners: Owners,
  { at, clock }: { at: bigint | undefined; clock: bigint },
): Promise<Balance[]> {
  const groups = await spendableGroups(reader, chain, owners);
  const sums = await Promise.all(
    groups.map((groupId) => (at === undefined ? currentSums(reader, { chain, groupId }) : sumsAt(reader, { chain, groupId }, at))),
  );
  return addUp(sums.flat(), at ?? clock);
}

interface Sum {
  readonly key: SumKey;
  readonly amount: bigint;
  readonly count: number;
}

type Group = Pick<SumKey, "chain" | "groupId">;

async function currentSums(reader: StoreReader, group: Group): Promise<Sum[]> {
  const heads = await reader.scan(balanceHeads, { prefix: group, limit: Number.MAX_SAFE_INTEGER });
  return heads.map(({ key, value }) =>
    value.pending.reduce<Sum>((sum, { amount, count }) => ({ key, amount: sum.amount + amount, count: sum.count + count }), {
      key,
      amount: value.amount,
      count: value.count,
    }),
  );
}

/** The newest change of each sum that counted by then: in its head, or in its history. */
async function sumsAt(reader: StoreReader, group: Group, at: bigint): Promise<Sum[]> {
  const all = await reader.scan(balanceSums, { prefix: group, limit: Number.MAX_SAFE_INTEGER });
  const keys = all.map(({ key }) => key);
  const heads = await reader.getMany<typeof balanceHeads>(balanceHeads, keys);
  return Promise.all(
    keys.map(async (key, i) => {
      const head = heads[i];
      if (head === undefined || head.time > at) return historicSum(reader, key, at);
      const due = head.pending.filter(({ time }) => time <= at);
      const amount = due.reduce((sum, delta) => sum + delta.amount, head.amount);
      return { key, amount, count: due.reduce((sum, delta) => sum + delta.count, head.count) };
    }),
  );
}

async function historicSum(reader: StoreReader, key: SumKey, at: bigint): Promise<Sum> {
  const [newest] = await reader.scan(balanceHistory, { prefix: key, from: { time: at }, reverse: true, limit: 1 });
  return { key, amount: newest?.value.amount ?? 0n, count: newest?.value.count ?? 0 };
}

/** Locks are told apart by whether they still hold; only what is not staked has any. */
function addUp(sums: readonly Sum[], time: bigint): Balance[] {
  const balances = new Map<string, Balance>();
  for (const { key, amount, count } of sums) {
    const { bucket, peer, assetId, isNft } = key;
    const isLocked = key.locktime > time;
    const isStakeableLocked = key.stakeableLocktime > time;
    const name = [bucket, peer, assetId, isNft, isLocked, isStakeableLocked].join();
    const known = balances.get(name);
    balances.set(name, {
      ...{ bucket, peer, assetId, isNft, isLocked, isStakeableLocked },
      amount: amount + (known?.amount ?? 0n),
      count: count + (known?.count ?? 0),
    });
  }
  return [...balances.values()].filter(({ amount }) => amount > 0n);
}

export function isAtomic({ bucket }: Balance): boolean {
  return bucket === BUCKET_EXPORTED || bucket === BUCKET_IMPORTABLE;
}
