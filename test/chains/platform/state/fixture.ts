/** A P-chain state over an empty view, and records to fill it with. */

import { EMPTY_ID, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { View } from "../../../../src/base/table/view.ts";
import { PlatformState } from "../../../../src/chains/platform/state/platform-state.ts";
import { Priority, type Staker } from "../../../../src/chains/platform/state/staker.ts";
import type { L1Validator } from "../../../../src/chains/platform/state/staker-set.ts";
import { residentTables } from "../../../../src/chains/platform/tables.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import { localNetwork } from "../../../../src/network/presets.ts";

/** Etna and all before it are active. */
export const NOW = 1_800_000_000n;

export function idOf(number: number): string {
  return number.toString(16).padStart(64, "0");
}

export function nodeOf(number: number): string {
  return number.toString(16).padStart(40, "0");
}

export function testNetwork(changes: Partial<NetworkInstance> = {}): NetworkInstance {
  const ids = { genesisBytes: new Uint8Array(), genesisId: EMPTY_ID, xChainId: idOf(1), cChainId: idOf(2), avaxAssetId: idOf(3) };
  return { ...localNetwork(), ...ids, ...changes };
}

export function emptyState(network = testNetwork(), timestamp = NOW): PlatformState {
  const view = new View();
  for (const table of residentTables) view.setResident(table);
  const state = new PlatformState(network, view);
  state.createScalars({
    height: 10n,
    lastAccepted: idOf(10),
    timestamp,
    feeCapacity: 0n,
    feeExcess: 0n,
    l1Excess: 0n,
    accruedFees: 0n,
  });
  state.setSupply(PRIMARY_NETWORK_ID, 360_000_000_000_000_000n);
  view.drain();
  return state;
}

export function staker(changes: Partial<Staker> = {}): Staker {
  return {
    txId: idOf(100),
    nodeId: nodeOf(1),
    subnetId: PRIMARY_NETWORK_ID,
    publicKey: undefined,
    weight: 2_000_000_000_000n,
    startTime: NOW,
    endTime: NOW + 1_000_000n,
    potentialReward: 0n,
    priority: Priority.primaryValidatorCurrent,
    tx: new Uint8Array([1]),
    ...changes,
  };
}

export function l1Validator(changes: Partial<L1Validator> = {}): L1Validator {
  const owner = { threshold: 0, addresses: [] };
  return {
    validationId: idOf(200),
    subnetId: idOf(50),
    nodeId: nodeOf(2),
    publicKey: "ab".repeat(48),
    remainingBalanceOwner: owner,
    deactivationOwner: owner,
    startTime: NOW,
    weight: 10n,
    minNonce: 0n,
    endAccumulatedFee: 1_000_000_000n,
    ...changes,
  };
}

export function putL1(state: PlatformState, changes: Partial<L1Validator>): L1Validator {
  const { validationId, ...row } = l1Validator(changes);
  state.putL1Validator(validationId, row);
  return { validationId, ...row };
}
