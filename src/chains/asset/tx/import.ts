/** Imports value that another chain of the subnet exported to this one. Rules: chain-rules 15.6, 16.3. */

import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { decodeVersioned, list, type Value, variant } from "../../../base/codec/codec.ts";
import { CodecError } from "../../../base/codec/error.ts";
import { codecErrorText } from "../../../base/codec/error-text.ts";
import { NotExportedError, RuleError } from "../../../network/execution.ts";
import { id } from "../fields.ts";
import type { AssetEncoding, Parts } from "../parts.ts";
import type { Utxo } from "../transfer.ts";
import { baseFields } from "./base.ts";
import { defineTx } from "./define.ts";
import { verifyTransfer } from "./transfers.ts";

function codec(parts: Parts) {
  return variant("ImportTx", { ...baseFields(parts), sourceChain: id, importedInputs: list(parts.transferableInput) });
}

export type ImportTx = Value<ReturnType<typeof codec>>;

export const importTx = defineTx<ImportTx>({
  name: "ImportTx",
  typeId: 3,
  codec,
  imported: (tx) => tx,
  verifyFirst({ importedInputs }) {
    if (importedInputs.length === 0) throw new RuleError("no-imports", "no import inputs");
  },
  /** Exported outputs are checked on the full level only: the state after an import does not depend on them. */
  verifySemantics(tx, context) {
    if (context.level === "replay") return;
    const { inputs, sourceChain, importedInputs } = tx.unsigned;
    const { chainId, codec } = context.rules;
    context.verifySameSubnet(sourceChain);
    const elements = importedInputs.map(utxoIdOf).map((key) => {
      const element = context.sharedMemory.get(chainId, sourceChain, key);
      if (element === undefined) throw new NotExportedError("not-found", "not found", { sourceChain, utxoId: key });
      return element;
    });
    for (const [i, input] of importedInputs.entries()) {
      verifyTransfer(input, tx.credentials[inputs.length + i]!, readUtxo(elements[i]!.bytes, codec), context);
    }
  },
});

/** A chain with its fxs in another order uses other type IDs, so its exported output may be unreadable here. */
function readUtxo(bytes: Uint8Array, codec: AssetEncoding): Utxo {
  try {
    return decodeVersioned(codec.utxo, bytes);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new RuleError("unreadable-utxo", codecErrorText(error, codec), error.facts, { cause: error });
  }
}
