/** Balances of an address on P, X and C as rows: one for each chain, asset and state; and their sums. */
import type { components } from "../../api/data-api.d.ts";
import type { PrimaryAlias } from "../../router.ts";
import type { AnyBalances } from "./primary.ts";

export interface Asset {
  readonly assetId: string;
  readonly name: string;
  readonly symbol: string;
  /** decimal places */
  readonly denomination: number;
  readonly type: "secp256k1" | "nft";
}

export interface BalanceRow extends Asset {
  readonly chain: PrimaryAlias;
  /** what can be done with it */
  readonly state: string;
  readonly isAtomic: boolean;
  /** some of it is locked until a time, which its UTXOs have */
  readonly isLocked: boolean;
  readonly amount: bigint;
  readonly utxoCount: number;
}

/** What the Data API's names of states mean. */
const STATES: Readonly<Record<string, { readonly state: string; readonly isLocked?: boolean }>> = {
  unlocked: { state: "unlocked" },
  locked: { state: "locked", isLocked: true },
  unlockedUnstaked: { state: "unlocked" },
  unlockedStaked: { state: "staked" },
  lockedPlatform: { state: "locked", isLocked: true },
  lockedStakeable: { state: "locked, but can be staked", isLocked: true },
  lockedStaked: { state: "staked, and locked afterwards", isLocked: true },
  pendingStaked: { state: "staked, not started yet" },
};

type Amount = components["schemas"]["AggregatedAssetAmount"] & { readonly sharedWithChainId?: string; readonly status?: string };

export interface ChainBalances {
  readonly chain: PrimaryAlias;
  readonly balances: AnyBalances;
}

/** @param nameOf the name of a chain by its blockchain ID */
export function balanceRows({ chain, balances }: ChainBalances, nameOf: (blockchainId: string) => string): BalanceRow[] {
  return Object.entries(balances as unknown as Record<string, readonly Amount[]>).flatMap(([bucket, amounts]) =>
    amounts.map(({ assetId, name, symbol, denomination, type, amount, utxoCount, sharedWithChainId, status }) => {
      const isAtomic = bucket.startsWith("atomicMemory");
      const other = sharedWithChainId === undefined ? "" : nameOf(sharedWithChainId);
      const { state, isLocked = false } = isAtomic
        ? { state: atomicState(other, status, bucket.endsWith("Locked")), isLocked: bucket.endsWith("Locked") }
        : (STATES[bucket] ?? { state: bucket });
      return { assetId, name, symbol, denomination, type, chain, state, isAtomic, isLocked, amount: BigInt(amount), utxoCount };
    }),
  );
}

/** Only the P-chain says in which direction an amount moves. */
function atomicState(other: string, status: string | undefined, isLocked: boolean): string {
  const lock = isLocked ? ", locked" : "";
  if (status === "pendingExport") return `exported to the ${other}, not imported there yet${lock}`;
  if (status === "pendingImport") return `exported by the ${other}, can be imported here${lock}`;
  return `between this chain and the ${other}, not imported yet${lock}`;
}

export interface AssetTotal extends Asset {
  readonly amount: bigint;
}

/**
 * All that the address has of each asset, AVAX first. An export that was not imported is in the answers of both chains; it counts once: where
 * it can be found first.
 * @param aliasOf the chain with a blockchain ID
 */
export function totals(answers: readonly ChainBalances[], aliasOf: (blockchainId: string) => PrimaryAlias | undefined): AssetTotal[] {
  const sums = new Map<string, AssetTotal>();
  const counted = new Set<string>();
  for (const { chain, balances } of answers) {
    for (const [bucket, amounts] of Object.entries(balances as unknown as Record<string, readonly Amount[]>)) {
      for (const { assetId, name, symbol, denomination, type, amount, sharedWithChainId } of amounts) {
        const other = sharedWithChainId === undefined ? undefined : aliasOf(sharedWithChainId);
        if (bucket.startsWith("atomicMemory") && other !== undefined && counted.has(other)) continue;
        const key = `${assetId} ${type}`;
        const before = sums.get(key)?.amount ?? 0n;
        sums.set(key, { assetId, name, symbol, denomination, type, amount: before + BigInt(amount) });
      }
    }
    counted.add(chain);
  }
  return [...sums.values()].sort((a, b) => Number(b.symbol === "AVAX") - Number(a.symbol === "AVAX"));
}

/** What the address has of one asset on the chain itself, without what is between chains. */
export function ownAmount(balances: AnyBalances, assetId: string): bigint {
  let sum = 0n;
  for (const [bucket, amounts] of Object.entries(balances as unknown as Record<string, readonly Amount[]>)) {
    if (bucket.startsWith("atomicMemory")) continue;
    for (const { amount, assetId: asset, type } of amounts) if (asset === assetId && type === "secp256k1") sum += BigInt(amount);
  }
  return sum;
}
