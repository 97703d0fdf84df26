/**
 * Reads balances of owner groups, now or at any past time, by adding up running sums. A current balance costs O(sums that are not 0),
 * mostly one per asset and bucket. A past balance costs one row for each sum that ever existed. Locks add at most 63 sums per asset, bucket
 * and scale of time (`balance-locks.ts`), however many locks there are.
 */
import type { Id } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { type StoreReader, sideBySide } from "../../../store/store.ts";
import { type Owners, spendableGroups } from "../utxos/owner-group-reader.ts";
import { NO_LOCK, PLAIN_LOCK, STAKEABLE_LOCK, spansAfter } from "./balance-locks.ts";
import { NO_POINTS, type Point, pointAt } from "./balance-points.ts";
import { BUCKET_EXPORTED, BUCKET_IMPORTABLE, balanceHeads, balanceHistory, endedSums, type SumKey } from "./balance-tables.ts";

/** The amount of an asset in one bucket of one group, over all streams. */
export interface Balance {
  readonly bucket: number;
  /** the other chain, for atomic buckets */
  readonly peer: number;
  readonly assetId: Id;
  readonly isNft: boolean;
  /** the lock that applies at the requested time; what is staked has its own buckets instead */
  readonly lock: typeof NO_LOCK | typeof STAKEABLE_LOCK | typeof PLAIN_LOCK;
  readonly amount: bigint;
  readonly count: number;
}

/**
 * Returns the sums that are not 0, added up over all groups.
 * @param at Unix seconds: the balance at that time; undefined: everything that is unspent
 * @param clock Unix seconds: decides which locks have ended if `at` is undefined
 */
export async function readBalances(
  reader: StoreReader,
  chain: number,
  owners: Owners,
  { at, clock }: { at: bigint | undefined; clock: bigint },
): Promise<Balance[]> {
  const groups = await spendableGroups(reader, chain, owners);
  const read = (groupId: string) =>
    at === undefined ? currentSums(reader, { chain, groupId }, clock) : sumsAt(reader, { chain, groupId }, at);
  const sums: Sum[] = [];
  for await (const ofGroup of sideBySide(groups, read)) for (const sum of ofGroup) sums.push(sum);
  return addUp(sums);
}

interface Sum {
  readonly key: SumKey;
  readonly amount: bigint;
  readonly count: number;
}

type Group = Pick<SumKey, "chain" | "groupId">;

async function currentSums(reader: StoreReader, group: Group, clock: bigint): Promise<Sum[]> {
  const heads = await sumRows(reader, balanceHeads, group, clock);
  return heads.map(({ key, value }) =>
    value.pending.reduce<Sum>((sum, { amount, count }) => ({ key, amount: sum.amount + amount, count: sum.count + count }), {
      key,
      amount: value.amount,
      count: value.count,
    }),
  );
}

/** Nearly every group has fewer sums than this. */
const FEW = 32;

/** Reads a group's totals, and its sums of locks that end after `time`. */
async function sumRows<T extends typeof balanceHeads | typeof endedSums>(reader: StoreReader, table: T, group: Group, time: bigint) {
  const scan = (range: object, limit = Number.MAX_SAFE_INTEGER) => reader.scan<T>(table, { ...range, limit } as never);
  const few = await scan({ prefix: group }, FEW);
  if (few.length < FEW) return few.filter(({ key }) => isHeld(key, time));
  const kinds = [STAKEABLE_LOCK, PLAIN_LOCK].flatMap((lock) => spansAfter(time).map((range) => ({ lock, ...range })));
  const held = await Promise.all([
    scan({ prefix: { ...group, lock: NO_LOCK } }),
    ...kinds.map(({ lock, scale, first, end }) => scan({ prefix: { ...group, lock, scale }, from: { span: first }, until: { span: end } })),
  ]);
  return held.flat();
}

function isHeld({ lock, scale, span }: SumKey, time: bigint): boolean {
  return lock === NO_LOCK || spansAfter(time).some((range) => range.scale === scale && range.first <= span && span < range.end);
}

/** The state of each sum at that time, from its head or its history. */
async function sumsAt(reader: StoreReader, group: Group, at: bigint): Promise<Sum[]> {
  const [current, past] = await Promise.all([sumRows(reader, balanceHeads, group, at), sumRows(reader, endedSums, group, at)]);
  const heads = new Map(current.map((row) => [nameOf(row.key), row]));
  const ended = past.filter(({ key }) => !heads.has(nameOf(key)));
  const sums: { key: SumKey; value?: TableValue<typeof balanceHeads> }[] = [...heads.values(), ...ended.map(({ key }) => ({ key }))];
  return Promise.all(
    sums.map(async ({ key, value: head }) => {
      if (head === undefined || head.time > at) return historicSum(reader, key, { at, newest: head?.history ?? NO_POINTS });
      const due = head.pending.filter(({ time }) => time <= at);
      const amount = due.reduce((sum, delta) => sum + delta.amount, head.amount);
      return { key, amount, count: due.reduce((sum, delta) => sum + delta.count, head.count) };
    }),
  );
}

/** Within a group. */
function nameOf({ lock, scale, span, bucket, peer, assetId, isNft, stream }: SumKey): string {
  return `${lock} ${scale} ${span} ${bucket} ${peer} ${assetId} ${isNft} ${stream}`;
}

async function historicSum(reader: StoreReader, key: SumKey, { at, newest }: { at: bigint; newest: Uint8Array }): Promise<Sum> {
  const point = pointAt(newest, at) ?? (await olderPoint(reader, key, at));
  return { key, amount: point?.amount ?? 0n, count: point?.count ?? 0 };
}

async function olderPoint(reader: StoreReader, key: SumKey, at: bigint): Promise<Point | undefined> {
  const [row] = await reader.scan(balanceHistory, { prefix: key, from: { time: at }, reverse: true, limit: 1 });
  return row && pointAt(row.value.points, at);
}

/** Adds up by lock, and subtracts locked amounts from the unlocked balance. */
function addUp(sums: readonly Sum[]): Balance[] {
  const balances = new Map<string, Balance>();
  const add = ({ key, amount, count }: Sum, lock: number, sign: 1 | -1) => {
    const { bucket, peer, assetId, isNft } = key;
    const name = [bucket, peer, assetId, isNft, lock].join();
    const known = balances.get(name);
    balances.set(name, {
      ...{ bucket, peer, assetId, isNft, lock: lock as Balance["lock"] },
      amount: BigInt(sign) * amount + (known?.amount ?? 0n),
      count: sign * count + (known?.count ?? 0),
    });
  };
  for (const sum of sums) {
    add(sum, sum.key.lock, 1);
    if (sum.key.lock !== NO_LOCK) add(sum, NO_LOCK, -1);
  }
  return [...balances.values()].filter(({ amount }) => amount > 0n);
}

export function isAtomic({ bucket }: Balance): boolean {
  return bucket === BUCKET_EXPORTED || bucket === BUCKET_IMPORTABLE;
}
