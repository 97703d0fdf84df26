/** Defines an attack. Each is a file in `attacks/`. */
import type { Attacker } from "./attacker.ts";
import type { UpstreamMode } from "./hostile-upstream.ts";

/** `follow-postgres`: a follower whose store is in PostgreSQL. `peers`: one of a primary network, to which peers may connect. */
export const TARGET_KINDS = ["serve", "devnet", "follow", "follow-postgres", "peers"] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

export interface Attack {
  readonly name: string;
  /** what it does, in a sentence */
  readonly does: string;
  readonly targets: readonly TargetKind[];
  /** Goes on until `attacker.isOver()`; in a process of its own. Throws when something came true that must not. */
  run(attacker: Attacker): Promise<void>;
  /** what the node that a `follow` asks does meanwhile; by default its duty */
  readonly upstream?: UpstreamMode;
  /** the index goes on while it lasts: what anybody can put on a chain does not stop it */
  readonly mustStayOnCourse?: boolean;
}

export const EVERY_TARGET: readonly TargetKind[] = ["serve", "devnet", "follow"];
