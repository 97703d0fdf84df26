import { expect, test } from "vitest";
import { type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../src/base/bytes/id.ts";
import type { View } from "../../../src/base/table/view.ts";
import type { AssetFacts, AssetTxFacts } from "../../../src/chains/asset/facts.ts";
import { assetTxs, assetUtxos } from "../../../src/chains/asset/tables.ts";
import type { PlatformFacts } from "../../../src/chains/platform/facts.ts";
import { isCurrent, type Staker, stakerOf } from "../../../src/chains/platform/state/staker.ts";
import {
  platformChains,
  platformL1Validators,
  platformRewardUtxos,
  platformStakers,
  platformSubnets,
  platformTxs,
  platformUtxos,
  TX_COMMITTED,
} from "../../../src/chains/platform/tables.ts";
import { parseTx } from "../../../src/chains/platform/tx/registry.ts";
import { sharedElements } from "../../../src/chains/shared-memory/tables.ts";
import type { PrimaryFacts } from "../../../src/index/primary/facts.ts";
import { P_CHAIN, X_CHAIN } from "../../../src/index/primary/primary-chain.ts";
import type { Projection } from "../../../src/index/primary/projection.ts";
import { type NodeReplay, replayNode } from "../../conformance/node-replay.ts";
import { type RecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { drawn } from "../../share.ts";
import { FactsState } from "./facts-state.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Elements on their way to P and X, told from facts alone; the C-chain's own are left to its tests. */
class SharedState {
  readonly elements = new Map<Id, string>();
  readonly removedEarly = new Set<Id>();

  put(elements: readonly { key: Id; bytes: Uint8Array }[]): void {
    for (const { key, bytes } of elements) if (!this.removedEarly.delete(key)) this.elements.set(key, hex(bytes));
  }

  remove(keys: readonly Id[]): void {
    for (const key of keys) if (!this.elements.delete(key)) this.removedEarly.add(key);
  }
}

class XState {
  readonly utxos = new Map<Id, string>();
  readonly txs = new Map<Id, bigint>();
  apply(facts: AssetFacts): void {
    for (const { txId, index, produced, consumed } of allTxs(facts)) {
      for (const { utxoId, bytes } of produced) this.utxos.set(utxoId, hex(bytes));
      for (const { utxoId } of consumed) if (!this.utxos.delete(utxoId)) throw new Error(`${utxoId} was consumed and was not there`);
      this.txs.set(txId, index);
    }
  }
}

function allTxs({ txs, genesisTxs }: AssetFacts): readonly AssetTxFacts[] {
  return [...genesisTxs, ...txs];
}

/** Facts as projections get them. */
class Captured implements Projection {
  readonly residentTables = [];
  readonly run: PrimaryFacts[] = [];
  async fetch(): Promise<void> {}
  project(_view: unknown, facts: PrimaryFacts): void {
    this.run.push(facts);
  }
}

function stakerText({ txId, nodeId, subnetId, publicKey, weight, startTime, endTime, potentialReward, priority }: Staker): string {
  return [txId, nodeId, subnetId, publicKey, weight, startTime, endTime, potentialReward, priority].join(" ");
}

/** Rows without an event are found at the next block that has one, or at the end. */
function compareRows({ chains }: NodeReplay, state: FactsState, facts: PlatformFacts): void {
  const { scalars, activeL1Validators } = chains.platform.state;
  expect(facts.accruedFees).toBe(scalars.accruedFees);
  expect(facts.supply).toBe(chains.platform.state.supply(PRIMARY_NETWORK_ID));
  expect(facts.activeL1Validators).toBe(activeL1Validators.length);
  if (facts.events.some(({ kind }) => kind.startsWith("staker") || kind === "l1-validator")) compareSets(chains.view, state);
}

function compareSets(view: View, state: FactsState): void {
  const rows = [...view.rows(platformStakers)].map(({ key, value }) => stakerOf(key.txId, value));
  expect([...state.current.values(), ...state.pending.values()].map(stakerText).sort()).toEqual(rows.map(stakerText).sort());
  expect(state.current.size).toBe(rows.filter(isCurrent).length);
  const l1 = [...view.rows(platformL1Validators)].map(({ key, value }) => [key.validationId, value] as const);
  expect(state.l1Validators).toEqual(new Map(l1));
}

function comparePlatformEnd({ chains: { view }, rows }: NodeReplay, state: FactsState): void {
  compareSets(view, state);
  const subnets = [...view.rows(platformSubnets)].map(({ key, value: { owner, transformation, conversion } }) => {
    const transformedBy = transformation === undefined ? undefined : parseTx(transformation).id;
    return [key.subnetId, { owner, transformedBy, manager: conversion?.managerChainId }] as const;
  });
  expect(state.subnets).toEqual(new Map(subnets));
  const created = [...view.rows(platformChains)].map(({ key, value: { subnetId, name, vmId } }) => [key.chainId, { subnetId, name, vmId }]);
  expect([...state.chains]).toEqual(expect.arrayContaining(created));
  expect(state.chains.size).toBe(created.length);
  const utxos = [...rows.all(platformUtxos)].map(({ key, value }) => [key.utxoId, hex(value.bytes)] as const);
  expect(new Map([...state.utxos].map(([utxoId, bytes]) => [utxoId, hex(bytes)]))).toEqual(new Map(utxos));
  const rewards = [...rows.all(platformRewardUtxos)].map(({ value }) => hex(value.bytes));
  expect(state.rewards.map(hex).sort()).toEqual(rewards.sort());
  const txs = [...rows.all(platformTxs)].map(({ key, value: { height, status } }) => [key.txId, height, status]);
  const decided = state.txs.map((tx) => [tx.tx.id, tx.height, tx.isCommitted ? TX_COMMITTED : TX_COMMITTED + 1]);
  // an aborted transaction may be issued again: its row is of the last time
  const last = new Map(decided.map((tx) => [tx[0], tx]));
  expect([...last.values()].sort()).toEqual(txs.sort());
}

function applyShared(shared: SharedState, facts: PrimaryFacts): void {
  if (facts.chain === "shared-memory") {
    shared.put(facts.elements);
    shared.remove(facts.removed);
  } else if (facts.chain === P_CHAIN) {
    for (const tx of facts.facts.events.filter((event) => event.kind === "tx")) {
      for (const { utxoIds } of tx.imported) shared.remove(utxoIds);
      for (const { elements } of tx.exported) shared.put(elements);
    }
  } else if (facts.chain === X_CHAIN) {
    for (const tx of facts.facts.txs) {
      for (const { keys } of tx.imported) shared.remove(keys);
      for (const { elements } of tx.exported) shared.put(elements);
    }
  }
}

async function replayFacts(name: RecordingName) {
  const captured = new Captured();
  const state = new FactsState();
  const x = new XState();
  const shared = new SharedState();
  let replay: NodeReplay | undefined;
  for await (replay of replayNode(recordingFolder(name), { projections: [captured] })) {
    for (const facts of captured.run.splice(0)) {
      applyShared(shared, facts);
      if (facts.chain === P_CHAIN) {
        expect(facts.origins.length).toBe(facts.facts.height === 0n ? 0 : facts.facts.blocks.length);
        state.apply(facts.facts);
        compareRows(replay, state, facts.facts);
      } else if (facts.chain === X_CHAIN) x.apply(facts.facts);
    }
  }
  return { replay: replay!, state, x, shared };
}

test.each(drawn("whose events give the state", ["latest-1", "eras-1", "p-eras-old"] as const, 1))(
  "events alone give the state after every block of %s",
  async (name) => {
    const { replay, state, x, shared } = await replayFacts(name);
    expect(state.mistakes).toEqual([]);
    comparePlatformEnd(replay, state);
    const xChain = [...replay.rows.all(assetUtxos)].filter(({ key }) => key.chain === 0);
    expect(x.utxos).toEqual(new Map(xChain.map(({ key, value }) => [key.utxoId, hex(value.bytes)])));
    const xTxs = [...replay.rows.all(assetTxs)].filter(({ key, value }) => key.chain === 0 && value.height > 0n);
    expect(xTxs.every(({ key, value }) => x.txs.get(key.txId) === value.index)).toBe(true);
    const network = replay.chains.network;
    const own = new Set<Id>([PLATFORM_CHAIN_ID, network.xChainId]);
    const between = [...replay.rows.all(sharedElements)].filter(({ key }) => own.has(key.source) && own.has(key.destination));
    for (const { key, value } of between) expect(shared.elements.get(key.key)).toBe(hex(value.bytes));
  },
);

test("the recordings hold every kind of event", async () => {
  const kinds = new Set<string>();
  for (const name of ["latest-1", "eras-1", "p-eras-old"] as const) {
    const captured = new Captured();
    for await (const _ of replayNode(recordingFolder(name), { projections: [captured] })) {
      for (const facts of captured.run.splice(0)) {
        if (facts.chain !== P_CHAIN) continue;
        for (const event of facts.facts.events) {
          if (event.kind === "staker-left") kinds.add(event.reason);
          else if (event.kind === "reward") kinds.add(event.rewardType);
          else if (event.kind === "tx") kinds.add(event.isCommitted ? "committed" : "aborted");
          else if (event.kind === "l1-validator")
            kinds.add(event.txId === undefined ? "l1 ran dry" : event.after === undefined ? "l1 left" : "l1");
          else kinds.add(event.kind);
        }
      }
    }
  }
  expect([...kinds].sort()).toEqual(
    [
      ...["staker-added", "staker-promoted", "staker-renewed", "rewarded", "forfeited", "removed", "expired"],
      ...["VALIDATOR", "DELEGATOR", "VALIDATOR_FEE", "committed", "aborted", "l1", "l1 left", "l1 ran dry"],
      ...["subnet-created", "subnet-owner", "subnet-transformed", "subnet-converted", "chain-created"],
    ].sort(),
  );
});
