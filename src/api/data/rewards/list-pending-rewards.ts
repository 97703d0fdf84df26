import Type, { type Static } from "typebox";
import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { mergedScan } from "../../../index/merged-scan.ts";
import { shareOf } from "../../../index/primary/staking/delegation-rows.ts";
import {
  DELEGATOR,
  type Delegation,
  delegations,
  pendingRewards,
  VALIDATOR,
  type Validation,
  validations,
} from "../../../index/primary/staking/staking-tables.ts";
import { rewardStart } from "../../../index/primary/staking/validation-rows.ts";
import type { DataContext } from "../context.ts";
import { namedObject } from "../named-object.ts";
import { pageOf } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { assetAmount } from "../utxos/present.ts";
import { assetAmountSchema } from "../utxos/schemas.ts";
import { addressTexts, percentOf, stakingType } from "../validators/present.ts";
import { rewardMembers, rewardQuery, rewardScopes, rewardTypeName } from "./query.ts";

const pendingRewardSchema = namedObject("PendingReward", {
  ...rewardMembers,
  progress: Type.Number({ minimum: 0, maximum: 100, description: "Percent of the period that is over." }),
  estimatedReward: assetAmountSchema,
});

export const listPendingPrimaryNetworkRewards = dataRoute({
  method: "GET",
  path: "/networks/{network}/rewards:listPending",
  operationId: "listPendingPrimaryNetworkRewards",
  tag: "Primary network: rewards",
  summary: "Rewards that active stakers can expect: for their own stake, and for validators their share of their delegators' rewards.",
  description:
    "VALIDATOR is the reward for a validator's own stake. DELEGATOR is a delegator's reward net of the validator's fee. VALIDATOR_FEE is the fee " +
    "for one delegation, with that delegation's transaction, amount and times; it is left out if it is 0. Sorted by start, newest first, then by transaction ID.",
  cost: "O(pageSize + addresses × nodes) rows",
  computeUnits: 100,
  query: Type.Object(rewardQuery),
  response: pageOf({ pendingRewards: Type.Array(pendingRewardSchema) }, "ListPendingRewardsResponse"),
  async handle({ query }, context) {
    const { pageSize, sortOrder } = query;
    const { after, reader } = context;
    const rows = await mergedScan(reader, pendingRewards, {
      prefixes: await rewardScopes(query, context),
      ...(after && { after: { start: BigInt(after.start!), txId: `${after.txId}`, type: Number(after.type) } }),
      reverse: sortOrder === "desc",
      limit: pageSize + 1,
    });
    const entries = rows.slice(0, pageSize).map(({ key: { start, txId, type } }) => ({ start, txId, type }));
    return {
      ...context.nextPage(rows.length > pageSize ? entries.at(-1) : undefined),
      pendingRewards: await presentEntries(entries, context),
    };
  },
});

interface Entry {
  readonly txId: Id;
  readonly type: number;
}

async function presentEntries(entries: readonly Entry[], context: DataContext): Promise<Static<typeof pendingRewardSchema>[]> {
  const { reader } = context;
  const delegated = await reader.getMany(
    delegations,
    entries.map(({ txId }) => ({ txId })),
  );
  const validators = await reader.getMany(
    validations,
    entries.map(({ txId }, i) => ({ txId: delegated[i]?.validation ?? txId })),
  );
  return Promise.all(
    entries.map(async ({ txId, type }, i) => {
      const { validator, ...staker } = stakerOf(validators[i]!, delegated[i], type);
      const { amount, assetId, addresses, weight, start, end } = staker;
      return {
        addresses: addressTexts(addresses, context.network),
        txHash: formatId(txId),
        amountStaked: `${weight}`,
        nodeId: formatNodeId(validator.nodeId),
        startTimestamp: Number(start),
        endTimestamp: Number(end),
        progress: progressAt(context.readClock(), start, end),
        estimatedReward: await assetAmount(assetId, amount, context),
        rewardType: rewardTypeName(type),
        stakingType: stakingType(type === VALIDATOR && validator.isAutoRenewed),
      };
    }),
  );
}

function stakerOf(validator: Validation, delegation: Delegation | undefined, type: number) {
  const { terms, weight, end, potentialReward } = validator;
  const { assetId, validationOwner, delegationOwner } = terms!;
  if (delegation === undefined) {
    return { validator, assetId, addresses: validationOwner, weight, start: rewardStart(validator), end, amount: potentialReward };
  }
  const { net, fee } = shareOf(delegation);
  const [addresses, amount] = type === DELEGATOR ? [delegation.owner, net] : [delegationOwner, fee];
  const { weight: delegated, timestamp: start, end: delegationEnd } = delegation;
  return { validator, assetId, addresses, weight: delegated, start, end: delegationEnd, amount };
}

function progressAt(clock: bigint, start: bigint, end: bigint): number {
  return Math.min(100, Math.max(0, percentOf(clock - start, end - start)));
}
