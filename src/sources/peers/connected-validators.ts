/** How much of the stake is connected, and which upgrade it knows, as a node reports it in health (p2p.md 18.4). */
import { formatNodeId } from "../../base/bytes/cb58.ts";
import type { NodeId } from "../../base/bytes/id.ts";
import type { Voters } from "../../p2p/accepted-frontier.ts";
import type { PeerConnection } from "../../p2p/peer-connection.ts";
import type { ConnectedValidators } from "../source.ts";

type Introduced = Pick<PeerConnection, "nodeId" | "introduction">;

/** of those who are not connected; the report is a row of bounded size */
const MOST_DISCONNECTED = 1000;

/** undefined: the validators are not known yet */
export function connectedValidators(validators: Voters, peers: readonly Introduced[]): ConnectedValidators | undefined {
  const total = [...validators.values()].reduce((sum, stake) => sum + stake, 0n);
  if (total === 0n) return undefined;
  const missing = new Set<NodeId>(validators.keys());
  /** stake by upgrade time */
  const upgrades = new Map<bigint, bigint>();
  let connected = 0n;
  for (const { nodeId, introduction } of peers) {
    const stake = validators.get(nodeId);
    if (stake === undefined) continue;
    missing.delete(nodeId);
    connected += stake;
    const time = introduction?.upgradeTime ?? 0n;
    upgrades.set(time, (upgrades.get(time) ?? 0n) + stake);
  }
  const [upgradeTime, weight] = [...upgrades].reduce((most, next) => (next[1] > most[1] ? next : most), [0n, 0n]);
  return {
    connectedShare: Number(connected) / Number(total),
    disconnected: [...missing].map(formatNodeId).sort().slice(0, MOST_DISCONNECTED),
    upgradeTime: Number(upgradeTime),
    upgradeShare: Number(weight) / Number(total),
    upgradeTimes: upgrades.size,
  };
}
