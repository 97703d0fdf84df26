/** The P-chain's state in the form of `p-eras-old/checkpoints`, with unordered lists sorted for comparison. */

import { formatId, formatNodeId } from "../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import { PRIMARY_NETWORK_ID } from "../../../src/base/bytes/id.ts";
import type { View } from "../../../src/base/table/view.ts";
import type { PlatformChain } from "../../../src/chains/platform/chain.ts";
import type { Staker } from "../../../src/chains/platform/state/staker.ts";
import { nextTime } from "../../../src/chains/platform/state/staker.ts";
import {
  platformChains,
  platformRewardUtxos,
  platformStakingInfo,
  platformSubnets,
  platformSupplies,
  platformUtxos,
  type SubnetRow,
} from "../../../src/chains/platform/tables.ts";
import type { MemoryRows } from "../memory-rows.ts";

/** What a checkpoint's `state` holds; members that tests do not compare are left out. */
export interface RecordedState {
  accruedFees: string;
  chains: { subnetID: string; chains: string[] }[];
  currentStakers: unknown[];
  feeState: { capacity: string; excess: string };
  l1ValidatorExcess: string;
  lastAccepted: string;
  pendingStakers: unknown[];
  rewardUTXOs: { txID: string; utxos: string[] }[];
  stakingInfo: { txID: string }[];
  subnets: { subnetID: string }[];
  supplies: { subnetID: string }[];
  timestamp: number;
  utxos: { id: string; hex: string }[];
  validatorSets: Record<string, { nodeID: string }[]>;
}

function by<T>(key: (value: T) => string): (a: T, b: T) => number {
  return (a, b) => (key(a) < key(b) ? -1 : 1);
}

function grouped<T>(values: Iterable<T>, keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

function stakerJson(staker: Staker): object {
  return {
    endTime: Number(staker.endTime),
    nextTime: Number(nextTime(staker)),
    nodeID: formatNodeId(staker.nodeId),
    potentialReward: `${staker.potentialReward}`,
    priority: staker.priority,
    ...(staker.publicKey && { publicKey: `0x${staker.publicKey}` }),
    startTime: Number(staker.startTime),
    subnetID: formatId(staker.subnetId),
    txID: formatId(staker.txId),
    weight: `${staker.weight}`,
  };
}

export function validatorSetJson(members: Iterable<[string, { weight: bigint; publicKey: string | undefined }]>): { nodeID: string }[] {
  return [...members]
    .map(([nodeId, { weight, publicKey }]) => ({
      nodeID: formatNodeId(nodeId),
      weight: `${weight}`,
      ...(publicKey && { publicKey: `0x${publicKey}` }),
    }))
    .sort(by(({ nodeID }) => nodeID));
}

export function dumpState({ state }: PlatformChain, view: View, rows: MemoryRows): RecordedState {
  const { timestamp, lastAccepted, feeCapacity, feeExcess, l1Excess, accruedFees } = state.scalars;
  const subnets = [...view.rows(platformSubnets)];
  const chains = grouped(view.rows(platformChains), ({ value }) => value.subnetId);
  const rewards = grouped(rows.all(platformRewardUtxos), ({ key }) => key.txId);
  const subnetIds = [PRIMARY_NETWORK_ID, ...subnets.map(({ key }) => key.subnetId)];
  return {
    accruedFees: `${accruedFees}`,
    chains: subnetIds
      .map((subnetId) => ({
        subnetID: formatId(subnetId),
        chains: (chains.get(subnetId) ?? []).map(({ key }) => formatId(key.chainId)).sort(),
      }))
      .sort(by(({ subnetID }) => subnetID)),
    currentStakers: state.currentStakers.map(stakerJson),
    feeState: { capacity: `${feeCapacity}`, excess: `${feeExcess}` },
    l1ValidatorExcess: `${l1Excess}`,
    lastAccepted: formatId(lastAccepted),
    pendingStakers: state.pendingStakers.map(stakerJson),
    rewardUTXOs: [...rewards]
      .map(([txId, list]) => ({ txID: formatId(txId), utxos: list.map(({ value }) => versionedHex(value.bytes)).sort() }))
      .sort(by(({ txID }) => txID)),
    stakingInfo: [...view.rows(platformStakingInfo)]
      .map(({ key, value }) => ({
        delegateeReward: `${value.delegateeReward}`,
        nodeID: formatNodeId(key.nodeId),
        subnetID: formatId(key.subnetId),
        txID: formatId(state.currentValidator(key.subnetId, key.nodeId)?.txId ?? ""),
      }))
      .sort(by(({ txID }) => txID)),
    subnets: subnets
      .map(({ key, value }) => ({
        subnetID: formatId(key.subnetId),
        owner: ownerJson(value.owner),
        ...(value.transformation && { transformation: formatId(sha256Hex(value.transformation)) }),
      }))
      .sort(by(({ subnetID }) => subnetID)),
    supplies: [...view.rows(platformSupplies)]
      .map(({ key, value }) => ({ subnetID: formatId(key.subnetId), supply: `${value.supply}` }))
      .sort(by(({ subnetID }) => subnetID)),
    timestamp: Number(timestamp),
    utxos: [...rows.all(platformUtxos)]
      .map(({ key, value }) => ({ id: formatId(key.utxoId), hex: versionedHex(value.bytes) }))
      .sort(by(({ id }) => id)),
    validatorSets: Object.fromEntries(subnetIds.map((subnetId) => [formatId(subnetId), validatorSetJson(state.members(subnetId))])),
  };
}

/** A recorded state in the same order. */
export function sortedState(state: RecordedState): RecordedState {
  return {
    ...state,
    chains: state.chains.map((entry) => ({ ...entry, chains: entry.chains.toSorted() })).sort(by(({ subnetID }) => subnetID)),
    rewardUTXOs: state.rewardUTXOs
      .filter(({ utxos }) => utxos.length > 0)
      .map((entry) => ({ ...entry, utxos: entry.utxos.toSorted() }))
      .sort(by(({ txID }) => txID)),
    stakingInfo: state.stakingInfo.toSorted(by(({ txID }) => txID)),
    subnets: state.subnets.toSorted(by(({ subnetID }) => subnetID)),
    supplies: state.supplies.toSorted(by(({ subnetID }) => subnetID)),
    utxos: state.utxos.toSorted(by(({ id }) => id)),
    validatorSets: Object.fromEntries(
      Object.entries(state.validatorSets).map(([subnetId, set]) => [subnetId, set.toSorted(by(({ nodeID }) => nodeID))]),
    ),
  };
}

function ownerJson({ locktime, threshold, addresses }: SubnetRow["owner"]): object {
  return { locktime: Number(locktime), threshold, addresses };
}

function versionedHex(bytes: Uint8Array): string {
  return `0x0000${Buffer.from(bytes).toString("hex")}`;
}
