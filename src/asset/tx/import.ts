/** Takes value that another chain of the subnet exported to this one. Rules: chain-rules 15.6, 16.3. */
import { sharedElementKeys } from "../../atomic/shared-memory.ts";
import { RuleError } from "../../network/execution.ts";
import { decodeVersioned, list, type Value } from "../../primitives/codec/codec.ts";
import { CodecError } from "../../primitives/codec/error.ts";
import { codecErrorText } from "../../primitives/codec/error-text.ts";
import { variant } from "../../primitives/codec/struct.ts";
import type { Id } from "../../primitives/id.ts";
import { utxoId } from "../../primitives/utxo-id.ts";
import type { AssetCodec } from "../codec.ts";
import { id } from "../fields.ts";
import type { Parts } from "../parts.ts";
import { assetKeys, subnetKeys } from "../state.ts";
import type { Utxo } from "../transfer.ts";
import { baseFields } from "./base.ts";
import { defineTx } from "./define.ts";
import { consumeInputs, produceOutputs, transferKeys, verifyTransfer, verifyTransfers } from "./transfers.ts";
import { verifyCredentials, verifyEnvelope, verifyFlow } from "./well-formed.ts";

function codec(parts: Parts) {
  return variant("ImportTx", { ...baseFields(parts), sourceChain: id, importedInputs: list(parts.transferableInput) });
}

export type ImportTx = Value<ReturnType<typeof codec>>;

export const importTx = defineTx<ImportTx>({
  name: "ImportTx",
  typeId: 3,
  codec,

  verifySyntax(tx, rules) {
    const { inputs, outputs, importedInputs } = tx.unsigned;
    if (importedInputs.length === 0) throw new RuleError("no-imports", "no import inputs");
    verifyEnvelope(tx.unsigned, rules);
    verifyFlow({ fee: rules.txFee, inputs: [inputs, importedInputs], outputs: [outputs] }, rules);
    verifyCredentials(tx, inputs.length + importedInputs.length);
  },

  /** What was exported is looked at on the full level only: the state after an import does not depend on it. */
  verifySemantics(tx, context) {
    verifyTransfers(tx, context);
    if (context.level === "replay") return;
    const { inputs, sourceChain, importedInputs } = tx.unsigned;
    const { chainId, codec } = context.rules;
    context.verifySameSubnet(sourceChain);
    const elements = importedKeys(tx.unsigned).map((key) => {
      const element = context.sharedMemory.get(chainId, sourceChain, key);
      if (element === undefined) throw new RuleError("not-found", "not found", { key });
      return element;
    });
    for (const [i, input] of importedInputs.entries()) {
      verifyTransfer(input, tx.credentials[inputs.length + i]!, readUtxo(elements[i]!.bytes, codec), context);
    }
  },

  execute(tx, state, effects) {
    consumeInputs(tx, state, effects);
    produceOutputs(tx, state, effects);
    effects.imported.push({ source: tx.unsigned.sourceChain, keys: importedKeys(tx.unsigned) });
  },

  keysRead(tx, rules) {
    const { sourceChain, importedInputs } = tx.unsigned;
    return [
      ...transferKeys(tx.unsigned, rules),
      ...importedInputs.flatMap(({ assetId }) => assetKeys(rules, assetId)),
      ...sharedElementKeys(rules.chainId, sourceChain, importedKeys(tx.unsigned)),
      ...subnetKeys(sourceChain, rules.chainId),
    ];
  },
});

/** A chain whose fxs are in another order writes other type IDs: what it exported may be unreadable here. */
function readUtxo(bytes: Uint8Array, codec: AssetCodec): Utxo {
  try {
    return decodeVersioned(codec.utxo, bytes);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new RuleError("unreadable-utxo", codecErrorText(error, codec), error.facts, { cause: error });
  }
}

function importedKeys({ importedInputs }: ImportTx): Id[] {
  return importedInputs.map(({ txId, outputIndex }) => utxoId(txId, outputIndex));
}
