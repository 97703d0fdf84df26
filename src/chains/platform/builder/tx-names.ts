/**
 * The names that transactions refer to: a transaction whose outputs are spent, a subnet, a validator's node, a validation. A transaction
 * that is not yet valid may become so by waiting ones with the same names.
 */
import { PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { definitionOf, type UnsignedTx } from "../tx/registry.ts";
import type { SignedTx } from "../tx/signed-tx.ts";

/** Names that others may refer to after its execution. */
export function namesMade({ id, unsigned }: SignedTx): string[] {
  return [id, ...subjects(unsigned)];
}

export function namesNeeded({ unsigned }: SignedTx): Set<string> {
  const spent = "inputs" in unsigned ? unsigned.inputs.map(({ txId }) => txId) : [];
  return new Set([...spent, ...subjects(unsigned)]);
}

/** The names in its definition, without the primary network, which no transaction creates. */
function subjects(tx: UnsignedTx): string[] {
  return definitionOf(tx.kind)
    .names(tx)
    .filter((name) => name !== PRIMARY_NETWORK_ID);
}
