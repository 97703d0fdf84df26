/**
 * `info.uptime`: this node's uptime as the validators see it (rpc-avm-info-health 5.6). A follower passes on that of its node. It fails if
 * nobody measures uptimes.
 */

import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import type { JsonValue } from "../../../base/json/go-encode.ts";
import { primaryUptimeRequirement } from "../../../chains/platform/builder/uptime-requirement.ts";
import { platformStakingInfo } from "../../../chains/platform/tables.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { stakers, totalWeights } from "../platform/snapshot.ts";
import { passedOn } from "./passed-on.ts";

export const uptime = method({
  name: "info.uptime",
  summary: "This node's uptime, as the network sees it; a follower passes on what its node answers.",
  cost: "no row; on a follower one call of its node in 5 s",
  computeUnits: 1,
  params: {},
  async handler(_, context) {
    const passed = await passedOn("info.uptime", context);
    if (passed !== undefined) return passed as JsonValue;
    const { reader, node, network } = context;
    const { nodeId } = node;
    const staking = await reader.get(platformStakingInfo, { subnetId: PRIMARY_NETWORK_ID, nodeId });
    if (staking === undefined) throw new RpcError("couldn't get node uptime: node is not a validator");
    const { uptimes } = context.beyondState().facts;
    if (uptimes === undefined) throw new RpcError("couldn't get node uptime: this node's source does not measure uptime");
    const { current } = await stakers(context);
    const own = current.node(PRIMARY_NETWORK_ID, nodeId)?.weight ?? 0n;
    const total = (await totalWeights(context)).get(PRIMARY_NETWORK_ID) ?? own;
    const startTime = current.validator(PRIMARY_NETWORK_ID, nodeId)?.startTime ?? 0n;
    const requirement = primaryUptimeRequirement(network, startTime);
    // All other validators are connected and see the same uptime, in whole percent. A node sees itself as always online.
    const seen = Math.floor(uptimes.uptime(PRIMARY_NETWORK_ID, nodeId) / 10_000);
    const others = total - own;
    const rewarding = own + (seen * 10_000 >= requirement ? others : 0n);
    return {
      rewardingStakePercentage: percentage(100n * rewarding, total),
      weightedAveragePercentage: percentage(100n * own + BigInt(seen) * others, total),
    };
  },
});

function percentage(hundredfold: bigint, total: bigint): string {
  return (Number(hundredfold) / Number(total)).toFixed(4);
}
