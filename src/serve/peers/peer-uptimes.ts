/**
 * How long validators were connected, of the time that they validate (p2p.md 18.5). The time in which this node does not run counts as online, as
 * it does to the network's nodes.
 */
import type { PassedUptimes } from "../../api/state/node-facts.ts";
import { formatNodeId } from "../../base/bytes/cb58.ts";
import type { NodeId } from "../../base/bytes/id.ts";
import type { Change } from "../../base/table/table.ts";
import { peerAbsences } from "../../index/tables.ts";
import type { PeerClock } from "../../p2p/peer-clock.ts";
import type { PeerNetwork } from "../../p2p/peer-network.ts";
import { type Store, scanAll } from "../../store/store.ts";
import type { StoredState } from "./stored-state.ts";

interface PeerUptimesOptions {
  readonly peers: Pick<PeerNetwork, "isConnected">;
  readonly state: Pick<StoredState, "startTimes">;
  readonly store: Store;
  readonly clock: PeerClock;
}

interface Absence {
  /** Unix seconds, when the validator began */
  readonly startTime: bigint;
  ms: number;
  /** of it, what the store has */
  storedMs: number;
}

/** Everybody counts as connected meanwhile. */
const FIRST_MS = 60_000;
const COUNT_EVERY_MS = 5_000;
const STORE_EVERY_MS = 60_000;

export class PeerUptimes {
  readonly #options: PeerUptimesOptions;
  #absences: Map<NodeId, Absence> | undefined;
  /** read again once a minute: it costs a row for each staker */
  #starts: ReadonlyMap<NodeId, bigint> | undefined;
  #countedAt: number;
  #storedAt: number;
  #version = 0;
  #stop: () => void = () => {};
  /** one count after the other */
  #counting: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: PeerUptimesOptions) {
    this.#options = options;
    this.#countedAt = options.clock.nowMs() + FIRST_MS;
    this.#storedAt = this.#countedAt;
    this.#countLater();
  }

  async measured(): Promise<PassedUptimes | undefined> {
    this.#starts = undefined;
    await this.#countNow();
    const { peers, clock } = this.#options;
    const nowMs = Number(clock.unixSeconds()) * 1000;
    const validators = [...(this.#absences ?? [])].map(([nodeId, { startTime, ms }]) => {
      const share = Math.min(1, Math.max(0, 1 - ms / Math.max(1, nowMs - Number(startTime) * 1000)));
      return [formatNodeId(nodeId), { uptime: (100 * share).toFixed(4), connected: peers.isConnected(nodeId) }] as const;
    });
    return { from: undefined, version: ++this.#version, validators: Object.fromEntries(validators) };
  }

  /** Stores what was counted. Rejects if the store cannot be written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    await this.#countNow();
    await this.#store();
  }

  #countLater(): void {
    this.#stop = this.#options.clock.after(COUNT_EVERY_MS, () => {
      // a store that cannot be read or written at present is tried again
      void this.#countNow()
        .then(() => (this.#countedAt - this.#storedAt >= STORE_EVERY_MS ? this.#store() : undefined))
        .catch(() => {})
        .finally(() => {
          if (!this.#isClosed) this.#countLater();
        });
    });
  }

  #countNow(): Promise<void> {
    const counted = this.#counting.then(() => this.#count());
    this.#counting = counted.catch(() => {});
    return counted;
  }

  /** Adds the time since the last count to who is not connected now. */
  async #count(): Promise<void> {
    const { peers, state, store, clock } = this.#options;
    this.#starts ??= await state.startTimes();
    const starts = this.#starts;
    const absences = this.#absences ?? new Map<NodeId, Absence>();
    if (this.#absences === undefined) {
      for await (const { key, value } of scanAll(store, peerAbsences)) {
        const ms = Number(value.absentMs);
        absences.set(key.nodeId, { startTime: value.startTime, ms, storedMs: ms });
      }
      this.#absences = absences;
    }
    const now = clock.nowMs();
    const sinceMs = Math.max(0, now - this.#countedAt);
    this.#countedAt = Math.max(now, this.#countedAt);
    for (const [nodeId, startTime] of starts) {
      const known = absences.get(nodeId);
      const absence = known?.startTime === startTime ? known : { startTime, ms: 0, storedMs: 0 };
      if (!peers.isConnected(nodeId)) absence.ms += sinceMs;
      absences.set(nodeId, absence);
    }
    for (const nodeId of absences.keys()) if (!starts.has(nodeId)) absences.delete(nodeId);
  }

  /** Whoever ended keeps a row, which counts for nothing if the same node begins again. */
  async #store(): Promise<void> {
    const changed = [...(this.#absences ?? [])].filter(([, { ms, storedMs }]) => ms !== storedMs);
    this.#storedAt = this.#countedAt;
    this.#starts = undefined;
    if (changed.length === 0) return;
    await this.#options.store.commit(
      changed.map(([nodeId, { startTime, ms }]) => {
        return { table: peerAbsences, key: { nodeId }, value: { startTime, absentMs: BigInt(Math.round(ms)) } } as Change;
      }),
    );
    for (const [, absence] of changed) absence.storedMs = absence.ms;
  }
}
