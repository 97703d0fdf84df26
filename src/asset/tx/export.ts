/** Sends value to another chain of the subnet, through shared memory. Rules: chain-rules 15.6, 16.2. */
import { type SharedElement, sharedElementKeys } from "../../atomic/shared-memory.ts";
import { RuleError } from "../../network/execution.ts";
import { encodeVersioned, list, type Value } from "../../primitives/codec/codec.ts";
import { variant } from "../../primitives/codec/struct.ts";
import { utxoId } from "../../primitives/utxo-id.ts";
import { id } from "../fields.ts";
import type { Parts } from "../parts.ts";
import { assetKeys, subnetKeys } from "../state.ts";
import { baseFields } from "./base.ts";
import { defineTx } from "./define.ts";
import type { SignedTx } from "./signed-tx.ts";
import { consumeInputs, produceOutputs, transferKeys, verifyFxUsage, verifyTransfers } from "./transfers.ts";
import { verifyCredentials, verifyEnvelope, verifyFlow } from "./well-formed.ts";

function codec(parts: Parts) {
  return variant("ExportTx", { ...baseFields(parts), destinationChain: id, exportedOutputs: list(parts.transferableOutput) });
}

export type ExportTx = Value<ReturnType<typeof codec>>;

export const exportTx = defineTx<ExportTx>({
  name: "ExportTx",
  typeId: 4,
  codec,

  verifySyntax(tx, rules) {
    const { inputs, outputs, exportedOutputs } = tx.unsigned;
    if (exportedOutputs.length === 0) throw new RuleError("no-exports", "no export outputs");
    verifyEnvelope(tx.unsigned, rules);
    verifyFlow({ fee: rules.txFee, inputs: [inputs], outputs: [outputs, exportedOutputs] }, rules);
    verifyCredentials(tx, inputs.length);
  },

  verifySemantics(tx, context) {
    verifyTransfers(tx, context);
    if (context.level === "full") context.verifySameSubnet(tx.unsigned.destinationChain);
    for (const { assetId, output } of tx.unsigned.exportedOutputs) verifyFxUsage(output, assetId, context);
  },

  execute(tx, state, effects) {
    consumeInputs(tx, state, effects);
    produceOutputs(tx, state, effects);
    const elements = exportedUtxos(tx).map(
      (utxo): SharedElement => ({
        key: utxoId(utxo.txId, utxo.outputIndex),
        bytes: encodeVersioned(state.codec.utxo, utxo),
        traits: utxo.output.addresses,
      }),
    );
    effects.exported.push({ destination: tx.unsigned.destinationChain, elements });
  },

  keysRead(tx, rules) {
    const { destinationChain, exportedOutputs } = tx.unsigned;
    const keys = exportedUtxos(tx).map(({ txId, outputIndex }) => utxoId(txId, outputIndex));
    return [
      ...transferKeys(tx.unsigned, rules),
      ...exportedOutputs.flatMap(({ assetId }) => assetKeys(rules, assetId)),
      ...sharedElementKeys(destinationChain, rules.chainId, keys),
      ...subnetKeys(destinationChain, rules.chainId),
    ];
  },
});

/** The exported outputs as UTXOs of this transaction: their indices follow those of its own outputs. */
function exportedUtxos({ id: txId, unsigned: { outputs, exportedOutputs } }: SignedTx<ExportTx>) {
  return exportedOutputs.map(({ assetId, output }, i) => ({ txId, outputIndex: outputs.length + i, assetId, output }));
}
