/** Query parameters of both lists of rewards, and the members of their items that say which reward it is. */

import Type from "typebox";
import { mapInTurns } from "../../../base/work/work.ts";
import { rewardScope } from "../../../index/primary/staking/staking-scope.ts";
import { DELEGATOR, VALIDATOR, VALIDATOR_FEE } from "../../../index/primary/staking/staking-tables.ts";
import { MAX_ADDRESSES_GET, parseAddresses } from "../addresses.ts";
import type { DataContext } from "../context.ts";
import { badRequest } from "../errors.ts";
import { csv, pageQuery, sortQuery, unixSeconds } from "../paging.ts";
import { nodesByAddresses, parseNodeIds } from "../staking/nodes.ts";
import { amountText, stakingTypeSchema } from "../validators/schemas.ts";

export const rewardQuery = {
  ...pageQuery(),
  ...sortQuery,
  addresses: Type.Optional(csv("Owners of the reward, at most 64. `addresses` or `nodeIds` must be sent; if both are, both must match.")),
  nodeIds: Type.Optional(csv("Whole node IDs, at most 64.")),
};

/** The scopes of either list. */
export async function rewardScopes(
  { addresses, nodeIds }: { addresses?: string | undefined; nodeIds?: string | undefined },
  context: DataContext,
): Promise<{ scope: string }[]> {
  if (addresses === undefined && nodeIds === undefined) throw badRequest("addresses or nodeIds must be sent, to say whose rewards to list");
  const owners = addresses === undefined ? undefined : parseAddresses(addresses, context, { max: MAX_ADDRESSES_GET });
  const nodes = nodeIds === undefined ? undefined : parseNodeIds(nodeIds);
  return mapInTurns(context.work, nodesByAddresses(nodes, owners), (list) => ({ scope: rewardScope(list) }));
}

export const rewardMembers = {
  addresses: Type.Array(Type.String(), { description: "All owners of the reward." }),
  txHash: Type.String({ description: "The staking transaction." }),
  amountStaked: amountText("Amount staked by that transaction; for an auto-renewed validator, including what it restaked."),
  nodeId: Type.String(),
  startTimestamp: unixSeconds("Block time of the staking transaction; for an auto-renewed validator, start of the cycle."),
  endTimestamp: unixSeconds("End of the period."),
  rewardType: Type.Union([Type.Literal("VALIDATOR"), Type.Literal("DELEGATOR"), Type.Literal("VALIDATOR_FEE")]),
  stakingType: stakingTypeSchema,
};

const NAMES = { [VALIDATOR]: "VALIDATOR", [DELEGATOR]: "DELEGATOR", [VALIDATOR_FEE]: "VALIDATOR_FEE" } as const;

export function rewardTypeName(type: number) {
  return NAMES[type as keyof typeof NAMES];
}
