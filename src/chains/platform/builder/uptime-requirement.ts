/** The uptime required for a staker's reward (chain-rules 11.7; ACP-267 for the primary network from Helicon on). */

import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { isActive, type Network } from "../../../network/network.ts";
import type { RewardedStaker } from "../../mempool/issuer.ts";
import type { PlatformState } from "../state/platform-state.ts";
import { transformation } from "../transformation.ts";

/** In millionths. */
const HELICON_REQUIREMENT = 900_000;

/**
 * In millionths. The uptime that counts is that of the staker's node on the primary network; if the node is not a validator there, every
 * reward is paid.
 */
export function uptimeRequirement(state: PlatformState, { subnetId, nodeId }: RewardedStaker): number {
  const validator = state.currentValidator(PRIMARY_NETWORK_ID, nodeId);
  if (validator === undefined) return 0;
  if (subnetId !== PRIMARY_NETWORK_ID) return transformation(state, subnetId).uptimeRequirement;
  return primaryUptimeRequirement(state.network, validator.startTime);
}

/** In millionths, for a validator of the primary network. */
export function primaryUptimeRequirement(network: Network, startTime: bigint): number {
  return isActive(network, "helicon", startTime) ? HELICON_REQUIREMENT : network.staking.uptimeRequirement;
}
