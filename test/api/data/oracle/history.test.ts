/** Checks the oracle itself: its history against the states of the reference node. */
import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatId, formatNodeId, parseId } from "../../../../src/base/bytes/cb58.ts";
import { readJson } from "../../../conformance/json-lines.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";
import type { History, Staker, Utxo } from "./history.ts";
import { readHistory } from "./read-history.ts";
import { isThere } from "./stakers.ts";

interface Dump {
  readonly height: number;
  readonly state: {
    readonly accruedFees: string;
    readonly currentStakers: readonly { readonly txID: string }[];
    readonly pendingStakers: readonly { readonly txID: string }[];
    readonly stakingInfo: readonly { readonly txID: string; readonly delegateeReward: string }[];
    readonly supplies: readonly { readonly subnetID: string; readonly supply: string }[];
    readonly subnets: readonly { readonly subnetID: string; readonly owner: { readonly addresses: readonly string[] } }[];
    readonly rewardUTXOs: readonly { readonly txID: string; readonly utxos: readonly string[] }[];
    readonly utxos: readonly { readonly id: string }[];
    readonly timestamp: number;
  };
}

function stakerOfDump(staker: Staker) {
  return {
    txID: formatId(staker.tx.txId),
    nodeID: formatNodeId(staker.nodeId),
    subnetID: formatId(staker.subnetId),
    weight: `${staker.weight}`,
    startTime: Number(staker.start),
    endTime: Number(staker.end),
    potentialReward: `${staker.potentialReward}`,
  };
}

const byTx = (a: { readonly txID: string }, b: { readonly txID: string }) => (a.txID < b.txID ? -1 : 1);
const listed = (staker: object) => expect.objectContaining(staker);

function compare(history: History, { state }: Dump): void {
  const { stakers, utxos, subnets, supplies } = history;
  expect(Number(history.time)).toBe(state.timestamp);
  expect(`${history.accruedFees}`).toBe(state.accruedFees);
  for (const [status, recorded] of [
    ["active", state.currentStakers],
    ["pending", state.pendingStakers],
  ] as const) {
    const own = stakers.filter((staker) => staker.status === status).map(stakerOfDump);
    expect([...recorded].sort(byTx)).toEqual(own.sort(byTx).map(listed));
  }
  for (const { txID, delegateeReward } of state.stakingInfo) {
    expect(`${stakers.find(({ tx }) => tx.txId === parseId(txID))!.owedFees}`).toBe(delegateeReward);
  }
  const isFree = ({ staker }: { staker?: Staker }) => staker === undefined || !isThere(staker);
  const own = utxos.filter((utxo) => utxo.createdOn === "P" && utxo.consumedOn === "P" && utxo.spent === undefined && isFree(utxo));
  expect(own.map(({ utxoId }) => formatId(utxoId)).sort()).toEqual(state.utxos.map(({ id }) => id).sort());
  expect(Object.fromEntries([...supplies].map(([subnetId, supply]) => [formatId(subnetId), `${supply}`]))).toEqual(
    Object.fromEntries(state.supplies.map(({ subnetID, supply }) => [subnetID, supply])),
  );
  expect(Object.fromEntries(subnets.map(({ subnetId, owner }) => [formatId(subnetId), owner.addresses]))).toEqual(
    Object.fromEntries(state.subnets.map(({ subnetID, owner }) => [subnetID, owner.addresses])),
  );
  const paid = state.rewardUTXOs.filter(({ utxos }) => utxos.length > 0);
  const rewardsOf = new Map<string, Utxo[]>();
  for (const utxo of utxos) if (utxo.reward !== undefined) rewardsOf.set(utxo.txId, [...(rewardsOf.get(utxo.txId) ?? []), utxo]);
  for (const { txID, utxos: recorded } of paid) {
    const rewards = rewardsOf.get(parseId(txID)) ?? [];
    expect(rewards.map(({ amount }) => amount.toString(16).padStart(16, "0"))).toEqual(recorded.map(rewardAmount));
  }
  expect(new Set(utxos.filter(({ reward }) => reward).map(({ txId }) => formatId(txId)))).toEqual(new Set(paid.map(({ txID }) => txID)));
}

/** version 2, transaction 32, index 4, asset 32, type 4 bytes; then the amount */
const rewardAmount = (hex: string) => hex.slice(2 + 74 * 2, 2 + 82 * 2);

describe("the history of p-eras-old", () => {
  test("has the stakers, UTXOs, supplies, owners and rewards of every state dump", async () => {
    const folder = recordingFolder("p-eras-old");
    const names = readdirSync(`${folder}/checkpoints`).filter((name) => existsSync(`${folder}/checkpoints/${name}`));
    const dumps = new Map(names.map((name) => readJson<Dump>(folder, `checkpoints/${name}`)).map((dump) => [dump.height, dump]));
    const seen = new Set<number>();
    await readHistory(folder, {
      visit(history) {
        const height = Number(history.height);
        const dump = dumps.get(height);
        if (dump === undefined || seen.has(height)) return;
        seen.add(height);
        compare(history, dump);
      },
    });
    expect(seen.size).toBe(dumps.size);
  });
});
