/** What the kinds of work of the token service share: what they work with, and how a piece of work survives a contract that breaks a node. */
import type { Logger } from "pino";
import type { Store } from "../../store/store.ts";
import type { EvmRpc } from "../rpc/evm-rpc.ts";
import type { ContractReader } from "./contract-reader.ts";
import type { TokenCommits } from "./token-commits.ts";

export interface WorkParts {
  readonly store: Store;
  readonly commits: TokenCommits;
  /** in keys of tables */
  readonly chain: number;
  readonly rpc: EvmRpc;
  readonly reader: ContractReader;
  readonly log: Logger;
  /** Unix seconds */
  clock(): bigint;
}

export interface TokenWork {
  /** Does a bounded piece of what is due. False: nothing is. Rejects if no upstream answers. */
  step(signal: AbortSignal): Promise<boolean>;
}

/**
 * Works on all items at once; if that fails, on each alone. One that fails while the upstream answers other questions is postponed: nothing
 * that a contract does may hold up the others.
 */
export async function workOrPostpone<T>(
  items: readonly T[],
  rpc: EvmRpc,
  work: (items: readonly T[]) => Promise<void>,
  postpone: (item: T, error: unknown) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await work(items);
  } catch (error) {
    // what was broken off because the service stops says nothing of anybody
    signal.throwIfAborted();
    if (items.length > 1) {
      for (const item of items) await workOrPostpone([item], rpc, work, postpone, signal);
      return;
    }
    // if the upstream is down this rejects, and the item stays where it is
    await rpc.request("eth_blockNumber", [], { signal });
    await postpone(items[0]!, error);
  }
}
