/**
 * The small sets of the P-chain in memory: stakers, L1 validators, subnets, chains. They are immutable and built once per state from
 * resident tables. Filters by node, subnet and kind need no further reads.
 */

import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import type { TableValue } from "../../../base/table/table.ts";
import { filterInTurns, runInTurns, sortInTurns } from "../../../base/work/work.ts";
import { compareStakers, isCurrent, type Staker, stakerOf } from "../../../chains/platform/state/staker.ts";
import { type L1Validator, L1ValidatorSet, StakerSet } from "../../../chains/platform/state/staker-set.ts";
import {
  platformChains,
  platformL1Validators,
  platformStakers,
  platformStakingInfo,
  platformSubnets,
  type SubnetRow,
} from "../../../chains/platform/tables.ts";
import { scanAll } from "../../../store/store.ts";
import type { RpcContext } from "../method.ts";
import { type ChainState, chainState, perState } from "./chain-state.ts";

type StakingInfo = TableValue<typeof platformStakingInfo>;

export interface Stakers {
  readonly current: StakerSet;
  readonly pending: StakerSet;
  readonly l1: L1ValidatorSet;
  readonly l1Validators: readonly L1Validator[];
  stakingInfo(subnetId: Id, nodeId: NodeId): StakingInfo | undefined;
}

export async function stakers(context: RpcContext, state?: ChainState): Promise<Stakers> {
  return perState(state ?? (await chainState(context)), context, "stakers", () => readStakers(context));
}

async function readStakers({ reader, work }: RpcContext): Promise<Stakers> {
  const all: Staker[] = [];
  for await (const { key, value } of scanAll(reader, platformStakers)) all.push(stakerOf(key.txId, value));
  const l1Validators: L1Validator[] = [];
  for await (const { key, value } of scanAll(reader, platformL1Validators)) l1Validators.push({ ...value, validationId: key.validationId });
  const infos = new Map<string, StakingInfo>();
  for await (const { key, value } of scanAll(reader, platformStakingInfo)) infos.set(key.subnetId + key.nodeId, value);
  const [current, pending, l1] = [new StakerSet(), new StakerSet(), new L1ValidatorSet()];
  const ordered = await sortInTurns(work, all, compareStakers);
  await runInTurns(work, current.fillSteps(await filterInTurns(work, ordered, isCurrent)));
  await runInTurns(work, pending.fillSteps(await filterInTurns(work, ordered, (staker) => !isCurrent(staker))));
  l1.fill(l1Validators);
  return { current, pending, l1, l1Validators, stakingInfo: (subnetId, nodeId) => infos.get(subnetId + nodeId) };
}

/** The L1 validators of a subnet, active and inactive, by node ID. */
export function l1ValidatorsOf({ l1 }: Stakers, subnetId: Id): L1Validator[] {
  const byNode = l1.subnet(subnetId)?.byNode.values() ?? [];
  return [...byNode].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
}

/** Weight of all current validators and delegators by subnet, including inactive L1 validators. */
export async function totalWeights(context: RpcContext): Promise<ReadonlyMap<Id, bigint>> {
  const state = await chainState(context);
  return perState(state, context, "total weights", async () => {
    const { current, l1Validators } = await stakers(context, state);
    const totals = new Map<Id, bigint>();
    for (const { subnetId, weight } of [...current.ordered, ...l1Validators]) totals.set(subnetId, (totals.get(subnetId) ?? 0n) + weight);
    return totals;
  });
}

export interface Subnet extends SubnetRow {
  readonly subnetId: Id;
}

/** Subnets in order of creation, without the primary network. */
export async function subnets(context: RpcContext): Promise<readonly Subnet[]> {
  return perState(await chainState(context), context, "subnets", async () => {
    const found: Subnet[] = [];
    for await (const { key, value } of scanAll(context.reader, platformSubnets)) found.push({ ...value, subnetId: key.subnetId });
    return found.sort((a, b) => Number(a.sequence - b.sequence));
  });
}

export interface Chain extends TableValue<typeof platformChains> {
  readonly chainId: Id;
}

/** Chains by subnet, newest first. Subnets are in order of creation, the primary network last. */
export async function chainsBySubnet(context: RpcContext): Promise<ReadonlyMap<Id, readonly Chain[]>> {
  const inOrder = [...(await subnets(context)).map(({ subnetId }) => subnetId), PRIMARY_NETWORK_ID];
  return perState(await chainState(context), context, "chains", async () => {
    const bySubnet = new Map<Id, Chain[]>(inOrder.map((subnetId) => [subnetId, []]));
    for await (const { key, value } of scanAll(context.reader, platformChains)) {
      bySubnet.get(value.subnetId)!.push({ ...value, chainId: key.chainId });
    }
    for (const chains of bySubnet.values()) chains.sort((a, b) => Number(b.sequence - a.sequence));
    return bySubnet;
  });
}
