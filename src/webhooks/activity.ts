/** A chain as webhooks see it: the events of each block. */
import type { Id } from "../base/bytes/id.ts";
import type { Change } from "../base/table/table.ts";
import type { Webhook } from "./registry.ts";

export interface BlockPlace {
  readonly height: bigint;
  readonly hash: Id;
}

/** An event that a webhook asks for: the `event` of its message. */
export interface FoundEvent {
  readonly webhook: Webhook;
  readonly event: object;
  /** committed with it */
  readonly changes?: readonly Change[];
}

/** The active webhooks of a chain that ask for events at a height. */
export interface Watch {
  readonly webhooks: readonly Webhook[];
  /** The webhooks of watched ones of these addresses. Costs a row for each address. */
  watchersOf(addresses: Iterable<string>): Promise<ReadonlyMap<string, readonly Webhook[]>>;
}

/** A chain in one committed state. */
export interface ChainActivity {
  readonly tip: BlockPlace;
  /** what its nodes have, as far as is known */
  readonly head: bigint;
  /** undefined: there is no such block */
  hashAt(height: bigint): Promise<Id | undefined>;
  /** In the order in which they happened. */
  eventsOf(height: bigint, watch: Watch): Promise<FoundEvent[]>;
  /** Events that only the state shows, once all blocks are told of; the changes are committed with them. */
  eventsAtTip?(watch: Watch): Promise<{ events: readonly FoundEvent[]; changes: readonly Change[] }>;
}
