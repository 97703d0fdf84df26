/** What callers say and learn of a store in PostgreSQL, without its client. */
import type { Table } from "../../base/table/table.ts";
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

/** A database and its standbys, for a process that only reads. */
export interface ReplicatedPlaces {
  readonly primary: PostgresAddress;
  readonly replicas: readonly PostgresAddress[];
  readonly tables: readonly Table[];
  /** most milliseconds that a replica may lag; undefined: any time */
  readonly maxLagMs?: number | undefined;
  /** called when a place is left out, with the reason, and when it is read again */
  readonly onChange?: ((place: string, problem: string | undefined) => void) | undefined;
}
