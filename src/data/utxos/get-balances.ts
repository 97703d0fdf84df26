import Type, { type Static } from "typebox";
import { NO_LOCK, PLAIN_LOCK, STAKEABLE_LOCK } from "../../index/primary/balance-locks.ts";
import { type Balance, isAtomic, readBalances } from "../../index/primary/balance-reader.ts";
import { BUCKET_EXPORTED, BUCKET_STAKED, BUCKET_STAKED_LOCKED, BUCKET_STAKED_PENDING } from "../../index/primary/balance-tables.ts";
import { C_CHAIN, chainIdOf, P_CHAIN, type PrimaryChain, X_CHAIN } from "../../index/primary/primary-chain.ts";
import { formatId } from "../../primitives/cb58.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import { chainInfo, chainInfoSchema } from "../chain-info.ts";
import type { DataContext } from "../context.ts";
import { csv, unixSeconds } from "../paging.ts";
import { dataRoute } from "../route.ts";
import {
  type AssetSum,
  aggregatedAmountSchema,
  describeAssets,
  platformSharedAmountSchema,
  presentAmount,
  sharedAmountSchema,
} from "./asset-amount.ts";

const amounts = Type.Array(aggregatedAmountSchema);

const platformBalances = Type.Object({
  unlockedUnstaked: amounts,
  unlockedStaked: amounts,
  lockedPlatform: amounts,
  lockedStakeable: amounts,
  lockedStaked: amounts,
  pendingStaked: amounts,
  atomicMemoryUnlocked: Type.Array(platformSharedAmountSchema),
  atomicMemoryLocked: Type.Array(platformSharedAmountSchema),
});

const atomicBuckets = { atomicMemoryUnlocked: Type.Array(sharedAmountSchema), atomicMemoryLocked: Type.Array(sharedAmountSchema) };
const assetBalances = Type.Object({ locked: amounts, unlocked: amounts, ...atomicBuckets });
const evmBalances = Type.Object(atomicBuckets);

const response = Type.Union([
  Type.Object({ balances: platformBalances, chainInfo: chainInfoSchema }),
  Type.Object({ balances: assetBalances, chainInfo: chainInfoSchema }),
  Type.Object({ balances: evmBalances, chainInfo: chainInfoSchema }),
]);

/** Balances, now or then. Costs a row per asset and bucket of each owner group, whatever the number of UTXOs. */
export const getBalancesByAddresses = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/balances",
  operationId: "getBalancesByAddresses",
  tag: "Primary network: balances",
  summary: "What addresses own on a chain, by asset and by what can be done with it, now or at any time in the past.",
  description:
    "The C-chain's balances are those in atomic memory only. What was exported and not imported yet is in the atomic buckets of both chains; " +
    "on the P-chain its `status` says which way it goes. What is staked follows the chain's state; locks are held against `blockTimestamp`, " +
    "or against now. At a time in the past, UTXOs count that were made before that second and not consumed by it. A UTXO of several owners " +
    "counts if as many of them are asked for as it takes to spend it. Without addresses: the whole chain.",
  cost: "O(owner groups of the addresses × their assets and buckets) rows, locks as spans of time: at most 63 on each of 6 scales; with blockTimestamp one row for each that there ever was",
  computeUnits: 100,
  chains: [P_CHAIN, X_CHAIN, C_CHAIN],
  query: Type.Object({
    addresses: Type.Optional(csv(`Owners, at most ${MAX_ADDRESSES_GET}.`)),
    blockTimestamp: Type.Optional(unixSeconds("Balances at this time; 0 or absent: now.")),
  }),
  response,
  async handle({ query: { addresses, blockTimestamp = 0 } }, context) {
    const owners = addresses === undefined ? undefined : parseAddresses(addresses, context, { max: MAX_ADDRESSES_GET });
    const at = blockTimestamp === 0 ? undefined : BigInt(blockTimestamp);
    const balances = await readBalances(context.reader, context.chain, owners, { at, clock: at ?? context.clock });
    return { balances: await presentBalances(balances, context), chainInfo: chainInfo(context) };
  },
});

type Balances = Static<typeof platformBalances> | Static<typeof assetBalances> | Static<typeof evmBalances>;

async function presentBalances(balances: readonly Balance[], context: DataContext): Promise<Balances> {
  const { chain } = context;
  const described = await describeAssets(
    balances.map(({ assetId }) => assetId),
    context,
  );
  const entries = entriesOf(balances, context);
  const of = (bucket: string) =>
    entries
      .filter((entry) => entry.bucket === bucket)
      .map(({ sum, utxoCount, sharing }) => ({ ...presentAmount(sum, described), utxoCount, ...sharing }));
  const buckets = Object.fromEntries(BUCKET_NAMES[chain].map((bucket) => [bucket, of(bucket)]));
  return buckets as unknown as Balances;
}

const ATOMIC = ["atomicMemoryUnlocked", "atomicMemoryLocked"];
const PLATFORM = ["unlockedUnstaked", "unlockedStaked", "lockedPlatform", "lockedStakeable", "lockedStaked", "pendingStaked"];
const BUCKET_NAMES = { [P_CHAIN]: [...PLATFORM, ...ATOMIC], [X_CHAIN]: ["locked", "unlocked", ...ATOMIC], [C_CHAIN]: ATOMIC };

interface Entry {
  readonly bucket: string;
  readonly sum: AssetSum;
  readonly utxoCount: number;
  readonly sharing: { readonly sharedWithChainId?: string; readonly status?: string };
}

/** One per bucket, asset and, in atomic memory, other chain; the P-chain's also by direction. */
function entriesOf(balances: readonly Balance[], { chain, network }: DataContext): Entry[] {
  const entries = new Map<string, Entry>();
  for (const balance of balances) {
    const { assetId, isNft, amount, count } = balance;
    const bucket = bucketName(balance, chain);
    const sharing = isAtomic(balance) ? sharingOf(balance, chain, network) : {};
    const name = [bucket, assetId, isNft, ...Object.values(sharing)].join();
    const { sum, utxoCount } = entries.get(name) ?? { sum: { amount: 0n }, utxoCount: 0 };
    entries.set(name, { bucket, sum: { assetId, isNft, amount: sum.amount + amount }, utxoCount: utxoCount + count, sharing });
  }
  return [...entries.values()];
}

function sharingOf({ bucket, peer }: Balance, chain: PrimaryChain, network: DataContext["network"]): Entry["sharing"] {
  const sharedWithChainId = formatId(chainIdOf(peer as PrimaryChain, network));
  if (chain !== P_CHAIN) return { sharedWithChainId };
  return { sharedWithChainId, status: bucket === BUCKET_EXPORTED ? "pendingExport" : "pendingImport" };
}

function bucketName(balance: Balance, chain: PrimaryChain): string {
  const { bucket, lock } = balance;
  if (isAtomic(balance)) return lock === NO_LOCK ? "atomicMemoryUnlocked" : "atomicMemoryLocked";
  if (chain !== P_CHAIN) return lock === NO_LOCK ? "unlocked" : "locked";
  if (bucket === BUCKET_STAKED) return "unlockedStaked";
  if (bucket === BUCKET_STAKED_LOCKED) return "lockedStaked";
  if (bucket === BUCKET_STAKED_PENDING) return "pendingStaked";
  if (lock === STAKEABLE_LOCK) return "lockedStakeable";
  return lock === PLAIN_LOCK ? "lockedPlatform" : "unlockedUnstaked";
}
