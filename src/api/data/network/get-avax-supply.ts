import Type from "typebox";
import { parseGenesis } from "../../../chains/platform/genesis/genesis.ts";
import { platformChain } from "../../../chains/platform/tables.ts";
import { NO_LOCK } from "../../../index/primary/balances/balance-locks.ts";
import { readBalances } from "../../../index/primary/balances/balance-reader.ts";
import { BUCKET_OWN, BUCKET_STAKED_LOCKED } from "../../../index/primary/balances/balance-tables.ts";
import { burnedFees, supplyTotals } from "../../../index/primary/network/network-tables.ts";
import { NO_TOTALS, settled } from "../../../index/primary/network/network-totals.ts";
import { C_CHAIN, P_CHAIN, primaryChains, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { readStakingTotals } from "../../../index/primary/staking/validation-reader.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import type { StoreReader } from "../../../store/store.ts";
import type { DataContext } from "../context.ts";
import { namedObject } from "../named-object.ts";
import { dataRoute } from "../route.ts";
import { avaxText } from "./decimal.ts";

const amount = (description: string) => Type.String({ description: `AVAX: ${description}` });

export const getAvaxSupply = dataRoute({
  method: "GET",
  path: "/avax/supply",
  operationId: "getAvaxSupply",
  tag: "AVAX supply",
  summary: "The supply of AVAX, and how much is burned, staked and locked, in AVAX.",
  description:
    "`totalSupply` = `genesisUnlock` + `totalRewards` − burned on P, X and C. On the C-chain only the fees of imports and exports are known " +
    "here: what its EVM transactions burned is not subtracted. All figures are those of the last accepted P-chain block, at `lastUpdated`.",
  cost: "six rows; the sums of locked AVAX, one for each time at which a lock ends, once per state of the chains",
  computeUnits: 1,
  needs: primaryChains,
  query: Type.Object({}),
  response: namedObject("AvaxSupplyResponse", {
    circulatingSupply: amount("as `totalSupply`"),
    totalSupply: amount("all that exists"),
    totalPBurned: amount("fees on the P-chain, those of L1 validators included"),
    totalCBurned: amount("fees of atomic transactions on the C-chain"),
    totalXBurned: amount("fees on the X-chain"),
    totalStaked: amount("stake of active validators and delegators of the primary network"),
    totalLocked: amount("P-chain outputs whose lock is not over, staked ones included"),
    totalRewards: amount("staking rewards paid"),
    lastUpdated: Type.String({ description: "ISO 8601" }),
    genesisUnlock: amount("supply with which the network began"),
    l1ValidatorFees: amount("continuous fees of L1 validators so far, part of `totalPBurned`"),
  }),
  async handle(_, context) {
    const { timestamp, burned, rewards, l1Fees, staked } = await readTotals(context);
    const locked = await context.cached("locked AVAX", () => lockedAvax(context.reader, context.network, timestamp));
    const genesis = initialSupply(context.network);
    const totalPBurned = burned[P_CHAIN]! + l1Fees;
    const totalSupply = genesis + rewards - totalPBurned - burned[X_CHAIN]! - burned[C_CHAIN]!;
    return {
      circulatingSupply: avaxText(totalSupply),
      totalSupply: avaxText(totalSupply),
      totalPBurned: avaxText(totalPBurned),
      totalCBurned: avaxText(burned[C_CHAIN]!),
      totalXBurned: avaxText(burned[X_CHAIN]!),
      totalStaked: avaxText(staked),
      totalLocked: avaxText(locked),
      totalRewards: avaxText(rewards),
      lastUpdated: new Date(Number(timestamp) * 1000).toISOString(),
      genesisUnlock: avaxText(genesis),
      l1ValidatorFees: avaxText(l1Fees),
    };
  },
});

async function readTotals({ reader }: DataContext) {
  const [state, totalsRow, burnedRows, { validatorStake, delegatorStake }] = await Promise.all([
    reader.get(platformChain, { slot: 0 }),
    reader.get(supplyTotals, { slot: 0 }),
    reader.getMany(
      burnedFees,
      primaryChains.map((chain) => ({ chain })),
    ),
    readStakingTotals(reader),
  ]);
  const { timestamp, accruedFees } = state!;
  const { rewards, l1Fees } = settled(totalsRow ?? NO_TOTALS, accruedFees);
  const burned = burnedRows.map((row) => row?.amount ?? 0n);
  return { timestamp, burned, rewards, l1Fees, staked: validatorStake + delegatorStake };
}

const initialSupplies = new WeakMap<NetworkInstance, bigint>();

/** Kept, since reading the genesis takes a while. */
function initialSupply(network: NetworkInstance): bigint {
  let supply = initialSupplies.get(network);
  if (supply === undefined) {
    supply = parseGenesis(network.genesisBytes).initialSupply;
    initialSupplies.set(network, supply);
  }
  return supply;
}

/**
 * AVAX on the P-chain behind a lock that ends after `time`, Unix seconds, staked or not: `lockedPlatform`, `lockedStakeable` and
 * `lockedStaked` of the whole chain's balances. Costs as much as reading those.
 */
async function lockedAvax(reader: StoreReader, { avaxAssetId }: NetworkInstance, time: bigint): Promise<bigint> {
  const balances = await readBalances(reader, P_CHAIN, undefined, { at: undefined, clock: time });
  const locked = balances.filter(
    ({ bucket, assetId, lock }) =>
      assetId === avaxAssetId && (bucket === BUCKET_STAKED_LOCKED || (bucket === BUCKET_OWN && lock !== NO_LOCK)),
  );
  return locked.reduce((sum, { amount }) => sum + amount, 0n);
}
