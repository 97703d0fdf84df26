/** Uptimes of validators, as this node measures them, also across its restarts. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { formatNodeId } from "../../../src/base/bytes/cb58.ts";
import type { NodeId } from "../../../src/base/bytes/id.ts";
import { PeerUptimes } from "../../../src/serve/peers/peer-uptimes.ts";
import { ManualClock } from "../../p2p/peers.ts";
import { eventually } from "../../patience.ts";
import { openSmallStore, type SmallStore } from "../small-store.ts";

const [A, B] = ["aa".repeat(20), "bb".repeat(20)];
const MINUTE = 60_000;

let small: SmallStore;
let clock: ManualClock;
let connected: Set<NodeId>;
let starts: Map<NodeId, bigint>;

beforeEach(async () => {
  small = await openSmallStore();
  clock = new ManualClock();
  connected = new Set([A]);
  // both have validated for ten minutes
  starts = new Map([A, B].map((nodeId) => [nodeId, clock.unixSeconds() - 600n]));
});
afterEach(() => small.remove());

function measuring(): PeerUptimes {
  const peers = { isConnected: (nodeId: NodeId) => connected.has(nodeId) };
  return new PeerUptimes({ peers, state: { startTimes: async () => starts }, store: small.store, clock });
}

async function uptimes(measured: PeerUptimes): Promise<readonly (string | undefined)[]> {
  const told = await measured.measured();
  return [A, B].map((nodeId) => told!.validators[formatNodeId(nodeId)]?.uptime);
}

test("the first minute, and the time in which this node does not run, count as online", async () => {
  const first = measuring();
  clock.move(MINUTE);
  expect(await uptimes(first)).toEqual(["100.0000", "100.0000"]);
  clock.move(MINUTE);
  expect(await uptimes(first)).toEqual(["100.0000", (100 * (1 - 1 / 12)).toFixed(4)]);
  connected = new Set([B]);
  clock.move(MINUTE);
  const both = [(100 * (1 - 1 / 13)).toFixed(4), (100 * (1 - 1 / 13)).toFixed(4)];
  expect(await uptimes(first)).toEqual(both);
  await first.close();
  clock.move(10 * MINUTE);
  const second = measuring();
  clock.move(MINUTE);
  expect(await uptimes(second)).toEqual([(100 * (1 - 1 / 24)).toFixed(4), (100 * (1 - 1 / 24)).toFixed(4)]);
  // who begins to validate again begins anew
  starts = new Map([[A, clock.unixSeconds()]]);
  connected = new Set();
  clock.move(MINUTE);
  expect(await uptimes(second)).toEqual(["0.0000", undefined]);
  await second.close();
});

test("what was counted is stored once a minute, without anybody who asks", async () => {
  measuring();
  for (let turn = 1; turn <= 30; turn++) {
    clock.move(5_000);
    await eventually(() => clock.waiting === 1);
  }
  const next = measuring();
  // 150 s, of which the first minute does not count, and the last half was not stored
  const [, absent] = await uptimes(next);
  expect(Number(absent)).toBeCloseTo(100 * (1 - 60 / 750), 3);
  await next.close();
});
