/**
 * A kind of transaction: everything about it in one object. `execute.ts` runs the parts in the node's order: era, form, memo, then `execute`
 * or `propose`, which verify against the state and change it. They throw RuleErrors with the node's texts; the caller rolls back.
 */
import type { NetworkInstance, UpgradeName } from "../../network/network.ts";
import type { Codec } from "../../primitives/codec/codec.ts";
import type { RowKey } from "../../primitives/view.ts";
import type { TxExecution } from "../execution.ts";
import type { Dimensions } from "../fee/dimensions.ts";
import type { Signed } from "./signed.ts";

export type Branch = "commit" | "abort";

/** What a kind's own code sees. */
export interface TxContext extends TxExecution {
  /** The least to burn, nAVAX; 0 before Etna. */
  fee(): bigint;
  /** The name of the kind with a type ID. */
  kindOf(typeId: number): string;
}

export interface TxDefinition<T extends { readonly kind: string }> {
  readonly name: T["kind"];
  readonly typeId: number;
  /** The body after the type ID. */
  readonly codec: Codec<T> & { readonly kind: T["kind"] };
  /** The upgrade from which on it is a feature, in the era of a block. */
  readonly since?: UpgradeName;
  /** The upgrade from which on it is not permitted any more. */
  readonly until?: UpgradeName;
  /** What it costs from Etna on. Absent: it cannot be metered, hence not be in a block of that time other than as a proposal. */
  complexity?(tx: T): Dimensions;
  /** The rows that execution reads, other than resident ones. */
  keysRead(tx: T): RowKey[];
  /** What can be told from the transaction alone. */
  verifyForm(tx: T, network: NetworkInstance): void;
  /** What is looked at before the era, in a standard block only. */
  verifyFirst?(tx: T): void;
  /** As a decision in a standard block (Import and Export: also in an atomic one). Absent: it may not stand there. */
  execute?(tx: Signed<T>, context: TxContext): void;
  /** As a block's proposal: verifies, then changes the state as the branch has it. Absent: it may not be proposed. */
  propose?(tx: Signed<T>, context: TxContext, branch: Branch): void;
}

/** Completes a definition: the form of a transaction, with its BLS proofs, is verified once. */
export function defineTx<T extends { readonly kind: string }>(definition: TxDefinition<T>): TxDefinition<T> {
  const wellFormed = new WeakSet<T>();
  return {
    ...definition,
    verifyForm(tx, network) {
      if (wellFormed.has(tx)) return;
      definition.verifyForm(tx, network);
      wellFormed.add(tx);
    },
  };
}
