import Type, { type Static } from "typebox";
import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { mapInTurns } from "../../../base/work/work.ts";
import { mergedScan } from "../../../index/merged-scan.ts";
import { shareOf } from "../../../index/primary/staking/delegation-rows.ts";
import { delegationScope } from "../../../index/primary/staking/staking-scope.ts";
import {
  ACTIVE,
  COMPLETED,
  type Delegation,
  delegationLists,
  delegations,
  PENDING,
} from "../../../index/primary/staking/staking-tables.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import type { DataContext } from "../context.ts";
import { namedObject } from "../named-object.ts";
import { csv, pageOf, pageQuery, sortQuery, unixSeconds } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { nodesByAddresses, parseNodeIds } from "../staking/nodes.ts";
import { addressTexts, feePercent } from "./present.ts";
import { amountText, feeText } from "./schemas.ts";

const common = {
  txHash: Type.String({ description: "The staking transaction." }),
  nodeId: Type.String(),
  rewardAddresses: Type.Array(Type.String()),
  amountDelegated: amountText("Staked."),
  delegationFee: feeText,
  startTimestamp: unixSeconds("Start that the delegator chose."),
  endTimestamp: unixSeconds("End that the delegator chose."),
};
const estimates = {
  estimatedGrossReward: amountText("Promised reward, including the validator's part; 0 while pending."),
  estimatedNetReward: amountText("Reward promised to the delegator."),
};

const delegatorSchema = Type.Union(
  [
    namedObject("ActiveDelegatorDetails", { ...common, ...estimates, delegationStatus: Type.Literal("active") }),
    namedObject("PendingDelegatorDetails", { ...common, ...estimates, delegationStatus: Type.Literal("pending") }),
    namedObject("CompletedDelegatorDetails", {
      ...common,
      grossReward: amountText("Paid, the validator's part included."),
      netReward: amountText("Reward paid to the delegator."),
      delegationStatus: Type.Literal("completed"),
    }),
  ],
  { $id: "Delegator" },
);

const STATUSES = { pending: PENDING, active: ACTIVE, completed: COMPLETED };

export const listDelegators = dataRoute({
  method: "GET",
  path: "/networks/{network}/delegators",
  operationId: "listDelegators",
  tag: "Primary network: staking",
  summary: "Delegators of the primary network and of elastic subnets, newest first.",
  description: "If `rewardAddresses` and `nodeIds` are sent, both must match. Sorted by height of the staking transaction, then by its ID.",
  cost: "O(pageSize + statuses × addresses × nodes) rows, one range after the other, in turns",
  computeUnits: 20,
  query: Type.Object({
    ...pageQuery(),
    ...sortQuery,
    rewardAddresses: Type.Optional(csv("Owners of the reward, at most 64.")),
    nodeIds: Type.Optional(csv("Whole node IDs, at most 64.")),
    delegationStatus: Type.Optional(
      Type.Union([Type.Literal("completed"), Type.Literal("active"), Type.Literal("pending")], { description: "All when absent." }),
    ),
  }),
  response: pageOf({ delegators: Type.Array(delegatorSchema) }, "ListDelegatorDetailsResponse"),
  async handle({ query: { pageSize, sortOrder, rewardAddresses, nodeIds, delegationStatus } }, context) {
    const rules = { max: MAX_ADDRESSES_GET, name: "rewardAddresses" };
    const addresses = rewardAddresses === undefined ? undefined : parseAddresses(rewardAddresses, context, rules);
    const statuses = delegationStatus === undefined ? Object.values(STATUSES) : [STATUSES[delegationStatus]];
    const lists = nodesByAddresses(nodeIds === undefined ? undefined : parseNodeIds(nodeIds), addresses);
    const ranges = statuses.flatMap((status) => lists.map((list) => ({ status, list })));
    const rows = await mergedScan(context.reader, delegationLists, {
      // hashing thousands of ranges takes milliseconds
      prefixes: await mapInTurns(context.work, ranges, ({ status, list }) => ({ scope: delegationScope(status, list) })),
      ...(context.after && { after: { height: BigInt(context.after.height!), txId: `${context.after.txId}` } }),
      reverse: sortOrder === "desc",
      limit: pageSize + 1,
    });
    const keys = rows.slice(0, pageSize).map(({ key: { height, txId } }) => ({ height, txId }));
    const records = await context.reader.getMany(
      delegations,
      keys.map(({ txId }) => ({ txId })),
    );
    return {
      ...context.nextPage(rows.length > pageSize ? keys.at(-1) : undefined),
      delegators: await mapInTurns(context.work, keys.entries(), ([i, { txId }]) => presentDelegator(txId, records[i]!, context)),
    };
  },
});

function presentDelegator(txId: Id, delegation: Delegation, { network }: Pick<DataContext, "network">): Static<typeof delegatorSchema> {
  const { status, nodeId, owner, weight, shares, start, end, reward } = delegation;
  const common = {
    txHash: formatId(txId),
    nodeId: formatNodeId(nodeId),
    rewardAddresses: addressTexts(owner, network),
    amountDelegated: `${weight}`,
    delegationFee: feePercent(shares),
    startTimestamp: Number(start),
    endTimestamp: Number(end),
  };
  const [gross, net] = [`${reward}`, `${shareOf(delegation).net}`];
  if (status === COMPLETED) return { ...common, grossReward: gross, netReward: net, delegationStatus: "completed" };
  const estimates = { estimatedGrossReward: gross, estimatedNetReward: net };
  return { ...common, ...estimates, delegationStatus: status === ACTIVE ? "active" : "pending" };
}
