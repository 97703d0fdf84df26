/** Checks who signed: owners of outputs in shared memory, and accounts of the C-chain (chain-rules 2.3). Texts are the node's. */

import { formatId } from "../../base/bytes/cb58.ts";
import { sha256 } from "../../base/bytes/hash.ts";
import type { ShortId } from "../../base/bytes/id.ts";
import { recoverAddress, recoverEvmAddress } from "../../base/signatures/secp256k1.ts";
import { type ExecutionContext, NotYetError, RuleError } from "../../network/execution.ts";
import type { AtomicCredential, AtomicTx, ExportedOutput, ImportedInput } from "./tx.ts";

/** Checks that the credential allows the input to spend the output. */
export function verifySpend(
  tx: AtomicTx,
  { input }: ImportedInput,
  { signatures }: AtomicCredential,
  { output }: Pick<ExportedOutput, "output">,
  { level, clock }: ExecutionContext,
): void {
  const { signatureIndices } = input;
  if (output.amount !== input.amount) {
    throw new RuleError("mismatched-amounts", `utxo amount and input amount are not equal: ${output.amount} != ${input.amount}`);
  }
  if (output.locktime > clock) throw new NotYetError("time-locked", "output is time locked");
  if (output.threshold < signatureIndices.length) throw new RuleError("too-many-signers", "input has more signers than expected");
  if (output.threshold > signatureIndices.length) throw new RuleError("too-few-signers", "input has less signers than expected");
  if (signatureIndices.length !== signatures.length) {
    throw new RuleError("signer-mismatch", "input expected a different number of signers than provided in the credential");
  }
  if (level === "replay") return;
  const digest = sha256(tx.unsignedBytes);
  for (const [i, index] of signatureIndices.entries()) {
    const owner = output.addresses[index];
    if (owner === undefined) throw new RuleError("no-such-signer", "input referenced a nonexistent address in the output");
    const signer = recoverAddress(digest, Buffer.from(signatures[i]!, "hex"));
    if (signer === owner) continue;
    throw new RuleError("wrong-signature", `wrong signature: expected signature from ${formatId(owner)} but got from ${formatId(signer)}`);
  }
}

/** The EVM account that signed a transaction. */
export function signingAccount(tx: AtomicTx, signature: string): ShortId {
  return recoverEvmAddress(sha256(tx.unsignedBytes), Buffer.from(signature, "hex"));
}
