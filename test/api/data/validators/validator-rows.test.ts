/**
 * The number of rows read for a page of validators depends on its size, not on the history: the same requests on a history and on one a
 * hundred times as long.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Position } from "../../../../src/api/data/context.ts";
import { listValidators } from "../../../../src/api/data/validators/list-validators.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../../src/base/bytes/hash.ts";
import { PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { View } from "../../../../src/base/table/view.ts";
import {
  COMPLETED,
  knownNodes,
  REMOVED,
  stakingTotals,
  type Validation,
  validations,
} from "../../../../src/index/primary/staking/staking-tables.ts";
import { NO_STAKING } from "../../../../src/index/primary/staking/validation-reader.ts";
import { listPastValidation } from "../../../../src/index/primary/staking/validation-rows.ts";
import { openStore } from "../../../../src/store/open.ts";
import type { Store } from "../../../../src/store/store.ts";
import { testNetwork } from "../../../chains/platform/state/fixture.ts";
import { CountingReader } from "../../../index/counting-reader.ts";
import { ask, walk } from "../staking/request.ts";

const SHORT = 300;
const FACTOR = 100;
const NODES = 160;
const SUBNET = "5b".repeat(32);

const name = (text: string, digits: number) => sha256Hex(Buffer.from(text)).slice(0, digits);
const nodeOf = (i: number) => name(`node ${i % NODES}`, 40);

/** Completed ones of the primary network and a subnet, removed ones of the subnet. */
function past(i: number): Validation {
  const isPrimary = i % 3 !== 0;
  return {
    status: isPrimary || i % 2 === 0 ? COMPLETED : REMOVED,
    ...{ subnetId: isPrimary ? PRIMARY_NETWORK_ID : SUBNET, nodeId: nodeOf(i), height: BigInt(i), timestamp: BigInt(i) },
    ...{ weight: 1n, start: 1n, end: 2n, isAutoRenewed: false, signer: undefined, potentialReward: 0n },
    terms: isPrimary ? { assetId: SUBNET, shares: 20_000 + ((i * 7919) % 980_001), validationOwner: [], delegationOwner: [] } : undefined,
    ...{ delegators: { count: 0, weight: 0n, fees: 0n }, everDelegated: { count: 0, weight: 0n } },
    ...{ rewards: { validation: 0n, delegation: 0n }, left: { txId: SUBNET, timestamp: 2n } },
  };
}

async function fill(store: Store, count: number): Promise<void> {
  for (let first = 0; first < count; first += 5000) {
    const view = new View();
    for (let i = first; i < Math.min(first + 5000, count); i++) {
      const txId = name(`tx ${i}`, 64);
      view.put(validations, { txId }, past(i));
      listPastValidation(view, txId, past(i));
    }
    if (first === 0) {
      for (let i = 0; i < NODES; i++) view.put(knownNodes, { sequence: i }, { nodeId: nodeOf(i) });
      view.put(stakingTotals, { slot: 0 }, { ...NO_STAKING, nodeCount: NODES });
    }
    await store.commit(view.drain());
  }
}

const directories = [0, 1].map(() => mkdtempSync(join(tmpdir(), "firn-rows-")));
const stores: Store[] = [];

beforeAll(async () => {
  for (const [i, directory] of directories.entries()) {
    stores.push(await openStore({ directory, mode: "write" }));
    await fill(stores[i]!, SHORT * (i === 0 ? 1 : FACTOR));
  }
});

afterAll(async () => {
  for (const store of stores) await store.close();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** The most rows that a page read, of the first pages. */
async function rowsRead(store: Store, query: Record<string, string>): Promise<number> {
  const asked = { network: testNetwork(), clock: 5n, cache: new Map() };
  await ask(listValidators, store, asked, query);
  let most = 0;
  let after: Position | undefined;
  for (let page = 0; page < 5; page++) {
    const counted = new CountingReader(store);
    const { next } = await ask(listValidators, counted, asked, query, { after });
    most = Math.max(most, counted.reads);
    if (next === undefined) break;
    after = next;
  }
  return most;
}

const primary = { subnetId: formatId(PRIMARY_NETWORK_ID) };
const node = formatNodeId(nodeOf(1));

test.each<[string, Record<string, string>, number]>([
  ["no filter", {}, 60],
  ["a status", { validationStatus: "completed" }, 60],
  ["a status and a subnet", { validationStatus: "removed", subnetId: formatId(SUBNET) }, 60],
  ["oldest first", { sortOrder: "asc" }, 60],
  ["one node", { nodeIds: node }, 60],
  ["one node and a subnet", { nodeIds: node, ...primary }, 60],
  ["a fragment of few nodes", { nodeIds: node.slice(9, 11) }, 200],
  ["a fragment of many nodes", { nodeIds: "a" }, 300],
  ["a fragment of all nodes", { nodeIds: "NodeID-" }, 60],
  ["a bound of the fee", { minFeePercentage: "93.1234" }, 400],
  ["both bounds of the fee", { minFeePercentage: "17.0001", maxFeePercentage: "81.9999" }, 600],
  ["a narrow range of the fee", { minFeePercentage: "17.0001", maxFeePercentage: "17.0003" }, 60],
  ["a node and a bound of the fee", { nodeIds: node, minFeePercentage: "93.1234" }, 400],
  ["a fragment of many nodes and a bound of the fee", { nodeIds: "a", minFeePercentage: "50" }, 300],
  [
    "a fragment of many nodes and a range of the fee that nobody has",
    { nodeIds: "a", minFeePercentage: "17.0001", maxFeePercentage: "17.0002" },
    60,
  ],
  ["order of the fee", { sortBy: "delegationFee", ...primary }, 60],
  ["order of the fee between bounds", { sortBy: "delegationFee", minFeePercentage: "40", maxFeePercentage: "41", ...primary }, 60],
  ["order of the fee and a fragment", { sortBy: "delegationFee", nodeIds: node.slice(9, 11), ...primary }, 200],
  ["order of a figure that they lack", { sortBy: "delegationCapacity" }, 60],
  ["a capacity, which they lack", { minDelegationCapacity: "1", validationStatus: "completed" }, 2],
  ["a capacity and a fragment", { minDelegationCapacity: "1", nodeIds: "a" }, 2],
])("a page with %s reads as many rows as ever on a history 100 times as long", async (_, query, most) => {
  const [short, long] = [await rowsRead(stores[0]!, query), await rowsRead(stores[1]!, query)];
  expect(long).toBeLessThanOrEqual(most);
  expect(long).toBeLessThanOrEqual(2 * Math.max(short, 30));
});

test("many matching nodes with any fee are what a loop finds", async () => {
  const all = Array.from({ length: SHORT }, (_, i) => ({ txHash: formatId(name(`tx ${i}`, 64)), validation: past(i) })).reverse();
  const walked = { network: testNetwork(), clock: 5n, cache: new Map() };
  for (const part of ["a", "1", "A", "N", "zz", node.slice(8, 10)]) {
    for (const [min, max] of [
      [2, 100],
      [2, 30],
      [40.5, 90],
      [99, 100],
    ] as const) {
      const listed = await walk(
        listValidators,
        stores[0]!,
        walked,
        { nodeIds: part, minFeePercentage: `${min}`, maxFeePercentage: `${max}`, pageSize: "7" },
        "validators",
      );
      const expected = all.filter(({ validation: { terms, nodeId } }) => {
        const fee = terms && terms.shares / 10_000;
        return fee !== undefined && fee >= min && fee <= max && formatNodeId(nodeId).includes(part);
      });
      expect(listed.map(({ txHash }) => txHash)).toEqual(expected.map(({ txHash }) => txHash));
    }
    const unbounded = await walk(listValidators, stores[0]!, walked, { nodeIds: part, pageSize: "7" }, "validators");
    const expected = all.filter(({ validation: { nodeId } }) => formatNodeId(nodeId).includes(part));
    expect(unbounded.map(({ txHash }) => txHash)).toEqual(expected.map(({ txHash }) => txHash));
  }
});
