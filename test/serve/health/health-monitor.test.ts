import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CommittedStates } from "../../../src/api/state/committed-states.ts";
import { type HealthReports, healthReport } from "../../../src/api/state/health-report.ts";
import { KeptAnswers } from "../../../src/api/state/kept-answers.ts";
import { NO_PEERS } from "../../../src/api/state/node-facts.ts";
import { PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../src/base/bytes/id.ts";
import { platformStakers, platformStakingInfo } from "../../../src/chains/platform/tables.ts";
import { blocks, sourceState, sourceTips } from "../../../src/index/tables.ts";
import { type CheckedParts, DEFAULT_LIMITS } from "../../../src/serve/health/health-checks.ts";
import { HealthMonitor } from "../../../src/serve/health/health-monitor.ts";
import { storeWatch } from "../../../src/serve/serving-store.ts";
import { change, heightChanges, openSmallStore, type SmallStore, smallNetwork } from "../small-store.ts";

const SECOND = 1_000_000_000n;
const START = 1_700_000_000n * SECOND;
const identity = { nodeId: "05".repeat(20), blsPublicKey: "06".repeat(48), proofOfPossession: "07".repeat(96) };

let small: SmallStore;
let now: bigint;
let disk: { availableBytes: bigint; totalBytes: bigint };
let monitor: HealthMonitor;

beforeEach(async () => {
  small = await openSmallStore();
  now = START;
  disk = { availableBytes: 50n, totalBytes: 100n };
  monitor = await startMonitor();
});
afterEach(() => small.remove());

async function startMonitor(): Promise<HealthMonitor> {
  const parts: CheckedParts = {
    store: small.store,
    network: smallNetwork,
    identity,
    peerSource: NO_PEERS,
    sourceName: async () => "archive",
    limits: DEFAULT_LIMITS,
    clock: { now: () => now },
    diskUsage: async () => disk,
    storeProblem: await storeWatch(small.directory, small.store),
  };
  return new HealthMonitor(parts, new CommittedStates(small.store, smallNetwork, { kept: new KeptAnswers(0) }));
}

function check(reports: HealthReports, name: string) {
  return JSON.parse(reports.health.find((stored) => stored.name === name)!.json);
}

function isHealthy(reports: HealthReports): boolean {
  return healthReport(reports.health, []).isHealthy;
}

async function passAfter(seconds: bigint): Promise<HealthReports> {
  now += seconds * SECOND;
  return monitor.pass();
}

const BLOCK = {
  blockId: "0a".repeat(32),
  containerId: "0b".repeat(32),
  head: new Uint8Array(),
  bytes: new Uint8Array(),
  tail: new Uint8Array(),
};

describe("a node at the end of its archive", () => {
  test("is healthy without peers and shows the node's checks and Firn's own", async () => {
    const reports = await monitor.pass();
    expect(isHealthy(reports)).toBe(true);
    const names = ["C", "P", "X", "bls", "bootstrapped", "database", "diskspace", "futureupgrade", "index", "network", "router"];
    expect(reports.health.map(({ name }) => name)).toEqual(names);
    expect(check(reports, "P").message.engine.consensus).toMatchObject({ lastAcceptedHeight: 10, longestProcessingBlock: "0s" });
    expect(check(reports, "network").message).toMatchObject({ connectedPeers: 0, source: "archive" });
    expect(reports.readiness.map(({ name, isPassing }) => [name, isPassing])).toEqual([["bootstrapped", true]]);
  });

  test("is 0 seconds behind, however old its last block is", async () => {
    await small.store.commit([
      change(blocks, { chainId: PLATFORM_CHAIN_ID, height: 10n }, { ...BLOCK, acceptedAt: START - 5000n * SECOND }),
    ]);
    const { chains } = check(await monitor.pass(), "index").message;
    expect(chains.P).toEqual({ height: 10, lastBlockAgeSeconds: 5000, secondsBehind: 0 });
  });
});

describe("a chain that stalls while its source has more", () => {
  test("turns red after a minute, counts its failures, and recovers when it moves on", async () => {
    await small.store.commit([change(sourceTips, { chainId: PLATFORM_CHAIN_ID }, { height: 15n, acceptedAt: START })]);
    expect(check(await monitor.pass(), "P").error).toBeUndefined();
    const first = check(await passAfter(61n), "P");
    expect(first).toMatchObject({ contiguousFailures: 1, timeOfFirstFailure: first.timestamp });
    expect(first.error).toBe("chain stalled: at height 10 for 61s, 5 blocks behind its source; required at most 60s");
    const second = check(await passAfter(30n), "P");
    expect(second).toMatchObject({ contiguousFailures: 2, timeOfFirstFailure: first.timestamp });
    await small.store.commit(heightChanges({ P: 11n, X: 20n, C: 30n }));
    const recovered = check(await passAfter(30n), "P");
    expect([recovered.error, recovered.contiguousFailures, recovered.timeOfFirstFailure]).toEqual([undefined, undefined, undefined]);
  });

  test("leaves the other chains green, and is told by its subnet's tag", async () => {
    await small.store.commit([change(sourceTips, { chainId: PLATFORM_CHAIN_ID }, { height: 15n, acceptedAt: START })]);
    await monitor.pass();
    const { health } = await passAfter(61n);
    expect(health.filter(({ isPassing }) => !isPassing).map(({ name }) => name)).toContain("P");
    expect(health.find(({ name }) => name === "X")!.isPassing).toBe(true);
    expect(healthReport(health, ["11111111111111111111111111111111LpoYY"]).isHealthy).toBe(false);
  });
});

describe("an index far behind its source", () => {
  test("is red although it moves", async () => {
    await small.store.commit([
      change(blocks, { chainId: PLATFORM_CHAIN_ID, height: 10n }, { ...BLOCK, acceptedAt: START - 86_400n * SECOND }),
      change(sourceTips, { chainId: PLATFORM_CHAIN_ID }, { height: 15n, acceptedAt: START }),
    ]);
    const reports = await monitor.pass();
    expect(check(reports, "index").error).toBe("P is 86400s behind its source; required at most 60s");
    expect(isHealthy(reports)).toBe(false);
  });
});

describe("a followed network", () => {
  // how long ago a node answered is told in seconds of the wall clock
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const heard = (secondsAgo: number, problem = "") => {
    const seenAt = BigInt(Math.floor(vi.getMockedSystemTime()!.getTime() / 1000) - secondsAgo);
    return small.store.commit([change(sourceState, { slot: 0 }, { seenAt, problem, upstreams: "[]" })]);
  };

  test("is healthy while its nodes answer, however long its chains stand still", async () => {
    await heard(1);
    await monitor.pass();
    expect(isHealthy(await passAfter(5000n))).toBe(true);
  });

  test("is red when no node has answered, and says for how long", async () => {
    await heard(100);
    const reports = await monitor.pass();
    expect(check(reports, "P").error).toBe("no upstream node has answered for 100s");
    expect(check(reports, "index").error).toMatch(/^P is 100s behind its source.*X is 100s behind its source/);
  });

  test("is red when nothing can be ingested, and says why", async () => {
    await heard(1, "P block 7 cannot be executed");
    expect(check(await monitor.pass(), "X").error).toBe("P block 7 cannot be executed");
  });
});

describe("a disk that fills up", () => {
  test("is red below the warning threshold, red with another text below the required one, and green again", async () => {
    disk = { availableBytes: 9n, totalBytes: 100n };
    expect(check(await monitor.pass(), "diskspace")).toMatchObject({
      message: { availableDiskBytes: 9, availableDiskPercentage: 9 },
      error: "remaining available disk space percentage (9%) is below warning threshold available space percentage (10%)",
    });
    disk = { availableBytes: 2n, totalBytes: 100n };
    const worse = check(await monitor.pass(), "diskspace");
    expect(worse.error).toBe("remaining available disk space percentage (2%) is below minimum required available space percentage (3%)");
    expect(worse.contiguousFailures).toBe(2);
    disk = { availableBytes: 10n, totalBytes: 100n };
    expect(isHealthy(await monitor.pass())).toBe(true);
  });
});

describe("a store that goes away", () => {
  test("is red when its files are deleted, although they can still be read", async () => {
    await monitor.pass();
    rmSync(join(small.directory, "store"), { recursive: true });
    const reports = await monitor.pass();
    expect(check(reports, "database").error).toContain("the store's directory cannot be read");
    expect(isHealthy(reports)).toBe(false);
  });

  test("is red once its file is shorter than it was", async () => {
    const file = join(small.directory, "store", "data.mdb");
    const rest = await open(file, "a");
    await rest.truncate((await rest.stat()).size + 4096);
    expect(check(await monitor.pass(), "database").error).toBeUndefined();
    await rest.truncate((await rest.stat()).size - 4096);
    await rest.close();
    expect(check(await monitor.pass(), "database").error).toMatch(/the store's file data\.mdb was cut off: it has \d+ bytes and had \d+/);
  });

  test("is red for every chain when it cannot be read at all", async () => {
    await monitor.pass();
    await small.store.close();
    const { health } = await monitor.pass();
    expect(health.filter(({ isPassing }) => !isPassing).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["C", "P", "X", "database"]),
    );
    expect(check({ health, readiness: [] }, "P").message).toBeUndefined();
  });
});

describe("a node that is registered as a validator", () => {
  const validator = { isCurrent: true, nodeId: identity.nodeId, subnetId: PRIMARY_NETWORK_ID, weight: 1n, startTime: 0n, endTime: 1n };
  const staker = (publicKey: string | undefined) =>
    change(platformStakers, { txId: "0c".repeat(32) }, { ...validator, publicKey, potentialReward: 0n, priority: 1, tx: new Uint8Array() });
  const none = {
    delegateeReward: 0n,
    accruedValidationRewards: 0n,
    accruedDelegateeRewards: 0n,
    autoCompoundRewardShares: 0,
    nextPeriod: 0n,
  };
  const info = change(platformStakingInfo, { subnetId: PRIMARY_NETWORK_ID, nodeId: identity.nodeId }, none);

  test("is red with another BLS key than its own, and green with its own", async () => {
    expect(check(await monitor.pass(), "bls").message).toBe("node is not a validator");
    await small.store.commit([info, staker("09".repeat(48))]);
    expect(check(await monitor.pass(), "bls").error).toBe(
      `node has BLS key 0x${"06".repeat(48)}, but is registered to the validator set with 0x${"09".repeat(48)}`,
    );
    await small.store.commit([staker(identity.blsPublicKey)]);
    expect(check(await monitor.pass(), "bls").message).toBe("node has the correct BLS key");
  });
});
