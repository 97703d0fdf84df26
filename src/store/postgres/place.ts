/** What callers say and learn of a store in PostgreSQL, without its client. */
import type { Table } from "../../primitives/table.ts";
import type { PostgresAddress } from "./address.ts";

export interface PostgresPlace {
  readonly address: PostgresAddress;
  /** all tables that rows may belong to */
  readonly tables: readonly Table[];
}

/** How a process waits for the one that writes. */
export interface WaitingForLease {
  readonly signal: AbortSignal;
  readonly onWaiting: (holder: LeaseHolder) => void;
}

export interface LeaseHolder {
  /** its machine, process ID and command */
  readonly holder: string;
  readonly fence: bigint;
  readonly takenAt: Date;
  /** its last sign of life, by the server's clock */
  readonly seenAt: Date;
}
