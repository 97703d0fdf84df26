/** Verifies transactions: the checks that all types share and those of the type, in the node's order (chain-rules 15.5, 15.6). */
import type { ChainRules } from "../parts.ts";
import type { TxContext } from "./define.ts";
import { type SignedTx, txTypeOf } from "./registry.ts";
import { verifyTransfers } from "./transfers.ts";
import { exportOf, importOf, operationsOf } from "./value.ts";
import { verifyCredentials, verifyEnvelope, verifyFlow } from "./well-formed.ts";

/** Checks that need no state. */
export function verifySyntax(tx: SignedTx, rules: ChainRules): void {
  const { unsigned } = tx;
  const type = txTypeOf(unsigned);
  const imported = importOf(unsigned)?.importedInputs ?? [];
  const exported = exportOf(unsigned)?.exportedOutputs ?? [];
  type.verifyFirst?.(unsigned);
  verifyEnvelope(unsigned, rules);
  const fee = type.fee?.(rules) ?? rules.txFee;
  verifyFlow({ fee, inputs: [unsigned.inputs, imported], outputs: [unsigned.outputs, exported] }, rules);
  type.verifyForm?.(unsigned, rules);
  verifyCredentials(tx, unsigned.inputs.length + operationsOf(unsigned).length + imported.length);
}

export function verifySemantics(tx: SignedTx, context: TxContext): void {
  verifyTransfers(tx, context);
  txTypeOf(tx.unsigned).verifySemantics?.(tx, context);
}
