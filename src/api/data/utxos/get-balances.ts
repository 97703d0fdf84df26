import Type, { type Static } from "typebox";
import { formatId } from "../../../base/bytes/cb58.ts";
import { NO_LOCK, PLAIN_LOCK, STAKEABLE_LOCK } from "../../../index/primary/balances/balance-locks.ts";
import { type Balance, isAtomic, readBalances } from "../../../index/primary/balances/balance-reader.ts";
import {
  BUCKET_EXPORTED,
  BUCKET_STAKED,
  BUCKET_STAKED_LOCKED,
  BUCKET_STAKED_PENDING,
} from "../../../index/primary/balances/balance-tables.ts";
import { C_CHAIN, chainIdOf, P_CHAIN, type PrimaryChain, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import type { ChainContext } from "../context.ts";
import { namedObject } from "../named-object.ts";
import { chainInfo, chainInfoSchema } from "../network-labels.ts";
import { csv, unixSeconds } from "../paging.ts";
import { dataRoute } from "../route.ts";
import {
  type AssetSum,
  aggregatedAmountSchema,
  describeAssets,
  platformSharedAmountSchema,
  presentAmount,
  sharedAmountSchema,
} from "./present.ts";

const amounts = Type.Array(aggregatedAmountSchema);

const platformBalances = namedObject("PChainBalance", {
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
const assetBalances = namedObject("XChainBalances", { locked: amounts, unlocked: amounts, ...atomicBuckets });
const evmBalances = namedObject("CChainAtomicBalances", atomicBuckets);

const response = Type.Union([
  namedObject("ListPChainBalancesResponse", { balances: platformBalances, chainInfo: chainInfoSchema }),
  namedObject("ListXChainBalancesResponse", { balances: assetBalances, chainInfo: chainInfoSchema }),
  namedObject("ListCChainAtomicBalancesResponse", { balances: evmBalances, chainInfo: chainInfoSchema }),
]);

/** Balances, now or in the past. Costs one row per asset and bucket of each owner group, whatever the number of UTXOs. */
export const getBalancesByAddresses = dataRoute({
  method: "GET",
  path: "/networks/{network}/blockchains/{blockchainId}/balances",
  operationId: "getBalancesByAddresses",
  tag: "Primary network: balances",
  summary: "Balances of addresses on a chain, by asset and by whether they are locked, staked or exported, now or at any time in the past.",
  description:
    "The C-chain's balances are those in atomic memory only. An amount that is exported but not imported yet is in the atomic buckets of both " +
    "chains; on the P-chain its `status` shows the direction. Staked amounts follow the chain's state. Locks are compared with `blockTimestamp`, " +
    "or with the current time. At a past time, a UTXO counts if it was created before that second and not consumed by it. A UTXO of several " +
    "owners counts if the request names enough of them to spend it. Without addresses: the whole chain.",
  cost: "O(owner groups of the addresses × their assets and buckets) rows; locks are spans of time, at most 63 on each of 6 scales. With blockTimestamp, one row for each of these that ever existed",
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
    const balances = await readBalances(context.reader, context.chain, owners, { at, clock: at ?? context.readClock() });
    return { balances: await presentBalances(balances, context), chainInfo: chainInfo(context) };
  },
});

export type Balances = Static<typeof platformBalances> | Static<typeof assetBalances> | Static<typeof evmBalances>;

export async function presentBalances(balances: readonly Balance[], context: ChainContext): Promise<Balances> {
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

/** One entry per bucket, asset and, in atomic memory, other chain; on the P-chain also by direction. */
function entriesOf(balances: readonly Balance[], { chain, network }: ChainContext): Entry[] {
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

function sharingOf({ bucket, peer }: Balance, chain: PrimaryChain, network: ChainContext["network"]): Entry["sharing"] {
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
