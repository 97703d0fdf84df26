import Type from "typebox";
import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { mergedScan } from "../../../index/merged-scan.ts";
import { type PaidReward, paidRewards, rewardLists } from "../../../index/primary/staking/staking-tables.ts";
import type { DataContext } from "../context.ts";
import { namedObject } from "../named-object.ts";
import { pageOf } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { assetAmount } from "../utxos/present.ts";
import { assetAmountSchema } from "../utxos/schemas.ts";
import { addressTexts, stakingType } from "../validators/present.ts";
import { rewardMembers, rewardQuery, rewardScopes, rewardTypeName } from "./query.ts";

const historicalRewardSchema = namedObject("HistoricalReward", {
  ...rewardMembers,
  utxoId: Type.String({ description: "The UTXO that paid it." }),
  outputIndex: Type.Integer(),
  reward: assetAmountSchema,
  rewardTxHash: Type.String({ description: "The transaction that ended the period, or the cycle." }),
});

export const listHistoricalPrimaryNetworkRewards = dataRoute({
  method: "GET",
  path: "/networks/{network}/rewards",
  operationId: "listHistoricalPrimaryNetworkRewards",
  tag: "Primary network: rewards",
  summary: "Paid rewards, newest first: one item for each UTXO that paid one.",
  description:
    "A staker without a reward has no item. A validator's part of its delegators' rewards is paid with its own reward. If the validator began " +
    "before Cortina, it was paid with each delegator's reward, and the item shows the delegator's transaction. `currency` is ignored: there are no prices.",
  cost: "O(pageSize + addresses × nodes) rows",
  computeUnits: 100,
  query: Type.Object({ ...rewardQuery, currency: Type.Optional(Type.String({ description: "Ignored." })) }),
  response: pageOf({ historicalRewards: Type.Array(historicalRewardSchema) }, "ListHistoricalRewardsResponse"),
  async handle({ query }, context) {
    const { pageSize, sortOrder } = query;
    const { after, reader } = context;
    const rows = await mergedScan(reader, rewardLists, {
      prefixes: await rewardScopes(query, context),
      ...(after && { after: { timestamp: BigInt(after.timestamp!), utxoId: `${after.utxoId}` } }),
      reverse: sortOrder === "desc",
      limit: pageSize + 1,
    });
    const keys = rows.slice(0, pageSize).map(({ key: { timestamp, utxoId } }) => ({ timestamp, utxoId }));
    const rewards = await reader.getMany(
      paidRewards,
      keys.map(({ utxoId }) => ({ utxoId })),
    );
    return {
      ...context.nextPage(rows.length > pageSize ? keys.at(-1) : undefined),
      historicalRewards: await Promise.all(keys.map(({ utxoId }, i) => presentReward(utxoId, rewards[i]!, context))),
    };
  },
});

async function presentReward(utxoId: Id, reward: PaidReward, context: DataContext) {
  return {
    addresses: addressTexts(reward.owner, context.network),
    txHash: formatId(reward.stakingTxId),
    utxoId: formatId(utxoId),
    outputIndex: reward.outputIndex,
    amountStaked: `${reward.weight}`,
    nodeId: formatNodeId(reward.nodeId),
    startTimestamp: Number(reward.start),
    endTimestamp: Number(reward.end),
    reward: await assetAmount(reward.assetId, reward.amount, context),
    rewardType: rewardTypeName(reward.type),
    rewardTxHash: formatId(reward.rewardTxId),
    stakingType: stakingType(reward.isAutoRenewed),
  };
}
