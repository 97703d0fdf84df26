/** What the kinds of work of the token service share: what they work with, and how work survives a contract that breaks a node. */
import type { Logger } from "pino";
import type { UpstreamRpc } from "../../sources/upstream/upstream-rpc.ts";
import type { Store } from "../../store/store.ts";
import type { ContractReader } from "./contract-reader.ts";
import type { TokenCommits } from "./token-commits.ts";

export interface WorkParts {
  readonly store: Store;
  readonly commits: TokenCommits;
  /** the chain's number in keys of tables */
  readonly chain: number;
  readonly rpc: UpstreamRpc;
  readonly reader: ContractReader;
  readonly log: Logger;
  /** Unix seconds */
  clock(): bigint;
}

export interface TokenWork {
  /** Does a bounded piece of the work that is due. Resolves to false if nothing is due. Rejects if no upstream answers. */
  step(signal: AbortSignal): Promise<boolean>;
}

/**
 * Works on all items at once and, if that fails, on each alone. An item that fails while the upstream answers other questions is postponed,
 * so that no contract can delay others.
 */
export async function workOrPostpone<T>(
  items: readonly T[],
  rpc: UpstreamRpc,
  work: (items: readonly T[]) => Promise<void>,
  postpone: (item: T, error: unknown) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await work(items);
  } catch (error) {
    // work that was interrupted because the service stops proves nothing
    signal.throwIfAborted();
    if (items.length > 1) {
      for (const item of items) await workOrPostpone([item], rpc, work, postpone, signal);
      return;
    }
    // if the upstream is down, this rejects and the item stays in the queue
    await rpc.request("eth_blockNumber", [], { signal });
    await postpone(items[0]!, error);
  }
}
