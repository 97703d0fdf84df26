import Type, { type Static } from "typebox";
import { mergedScan } from "../../index/merged-scan.ts";
import { shareOf } from "../../index/primary/delegation-rows.ts";
import { delegationScope } from "../../index/primary/staking-scope.ts";
import { ACTIVE, COMPLETED, type Delegation, delegationLists, delegations, PENDING } from "../../index/primary/staking-tables.ts";
import { formatId } from "../../primitives/cb58.ts";
import type { Id } from "../../primitives/id.ts";
import { formatNodeId } from "../../primitives/node-id.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import type { DataContext } from "../context.ts";
import { csv, pageOf, pageQuery, sortQuery, unixSeconds } from "../paging.ts";
import { dataRoute } from "../route.ts";
import { nodesByAddresses, parseNodeIds } from "../staking/nodes.ts";
import { addressTexts, feePercent } from "../validators/present.ts";
import { amountText, feeText } from "../validators/schemas.ts";

const common = {
  txHash: Type.String({ description: "The staking transaction." }),
  nodeId: Type.String(),
  rewardAddresses: Type.Array(Type.String()),
  amountDelegated: amountText("Staked."),
  delegationFee: feeText,
  startTimestamp: unixSeconds("As the delegator chose it."),
  endTimestamp: unixSeconds("As the delegator chose it."),
};
const estimates = {
  estimatedGrossReward: amountText("Promised, the validator's part included; 0 while pending."),
  estimatedNetReward: amountText("Promised to the delegator."),
};

export const delegatorSchema = Type.Union([
  Type.Object({ ...common, ...estimates, delegationStatus: Type.Literal("active") }),
  Type.Object({ ...common, ...estimates, delegationStatus: Type.Literal("pending") }),
  Type.Object({
    ...common,
    grossReward: amountText("Paid, the validator's part included."),
    netReward: amountText("Paid to the delegator."),
    delegationStatus: Type.Literal("completed"),
  }),
]);

const STATUSES = { pending: PENDING, active: ACTIVE, completed: COMPLETED };

export const listDelegators = dataRoute({
  method: "GET",
  path: "/networks/{network}/delegators",
  operationId: "listDelegators",
  tag: "Primary network: staking",
  summary: "Delegators of the primary network and of elastic subnets, newest first.",
  description: "`rewardAddresses` and `nodeIds` together: both must hold. Order: height of the staking transaction, then its ID.",
  cost: "O(pageSize + statuses × addresses × nodes) rows",
  computeUnits: 20,
  query: Type.Object({
    ...pageQuery(),
    ...sortQuery,
    rewardAddresses: Type.Optional(csv("Who is paid the reward: any owner of it. At most 64.")),
    nodeIds: Type.Optional(csv("Whole node IDs, at most 64.")),
    delegationStatus: Type.Optional(
      Type.Union([Type.Literal("completed"), Type.Literal("active"), Type.Literal("pending")], { description: "All when absent." }),
    ),
  }),
  response: pageOf({ delegators: Type.Array(delegatorSchema) }),
  async handle({ query: { pageSize, sortOrder, rewardAddresses, nodeIds, delegationStatus } }, context) {
    const rules = { max: MAX_ADDRESSES_GET, name: "rewardAddresses" };
    const addresses = rewardAddresses === undefined ? undefined : parseAddresses(rewardAddresses, context, rules);
    const statuses = delegationStatus === undefined ? Object.values(STATUSES) : [STATUSES[delegationStatus]];
    const lists = nodesByAddresses(nodeIds === undefined ? undefined : parseNodeIds(nodeIds), addresses);
    const rows = await mergedScan(context.reader, delegationLists, {
      prefixes: statuses.flatMap((status) => lists.map((list) => ({ scope: delegationScope(status, list) }))),
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
      delegators: keys.map(({ txId }, i) => presentDelegator(txId, records[i]!, context)),
    };
  },
});

export function presentDelegator(
  txId: Id,
  delegation: Delegation,
  { network }: Pick<DataContext, "network">,
): Static<typeof delegatorSchema> {
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
