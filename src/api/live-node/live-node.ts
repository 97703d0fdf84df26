/**
 * What only a running node of the network can do or knows: it takes transactions, tells their status, its peers and its uptime. Arguments
 * and results are plain data, so that the process that has the connections can answer for others.
 */

import type { Id } from "../../base/bytes/id.ts";
import type { PendingStatus } from "../../chains/mempool/issuer.ts";
import type { LiveFacts } from "../state/node-facts.ts";

/** A transaction that was verified here. */
export interface IssuedTx {
  readonly chainId: Id;
  readonly txId: Id;
  /** hex, without prefix */
  readonly bytes: string;
}

export interface IssueRefusal {
  /** the error for the client: the node's own words, or that none answered */
  readonly sentence: string;
}

/** Without the bytes, which are not kept. */
export type LiveStatus = Exclude<PendingStatus, { kind: "processing" }> | { readonly kind: "processing" };

/** What became of the transactions that were issued here, since the process began. */
export interface IssuedCounts {
  /** nodes took them */
  readonly taken: number;
  /** a node refused them */
  readonly refused: number;
  /** no node answered, or none in time */
  readonly unanswered: number;
  /** those whose status is still asked of nodes */
  readonly followed: number;
}

export interface LiveNode extends LiveFacts {
  /** Resolves to undefined once a node took it. */
  issue(tx: IssuedTx): Promise<IssueRefusal | undefined>;
  /** The state of a transaction that was issued here and is in no block yet; undefined: unknown. */
  status(chainId: Id, txId: Id): Promise<LiveStatus | undefined>;
}
