/**
 * Items that cannot be executed yet: they import what another chain has yet to export, or their chain has yet to be created. All later
 * items of their chain wait behind them in order. They need not be kept on disk, because the store tells the source how far each chain is.
 */

import { type Id, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import { RuleError } from "../network/execution.ts";
import type { SourceItem } from "../sources/source.ts";
import type { RefusedError } from "./refusal.ts";

/** A block refers to a height that the P-chain has yet to reach. */
export class HeightNotReachedError extends RuleError {
  readonly pChainHeight: bigint;

  constructor(message: string, pChainHeight: bigint) {
    super("height-not-reached", message);
    this.pChainHeight = pChainHeight;
  }
}

/** Why an item waits. */
export interface Wait {
  /** the refusal that is thrown if no further items arrive */
  readonly error: RefusedError;
  /** the chain whose blocks may end the wait */
  readonly awaitedChain: Id;
}

interface Queue {
  readonly items: SourceItem[];
  bytes: number;
  wait: Wait;
  /** number of items worth trying: none until the awaited chain has advanced, then the first, then all */
  tries: number;
  /** time of performance.now at which the first item was first tried without success; infinity if it was not tried */
  since: number;
  isTold: boolean;
}

/** Limits for one chain; a source that can hold the chain back is asked to before. */
const MOST_ITEMS = 4096;
const MOST_BYTES = 32 * 2 ** 20;

export class WaitingItems {
  readonly #queues = new Map<Id, Queue>();

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** number of items by chain */
  get counts(): ReadonlyMap<Id, number> {
    return new Map([...this.#queues].map(([chainId, { items }]) => [chainId, items.length]));
  }

  /** Whether some of them may be executable now. */
  get hasReady(): boolean {
    return [...this.#queues.values()].some(({ tries }) => tries > 0);
  }

  /** Whether a chain has more waiting items than the limit. */
  get isFull(): boolean {
    return [...this.#queues.values()].some((queue) => isBeyond(queue, 1));
  }

  /** Whether a source should deliver no more items of the chain for now. */
  isHeld(chainId: Id): boolean {
    const queue = this.#queues.get(chainId);
    return queue !== undefined && isBeyond(queue, 1 / 2);
  }

  has({ kind, chainId }: SourceItem): boolean {
    return kind !== "shared-memory" && this.#queues.has(chainId);
  }

  /** The items to try next, in order for each chain. @param most per chain */
  ready(most: number): SourceItem[] {
    return [...this.#queues.values()].flatMap(({ items, tries }) => items.slice(0, Math.min(tries, most)));
  }

  /** Whether a waiting item is worth trying. */
  mayTry({ chainId }: SourceItem): boolean {
    return this.#queues.get(chainId)!.tries > 0;
  }

  /** Adds an item after the others of its chain. */
  add(item: SourceItem): void {
    const queue = this.#queues.get(item.chainId)!;
    queue.items.push(item);
    queue.bytes += bytesOf(item);
  }

  /** The first item of its chain cannot be executed yet; it is new, or was tried again. */
  block(item: SourceItem, wait: Wait): void {
    const queue = this.#queues.get(item.chainId);
    if (queue !== undefined) Object.assign(queue, { wait, tries: 0, since: Math.min(queue.since, performance.now()) });
    else {
      this.#queues.set(item.chainId, { items: [], bytes: 0, wait, tries: 0, since: performance.now(), isTold: false });
      this.add(item);
    }
  }

  /** An item of a chain was executed, whether it had waited or not. */
  executed({ chainId }: SourceItem, { wasWaiting }: { wasWaiting: boolean }): void {
    const queue = this.#queues.get(chainId);
    if (wasWaiting && queue !== undefined) {
      queue.bytes -= bytesOf(queue.items.shift()!);
      Object.assign(queue, { tries: Number.POSITIVE_INFINITY, since: Number.POSITIVE_INFINITY, isTold: false });
      if (queue.items.length === 0) this.#queues.delete(chainId);
    }
    for (const other of this.#queues.values()) {
      if (other.wait.awaitedChain === chainId) other.tries = Math.max(other.tries, 1);
    }
  }

  /** The waits that have lasted this long and were not yet reported, each once. */
  untold(ms: number): Wait[] {
    const due = [...this.#queues.values()].filter(({ since, isTold }) => !isTold && performance.now() - since >= ms);
    for (const queue of due) queue.isTold = true;
    return due.map(({ wait }) => wait);
  }

  /** Why the first chain waits; P comes first, because others may wait for P. */
  get reason(): Wait | undefined {
    return (this.#queues.get(PLATFORM_CHAIN_ID) ?? [...this.#queues.values()][0])?.wait;
  }
}

/** @param share of the limit */
function isBeyond({ items, bytes }: Queue, share: number): boolean {
  return items.length > MOST_ITEMS * share || bytes > MOST_BYTES * share;
}

function bytesOf(item: SourceItem): number {
  return item.kind === "block" ? item.container.length : item.kind === "vertex" ? item.bytes.length : 0;
}
