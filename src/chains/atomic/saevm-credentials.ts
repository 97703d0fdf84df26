/** Checks signatures as the C-chain's VM does since Helicon, with its texts. */

import { formatId } from "../../base/bytes/cb58.ts";
import { formatEvmAddress } from "../../base/bytes/evm-address.ts";
import { utxoIdOf } from "../../base/bytes/utxo-id.ts";
import { type ExecutionContext, NotExportedError, RuleError } from "../../network/execution.ts";
import type { SharedMemory } from "../shared-memory/shared-memory.ts";
import { verifyCredentialCount } from "./saevm.ts";
import { signingAccount, verifySpend } from "./spend.ts";
import { type AtomicExport, type AtomicImport, type AtomicTx, parseSharedUtxo } from "./tx.ts";
import { within } from "./verify.ts";

/** Checks that the owners of the spent funds signed; imported UTXOs are looked up in shared memory. */
export function verifySaevmCredentials(tx: AtomicTx, memory: SharedMemory, context: ExecutionContext): void {
  verifyCredentialCount(tx);
  const { unsigned } = tx;
  if (unsigned.kind === "ImportTx") verifyImported(tx, unsigned, memory, context);
  else if (context.level === "full") verifyAccounts(tx, unsigned);
}

function verifyImported(tx: AtomicTx, unsigned: AtomicImport, memory: SharedMemory, context: ExecutionContext): void {
  for (const [i, input] of unsigned.importedInputs.entries()) {
    const { blockchainId, sourceChain } = unsigned;
    const key = utxoIdOf(input);
    const element = memory.get(blockchainId, sourceChain, key);
    if (element === undefined) {
      // While trusted blocks are replayed, the exporting chain may be behind; the removal then leaves a tombstone
      if (context.level === "replay") continue;
      const text = `fetching UTXOs from ${formatId(sourceChain)}: not found`;
      throw new NotExportedError("missing-utxo", text, { sourceChain, utxoId: key });
    }
    const utxo = parseSharedUtxo(element.bytes);
    if (utxo.assetId !== input.assetId) {
      const [own, other] = [formatId(input.assetId), formatId(utxo.assetId)];
      throw new RuleError("asset-mismatch", `mismatched asset IDs (${i}): input asset ${own} does not match UTXO asset ${other}`);
    }
    within(`verifying transfer (${i})`, () => verifySpend(tx, input, tx.credentials[i]!, utxo, context));
  }
}

function verifyAccounts(tx: AtomicTx, { inputs }: AtomicExport): void {
  for (const [i, { address }] of inputs.entries()) {
    const { signatures } = tx.credentials[i]!;
    if (signatures.length !== 1) {
      throw new RuleError("signature-count", `incorrect number of signatures (${i}): want 1, got ${signatures.length}`);
    }
    const signer = signingAccount(tx, signatures[0]!);
    if (signer === address) continue;
    const text = `signature does not match address (${i}): want ${formatEvmAddress(address)}, got ${formatEvmAddress(signer)}`;
    throw new RuleError("wrong-account", text);
  }
}
