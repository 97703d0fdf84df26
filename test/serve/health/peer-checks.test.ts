/** Texts and limits as the reference node has them: `network.go`, `chain_router.go`, `handler/health.go` and `node.go`. */
import { describe, expect, test } from "vitest";
import { futureUpgradeCheck, networkCheck, networkingOf, routerCheck } from "../../../src/serve/health/peer-checks.ts";
import type { PeersReport } from "../../../src/sources/source.ts";
import { smallNetwork } from "../small-store.ts";

const GOOD: PeersReport = {
  connected: 4,
  inbound: 0,
  bytesReceived: 100,
  bytesSent: 100,
  sendFailRate: 0,
  outstandingRequests: 3,
  longestRequestMs: 1.5,
  upMs: 1_000,
  sinceReceivedMs: 1_250,
  sinceSentMs: 0.5,
};

describe("the network check", () => {
  test("has the members of a node's", () => {
    expect(networkCheck(GOOD, false)).toEqual({
      message: { connectedPeers: 4, sendFailRate: 0, timeSinceLastMsgReceived: "1.25s", timeSinceLastMsgSent: "500µs" },
      error: undefined,
    });
    const later = networkCheck({ ...GOOD, upMs: 600_001 }, false);
    expect(later.error).toBeUndefined();
    expect(later.message).toMatchObject({
      "primary network validator health": { ingressConnectionCount: 0, primaryNetworkValidator: false },
    });
  });

  test.each([
    [{ connected: 0 }, false, "not connected to a minimum of 1 peer(s) only 0"],
    [{ sinceReceivedMs: 60_001 }, false, "no messages from network received in 1m0.001s > 1m0s"],
    [{ sinceSentMs: 61_000 }, false, "no messages from network sent in 1m1s > 1m0s"],
    [{ sendFailRate: 0.95 }, false, "messages failure send rate 0.95 > 0.9"],
    [{ upMs: 600_001 }, true, "primary network validator has no inbound connections"],
    [
      { connected: 0, sinceReceivedMs: 60_001 },
      false,
      "not connected to a minimum of 1 peer(s) only 0, no messages from network received in 1m0.001s > 1m0s",
    ],
  ])("fails for %o (a validator: %s)", (change, isValidator, reasons) => {
    expect(networkCheck({ ...GOOD, ...change }, isValidator).error).toBe(`network layer is unhealthy reason: ${reasons}`);
  });

  test("fails before the first message", () => {
    const { sinceReceivedMs, sinceSentMs, ...silent } = GOOD;
    expect(networkCheck(silent, false).error).toBe(
      "network layer is unhealthy reason: no messages received from network, no messages sent to network",
    );
  });
});

test("the router check counts requests, and fails beyond a node's limits", () => {
  expect(routerCheck(undefined)).toEqual({ message: { longestRunningRequest: "0s", outstandingRequests: 0 }, error: undefined });
  expect(routerCheck(GOOD)).toEqual({ message: { longestRunningRequest: "1.5ms", outstandingRequests: 3 }, error: undefined });
  expect(routerCheck({ ...GOOD, outstandingRequests: 1025, longestRequestMs: 300_001 }).error).toBe(
    "the router is not healthy reason: number of outstanding requests 1025 > 1024, time for outstanding requests 5m0.001s > 5m0s",
  );
});

test("a chain says which validators are missing, and fails below 80 % of the stake", () => {
  const validators = { disconnected: ["NodeID-1"], upgradeTime: 0, upgradeShare: 0, upgradeTimes: 0 };
  expect(networkingOf(undefined)).toEqual({ networking: { disconnectedValidators: [], percentConnected: 1 }, error: undefined });
  expect(networkingOf({ ...GOOD, validators: { ...validators, connectedShare: 0.8 } })).toEqual({
    networking: { disconnectedValidators: ["NodeID-1"], percentConnected: 0.8 },
    error: undefined,
  });
  expect(networkingOf({ ...GOOD, validators: { ...validators, connectedShare: 0.75 } }).error).toBe(
    "not connected to enough stake: connected to 75.000000%; required at least 80.000000%",
  );
});

describe("an upgrade that most of the stake knows and this node does not", () => {
  const local = Number(smallNetwork.upgrades.times.granite);
  const DAY = 86_400;
  const checkAt = (seconds: number, share = 0.6) => {
    const validators = { connectedShare: 1, disconnected: [], upgradeTime: local + 10 * DAY, upgradeShare: share, upgradeTimes: 2 };
    return futureUpgradeCheck(smallNetwork, { ...GOOD, validators }, (local + 10 * DAY - seconds) * 1000);
  };

  test.each([
    [8 * DAY, "192h0m0s", undefined],
    [2 * DAY, "48h0m0s", "unknown network upgrade detected"],
    [DAY / 2, "12h0m0s", "unknown network upgrade detected - update as soon as possible"],
    [60, "1m0s", "imminent network upgrade detected - update immediately"],
    [-60, "-1m0s", "imminent network upgrade detected - update immediately"],
  ])("fails the nearer it is: %d s before", (seconds, timeUntilUpgrade, error) => {
    expect(checkAt(seconds)).toMatchObject({ message: { timeUntilUpgrade, modeUpgradeWeightPercentage: 60, numUpgradeTimes: 2 }, error });
  });

  test("is no fault if less than half of the stake knows it", () => {
    expect(checkAt(60, 0.4).error).toBeUndefined();
    expect(checkAt(60, 0.4).message).not.toHaveProperty("timeUntilUpgrade");
  });
});
