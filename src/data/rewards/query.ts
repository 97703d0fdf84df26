/** What both lists of rewards are asked by, and how they say what a reward is of. */
import Type from "typebox";
import { rewardScope } from "../../index/primary/staking-scope.ts";
import { DELEGATOR, VALIDATOR, VALIDATOR_FEE } from "../../index/primary/staking-tables.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import type { DataContext } from "../context.ts";
import { badRequest } from "../errors.ts";
import { csv, pageQuery, sortQuery, unixSeconds } from "../paging.ts";
import { nodesByAddresses, parseNodeIds } from "../staking/nodes.ts";
import { amountText, stakingTypeSchema } from "../validators/schemas.ts";

export const rewardQuery = {
  ...pageQuery(),
  ...sortQuery,
  addresses: Type.Optional(
    csv("Who is paid the reward: any owner of it. At most 64. This or `nodeIds` is needed; both must hold if both are sent."),
  ),
  nodeIds: Type.Optional(csv("Whole node IDs, at most 64.")),
};

/** The ranges of either list. */
export function rewardScopes(
  { addresses, nodeIds }: { addresses?: string | undefined; nodeIds?: string | undefined },
  context: DataContext,
): { scope: string }[] {
  if (addresses === undefined && nodeIds === undefined) throw badRequest("addresses or nodeIds must be sent: whose rewards are wanted?");
  const owners = addresses === undefined ? undefined : parseAddresses(addresses, context, { max: MAX_ADDRESSES_GET });
  const nodes = nodeIds === undefined ? undefined : parseNodeIds(nodeIds);
  return nodesByAddresses(nodes, owners).map((list) => ({ scope: rewardScope(list) }));
}

export const rewardMembers = {
  addresses: Type.Array(Type.String(), { description: "All owners of the reward." }),
  txHash: Type.String({ description: "The staking transaction." }),
  amountStaked: amountText("By that transaction; of an auto-renewed validator with what it restaked."),
  nodeId: Type.String(),
  startTimestamp: unixSeconds("Block time of the staking transaction; of an auto-renewed validator start of the cycle."),
  endTimestamp: unixSeconds("End of the period."),
  rewardType: Type.Union([Type.Literal("VALIDATOR"), Type.Literal("DELEGATOR"), Type.Literal("VALIDATOR_FEE")]),
  stakingType: stakingTypeSchema,
};

const NAMES = { [VALIDATOR]: "VALIDATOR", [DELEGATOR]: "DELEGATOR", [VALIDATOR_FEE]: "VALIDATOR_FEE" } as const;

export function rewardTypeName(type: number) {
  return NAMES[type as keyof typeof NAMES];
}
