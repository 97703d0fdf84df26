/** UTXOs, balances and activity of addresses, recomputed (reference 5.9, 5.11, 6.6, 8.1–8.4, 8.7). */

import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import type { Id, ShortId } from "../../../../src/base/bytes/id.ts";
import type { Chain, History, Staker, Utxo } from "./history.ts";
import { assetAmount, CHAIN_NAMES, chainIdOf, isNft, utxoJson } from "./json.ts";

export interface UtxoQuery {
  readonly chain: Chain;
  readonly addresses?: readonly ShortId[] | undefined;
  readonly assetId?: Id | undefined;
  readonly minUtxoAmount?: bigint | undefined;
  readonly includeSpent?: boolean | undefined;
  readonly sortBy?: "timestamp" | "amount" | undefined;
  readonly sortOrder?: "asc" | "desc" | undefined;
}

const knownUtxos = new WeakMap<History, Record<Chain, Utxo[]>>();

/** An exported output is on both chains. A history that is asked does not change any more. */
function utxosOn(history: History, chain: Chain): Utxo[] {
  const isOn = (one: Chain) => history.utxos.filter(({ createdOn, consumedOn }) => createdOn === one || consumedOn === one);
  const known = knownUtxos.get(history) ?? { P: isOn("P"), X: isOn("X"), C: isOn("C") };
  knownUtxos.set(history, known);
  return known[chain];
}

/** As many of its owners are asked for as can spend it. */
function isOwned({ addresses, threshold }: Utxo, asked: readonly ShortId[] | undefined): boolean {
  if (asked === undefined) return true;
  const count = addresses.filter((address) => asked.includes(address)).length;
  return count >= 1 && count >= threshold;
}

export function compareBy<T>(...keys: ((item: T) => bigint | number | string)[]) {
  return (a: T, b: T): number => {
    for (const key of keys) {
      if (key(a) < key(b)) return -1;
      if (key(a) > key(b)) return 1;
    }
    return 0;
  };
}

/** Newest or largest first unless asked otherwise. */
export function ordered<T>(items: readonly T[], ascending: (a: T, b: T) => number, sortOrder: "asc" | "desc" = "desc"): T[] {
  const sorted = [...items].sort(ascending);
  return sortOrder === "asc" ? sorted : sorted.reverse();
}

export function listUtxos(history: History, query: UtxoQuery) {
  const { chain, addresses, assetId, minUtxoAmount = 0n, includeSpent = false, sortBy = "timestamp", sortOrder } = query;
  const found = utxosOn(history, chain).filter((utxo) => {
    if (!isOwned(utxo, addresses)) return false;
    if (!includeSpent && utxo.spent !== undefined) return false;
    if (assetId !== undefined && utxo.assetId !== assetId) return false;
    return utxo.amount >= minUtxoAmount;
  });
  const key = sortBy === "amount" ? ({ amount }: Utxo) => amount : ({ time }: Utxo) => time;
  return ordered(
    found,
    compareBy(key, ({ utxoId }) => utxoId),
    sortOrder,
  ).map((utxo) => utxoJson(history, utxo, chain));
}

const BUCKETS = {
  P: [
    ...["unlockedUnstaked", "unlockedStaked", "lockedPlatform", "lockedStakeable", "lockedStaked", "pendingStaked"],
    ...["atomicMemoryUnlocked", "atomicMemoryLocked"],
  ],
  X: ["locked", "unlocked", "atomicMemoryUnlocked", "atomicMemoryLocked"],
  C: ["atomicMemoryUnlocked", "atomicMemoryLocked"],
} as const;

export interface BalanceQuery {
  readonly chain: Chain;
  readonly addresses?: readonly ShortId[] | undefined;
  /** 0 or absent: now */
  readonly blockTimestamp?: bigint | undefined;
}

interface Entry {
  readonly bucket: string;
  readonly asset: Utxo;
  readonly other: Chain | undefined;
  readonly status: string | undefined;
  amount: bigint;
  utxoCount: number;
}

export function balances(history: History, { chain, addresses, blockTimestamp = 0n }: BalanceQuery, clock: bigint) {
  const isNow = blockTimestamp === 0n;
  const time = isNow ? clock : blockTimestamp;
  const entries = new Map<string, Entry>();
  for (const utxo of utxosOn(history, chain)) {
    if (!isOwned(utxo, addresses) || utxo.amount === 0n) continue;
    if (isNow ? utxo.spent : utxo.time >= time || (utxo.spent && utxo.spent.tx.time <= time)) continue;
    const isShared = utxo.createdOn !== utxo.consumedOn;
    const other = !isShared ? undefined : utxo.createdOn === chain ? utxo.consumedOn : utxo.createdOn;
    const status = !isShared || chain !== "P" ? undefined : utxo.createdOn === "P" ? "pendingExport" : "pendingImport";
    const bucket = bucketOf(utxo, chain, time, isNow);
    const key = [bucket, utxo.assetId, isNft(utxo), other, status].join();
    const entry = entries.get(key) ?? { bucket, asset: utxo, other, status, amount: 0n, utxoCount: 0 };
    entries.set(key, { ...entry, amount: entry.amount + utxo.amount, utxoCount: entry.utxoCount + 1 });
  }
  const ofBucket = (bucket: string) =>
    [...entries.values()].filter((entry) => entry.bucket === bucket).map((entry) => entryJson(history, entry));
  return Object.fromEntries(BUCKETS[chain].map((bucket) => [bucket, ofBucket(bucket)]));
}

function entryJson(history: History, { asset, amount, utxoCount, other, status }: Entry) {
  return {
    ...assetAmount(history, asset.assetId, amount, { nft: isNft(asset) }),
    utxoCount,
    ...(other && { sharedWithChainId: chainIdOf(history, other) }),
    ...(status && { status }),
  };
}

function bucketOf(utxo: Utxo, chain: Chain, time: bigint, isNow: boolean): string {
  const isLocked = utxo.locktime > time;
  if (utxo.createdOn !== utxo.consumedOn) return isLocked ? "atomicMemoryLocked" : "atomicMemoryUnlocked";
  if (chain === "X") return isLocked ? "locked" : "unlocked";
  const state = utxo.staker && stateAt(utxo.staker, time, isNow);
  if (state === "pending") return "pendingStaked";
  const { stakeableLocktime = 0n, locktime } = utxo;
  if (state === "active") {
    const { end } = utxo.staker!;
    return stakeableLocktime > end || locktime > end ? "lockedStaked" : "unlockedStaked";
  }
  if (stakeableLocktime > time) return "lockedStakeable";
  return isLocked ? "lockedPlatform" : "unlockedUnstaked";
}

/** As the chain had it, not as the clock would have it. */
function stateAt({ status, activeFrom, leftAt }: Staker, time: bigint, isNow: boolean): "pending" | "active" | undefined {
  if (isNow) return status === "pending" || status === "active" ? status : undefined;
  if (leftAt !== undefined && leftAt <= time) return undefined;
  return activeFrom !== undefined && activeFrom <= time ? "active" : "pending";
}

export interface ActivityQuery {
  readonly chain: Chain;
  readonly addresses?: readonly ShortId[] | undefined;
  readonly minUtxoAmount?: bigint | undefined;
}

/** Newest creations and consumptions of outputs that name one of the addresses: several when they are of one time. */
export function lastActivities(history: History, { chain, addresses, minUtxoAmount = 0n }: ActivityQuery) {
  const named = utxosOn(history, chain).filter(
    (utxo) => utxo.amount >= minUtxoAmount && (addresses === undefined || utxo.addresses.some((address) => addresses.includes(address))),
  );
  const moments = named.flatMap(({ utxoId, txId, time, height, spent }) => [
    { time, height, txId, utxoId, isConsumed: false },
    ...(spent ? [{ time: spent.tx.time, height: spent.tx.height, txId: spent.tx.txId, utxoId, isConsumed: true }] : []),
  ]);
  const newest = moments
    .map(({ time }) => time)
    .sort((a, b) => (a < b ? -1 : 1))
    .at(-1);
  return moments
    .filter(({ time }) => time === newest)
    .map(({ time, height, txId, utxoId, isConsumed }) => ({
      timestamp: Number(time),
      blockNumber: `${height}`,
      ...{ txHash: formatId(txId), utxoId: formatId(utxoId), isConsumed, chainName: CHAIN_NAMES[chain], network: "fuji" },
    }));
}

const PUBLIC_CHAIN_IDS = {
  P: "11111111111111111111111111111111LpoYY",
  X: "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm",
  C: "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
};

/** Chains on which an address had an output, both ends of what went from one to another included. */
export function listChainIds(history: History, addresses: readonly ShortId[]) {
  const found = addresses.map((address) => {
    const chains = new Set<Chain>();
    for (const utxo of history.utxos) if (utxo.addresses.includes(address)) chains.add(utxo.createdOn).add(utxo.consumedOn);
    for (const { type, produced, consumed } of history.txs) {
      if (type !== "ImportTx" || !produced.some((utxo) => utxo.addresses.includes(address))) continue;
      for (const { createdOn } of consumed) chains.add(createdOn);
    }
    const blockchainIds = (["P", "X", "C"] as const).filter((chain) => chains.has(chain)).map((chain) => PUBLIC_CHAIN_IDS[chain]);
    return { address: encodeBech32(history.network.hrp, address), blockchainIds };
  });
  return found.filter(({ blockchainIds }) => blockchainIds.length > 0);
}
