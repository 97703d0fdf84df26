/** The simulated uptimes of a devnet's validators, and their effect on rewards. */

import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { View } from "../base/table/view.ts";
import type { RewardedStaker } from "../chains/mempool/issuer.ts";
import { uptimeRequirement } from "../chains/platform/builder/uptime-requirement.ts";
import type { PlatformState } from "../chains/platform/state/platform-state.ts";
import { type StoreReader, scanAll } from "../store/store.ts";
import { devnetUptimes } from "./tables.ts";

const ALWAYS = 1_000_000;

export class Uptimes {
  #set = new Map<string, number>();

  async load(reader: StoreReader): Promise<void> {
    this.#set = new Map();
    for await (const { key, value } of scanAll(reader, devnetUptimes)) this.#set.set(nameOf(key.subnetId, key.nodeId), value.millionths);
  }

  /** A node has the same uptime in all subnets, unless another one was set for a subnet. */
  get(subnetId: Id, nodeId: NodeId): number {
    return this.#set.get(nameOf(subnetId, nodeId)) ?? this.#set.get(nameOf(PRIMARY_NETWORK_ID, nodeId)) ?? ALWAYS;
  }

  /** Adds an uptime to the next commit. */
  put(view: View, subnetId: Id, nodeId: NodeId, millionths: number): void {
    if (!Number.isInteger(millionths) || millionths < 0 || millionths > ALWAYS) {
      throw new FirnError("uptime", `the uptime is ${millionths} millionths; use 0 to ${ALWAYS}`, { millionths });
    }
    this.#set.set(nameOf(subnetId, nodeId), millionths);
    view.writeUnread(devnetUptimes, { subnetId, nodeId }, { millionths });
  }

  /** Whether the node itself votes for paying a reward. */
  prefersCommit(state: PlatformState, staker: RewardedStaker): boolean {
    return this.get(staker.subnetId, staker.nodeId) >= uptimeRequirement(state, staker);
  }
}

function nameOf(subnetId: Id, nodeId: NodeId): string {
  return `${subnetId}/${nodeId}`;
}
