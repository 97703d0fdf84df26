/**
 * Whom to ask next for containers (p2p.md 13): one request at a time for each peer, the fastest first. Who failed rests, longer each time.
 */
import { randomInt } from "node:crypto";
import type { NodeId } from "../../base/bytes/id.ts";
import { Notifier } from "../../base/work/pause.ts";
import type { PeerConnection } from "../../p2p/peer-connection.ts";
import type { PeerNetwork } from "../../p2p/peer-network.ts";
import { NoAnswerError } from "../../p2p/requests.ts";

/** Those who are connected, and a way to ask them. */
export type AskedPeers = { readonly peers: readonly Pick<PeerConnection, "nodeId">[] } & Pick<PeerNetwork, "request">;

export interface PeerTurnsOptions {
  readonly peers: AskedPeers;
  /** shared by all who fetch from the same peers */
  readonly busy?: BusyPeers | undefined;
  /** called with why a peer's answer was of no use */
  readonly onFailure?: ((nodeId: NodeId, reason: string) => void) | undefined;
  /** milliseconds until a peer that failed is asked again, doubled each time; default 1,000 */
  readonly firstRestMs?: number | undefined;
}

/** Those who are being asked. */
export class BusyPeers {
  readonly #asked = new Set<NodeId>();
  readonly #released = new Notifier();

  has(nodeId: NodeId): boolean {
    return this.#asked.has(nodeId);
  }

  take(nodeId: NodeId): void {
    this.#asked.add(nodeId);
  }

  release(nodeId: NodeId): void {
    this.#asked.delete(nodeId);
    this.#released.notify();
  }

  /** Resolves as soon as one of them has answered, or after `ms`. */
  released(ms: number, signal: AbortSignal): Promise<void> {
    return this.#released.next(ms, signal);
  }
}

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;
/** Once each peer has failed so often, one after the other, nobody seems to have it. */
const MOST_FAILURES = 5;
/** one in so many turns is given to any peer, who may be faster by now */
const TRY_OTHERS = 16;

export class PeerTurns {
  readonly #options: PeerTurnsOptions;
  readonly #busy: BusyPeers;
  readonly #failures = new Map<NodeId, number>();
  readonly #restsUntil = new Map<NodeId, number>();
  /** bytes in a millisecond, of those that answered */
  readonly #rates = new Map<NodeId, number>();
  #lastFailure: string | undefined;

  constructor(options: PeerTurnsOptions) {
    this.#options = options;
    this.#busy = options.busy ?? new BusyPeers();
  }

  /** Resolves when it is worth to ask again, after "nobody" or "failed". */
  rested(signal: AbortSignal): Promise<void> {
    return this.#busy.released(this.#firstRestMs, signal);
  }

  get #firstRestMs(): number {
    return this.#options.firstRestMs ?? FIRST_REST_MS;
  }

  /** undefined: nobody has failed */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  get hasEachFailed(): boolean {
    const { peers } = this.#options.peers;
    return peers.length > 0 && peers.every(({ nodeId }) => (this.#failures.get(nodeId) ?? 0) >= MOST_FAILURES);
  }

  /**
   * Asks the next peer. Resolves to what `read` makes of its answer; "failed": it did not answer, or `read` returned what is wrong with the
   * answer; "nobody": nobody can be asked at present.
   */
  async ask<R extends object>(
    ask: (nodeId: NodeId) => Promise<readonly Uint8Array[]>,
    read: (answer: readonly Uint8Array[]) => R | string | Promise<R | string>,
  ): Promise<R | "failed" | "nobody"> {
    const nodeId = this.#next();
    if (nodeId === undefined) return "nobody";
    this.#busy.take(nodeId);
    const startedAt = performance.now();
    try {
      const answer = await ask(nodeId);
      const ms = Math.max(1, performance.now() - startedAt);
      const found = await read(answer);
      if (typeof found === "string") return this.#fail(nodeId, found);
      this.#rates.set(nodeId, answer.reduce((sum, { length }) => sum + length, 0) / ms);
      this.#failures.clear();
      return found;
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      return this.#fail(nodeId, error.message);
    } finally {
      this.#busy.release(nodeId);
    }
  }

  #next(): NodeId | undefined {
    const now = performance.now();
    const able = this.#options.peers.peers
      .map(({ nodeId }) => nodeId)
      .filter((nodeId) => (this.#restsUntil.get(nodeId) ?? 0) <= now && !this.#busy.has(nodeId));
    if (able.length === 0 || randomInt(TRY_OTHERS) === 0) return able[randomInt(Math.max(1, able.length))];
    const rateOf = (nodeId: NodeId) => this.#rates.get(nodeId) ?? Number.POSITIVE_INFINITY;
    return able.reduce((best, nodeId) => (rateOf(nodeId) > rateOf(best) ? nodeId : best));
  }

  #fail(nodeId: NodeId, reason: string): "failed" {
    const failures = (this.#failures.get(nodeId) ?? 0) + 1;
    this.#failures.set(nodeId, failures);
    const restMs = Math.min(LONGEST_REST_MS, this.#firstRestMs * 2 ** (failures - 1));
    this.#restsUntil.set(nodeId, performance.now() + restMs);
    this.#lastFailure = reason;
    this.#options.onFailure?.(nodeId, reason);
    return "failed";
  }
}
