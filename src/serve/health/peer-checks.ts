/** A node's checks of the network that it is a peer of, with its limits and errors (p2p.md 18.4). */
import { upgradeTimeText } from "../../api/rpc/info/network-methods.ts";
import { readFollowedSource } from "../../api/state/followed-source.ts";
import type { CheckOutcome } from "../../api/state/health-checks.ts";
import type { JsonObject } from "../../base/json/go-encode.ts";
import { formatDuration } from "../../network/go-time.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { PeersReport } from "../../sources/source.ts";
import type { StoreReader } from "../../store/store.ts";

const LEAST_PEERS = 1;
const MOST_SILENCE_MS = 60_000;
const MOST_SEND_FAILURES = 0.9;
const MOST_OUTSTANDING = 1024;
const MOST_OUTSTANDING_MS = 300_000;
/** 15 of 20 units confirm a block; a fifth more is the margin */
const LEAST_CONNECTED_SHARE = 0.8;
/** until a validator is missed by those who should connect to it */
const INGRESS_GRACE_MS = 600_000;
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/** The last report of the process that follows peers; undefined: none does. */
export async function peersReport(reader: StoreReader): Promise<PeersReport | undefined> {
  const report = (await readFollowedSource(reader))?.upstreams.find(({ peers }) => peers !== undefined)?.peers;
  // an older Firn wrote less
  return report?.upMs === undefined ? undefined : report;
}

/** @param isValidator whether this node validates the primary network */
export function networkCheck(report: PeersReport, isValidator: boolean): CheckOutcome {
  const { connected, inbound, sendFailRate, sinceReceivedMs, sinceSentMs, upMs } = report;
  const isLate = (ms: number | undefined) => ms !== undefined && ms > MOST_SILENCE_MS;
  const silence = (ms: number | undefined, never: string, verb: string) =>
    ms === undefined ? never : `no messages from network ${verb} in ${durationText(ms)} > ${durationText(MOST_SILENCE_MS)}`;
  const isUnreached = upMs > INGRESS_GRACE_MS && isValidator && inbound === 0;
  const reasons = [
    ...(connected < LEAST_PEERS ? [`not connected to a minimum of ${LEAST_PEERS} peer(s) only ${connected}`] : []),
    ...(sinceReceivedMs === undefined || isLate(sinceReceivedMs)
      ? [silence(sinceReceivedMs, "no messages received from network", "received")]
      : []),
    ...(sinceSentMs === undefined || isLate(sinceSentMs) ? [silence(sinceSentMs, "no messages sent to network", "sent")] : []),
    ...(sendFailRate > MOST_SEND_FAILURES ? [`messages failure send rate ${sendFailRate} > ${MOST_SEND_FAILURES}`] : []),
    ...(isUnreached ? ["primary network validator has no inbound connections"] : []),
  ];
  const message = {
    connectedPeers: connected,
    ...(upMs > INGRESS_GRACE_MS && {
      "primary network validator health": { ingressConnectionCount: inbound, primaryNetworkValidator: isValidator },
    }),
    sendFailRate,
    ...(sinceReceivedMs !== undefined && { timeSinceLastMsgReceived: durationText(sinceReceivedMs) }),
    ...(sinceSentMs !== undefined && { timeSinceLastMsgSent: durationText(sinceSentMs) }),
  };
  return { message, error: reasons.length === 0 ? undefined : `network layer is unhealthy reason: ${reasons.join(", ")}` };
}

/** Counts the requests to peers that wait for an answer. */
export function routerCheck(report: PeersReport | undefined): CheckOutcome {
  const { outstandingRequests, longestRequestMs } = report ?? { outstandingRequests: 0, longestRequestMs: 0 };
  const longest = durationText(longestRequestMs);
  const reasons = [
    ...(outstandingRequests > MOST_OUTSTANDING ? [`number of outstanding requests ${outstandingRequests} > ${MOST_OUTSTANDING}`] : []),
    ...(longestRequestMs > MOST_OUTSTANDING_MS ? [`time for outstanding requests ${longest} > ${durationText(MOST_OUTSTANDING_MS)}`] : []),
  ];
  return {
    message: { longestRunningRequest: longest, outstandingRequests },
    error: reasons.length === 0 ? undefined : `the router is not healthy reason: ${reasons.join(", ")}`,
  };
}

/**
 * Compares the upgrades that this node knows with those of the validators' majority; without peers there is nothing to compare with.
 * @param nowMs the wall clock, Unix milliseconds
 */
export function futureUpgradeCheck({ upgrades }: NetworkInstance, report: PeersReport | undefined, nowMs: number): CheckOutcome {
  const local = upgrades.times.granite;
  const { upgradeTime, upgradeShare, upgradeTimes } = report?.validators ?? { upgradeTime: 0, upgradeShare: 0, upgradeTimes: 0 };
  const message: JsonObject = {
    localUpgradeTime: upgradeTimeText(local),
    modeUpgradeTime: upgradeTimeText(BigInt(upgradeTime)),
    modeUpgradeWeightPercentage: 100 * upgradeShare,
    numUpgradeTimes: upgradeTimes,
  };
  if (local >= BigInt(upgradeTime) || upgradeShare < 0.5) return { message };
  const leftMs = upgradeTime * 1000 - nowMs;
  return {
    message: { ...message, timeUntilUpgrade: `${leftMs < 0 ? "-" : ""}${durationText(Math.abs(leftMs))}` },
    error: upgradeNeeded(leftMs),
  };
}

function upgradeNeeded(leftMs: number): string | undefined {
  if (leftMs > 3 * DAY_MS) return undefined;
  if (leftMs > DAY_MS) return "unknown network upgrade detected";
  return leftMs > HOUR_MS
    ? "unknown network upgrade detected - update as soon as possible"
    : "imminent network upgrade detected - update immediately";
}

/** How much of the stake of the primary network's chains is connected. */
export function networkingOf(report: PeersReport | undefined): { readonly networking: JsonObject; readonly error: string | undefined } {
  const { connectedShare, disconnected } = report?.validators ?? { connectedShare: 1, disconnected: [] };
  const percent = (share: number) => `${(share * 100).toFixed(6)}%`;
  const isTooLittle = connectedShare < LEAST_CONNECTED_SHARE;
  return {
    networking: { disconnectedValidators: disconnected, percentConnected: connectedShare },
    error: isTooLittle
      ? `not connected to enough stake: connected to ${percent(connectedShare)}; required at least ${percent(LEAST_CONNECTED_SHARE)}`
      : undefined,
  };
}

function durationText(ms: number): string {
  return formatDuration(BigInt(Math.round(ms * 1e6)));
}
