/**
 * How long validators were connected, of the time that they validate (p2p.md 18.5). The time before this process measures counts as online, as
 * that before a node does.
 */
import type { PassedUptimes } from "../../api/state/node-facts.ts";
import { formatNodeId } from "../../base/bytes/cb58.ts";
import type { NodeId } from "../../base/bytes/id.ts";
import type { PeerNetwork } from "../../p2p/peer-network.ts";
import type { StoredState } from "./stored-state.ts";

/** Everybody counts as connected meanwhile. */
const FIRST_MS = 60_000;

export class PeerUptimes {
  readonly #peers: Pick<PeerNetwork, "isConnected">;
  readonly #state: StoredState;
  readonly #startedAt = Date.now();
  /** milliseconds in which each was not connected, and when that was counted */
  readonly #absent = new Map<NodeId, number>();
  #countedAt = this.#startedAt + FIRST_MS;
  #version = 0;

  constructor(peers: Pick<PeerNetwork, "isConnected">, state: StoredState) {
    this.#peers = peers;
    this.#state = state;
  }

  /** Counts the time since it was asked last: it is asked every few seconds. */
  async measured(): Promise<PassedUptimes | undefined> {
    const starts = await this.#state.startTimes();
    const now = Date.now();
    const sinceMs = Math.max(0, now - this.#countedAt);
    this.#countedAt = Math.max(now, this.#countedAt);
    const validators = [...starts].map(([nodeId, startTime]) => {
      const connected = this.#peers.isConnected(nodeId);
      const absent = (this.#absent.get(nodeId) ?? 0) + (connected ? 0 : sinceMs);
      this.#absent.set(nodeId, absent);
      const total = Math.max(1, now - Number(startTime) * 1000);
      const share = Math.min(1, Math.max(0, 1 - absent / total));
      return [formatNodeId(nodeId), { uptime: (100 * share).toFixed(4), connected }] as const;
    });
    for (const nodeId of this.#absent.keys()) if (!starts.has(nodeId)) this.#absent.delete(nodeId);
    return { from: undefined, version: ++this.#version, validators: Object.fromEntries(validators) };
  }
}
