/** Exports funds to another chain: they become UTXOs of shared memory, not of this chain. Rules: chain-rules 10.5. */

import { PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import { utxoId } from "../../../base/bytes/utxo-id.ts";
import { list, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { sharedElementKeys } from "../../shared-memory/shared-memory.ts";
import { baseComplexity, outputsComplexity, sum } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { id, transferableOutput } from "../output.ts";
import { verifyOutput, verifyOutputOrder } from "../output-rules.ts";
import { applyBase, baseFields, defineTx, inputKeys, verifyBase } from "./base.ts";
import { verifySameSubnet } from "./same-subnet.ts";

const codec = variant("ExportTx", { ...baseFields, destinationChain: id, exportedOutputs: list(transferableOutput) });
export type ExportTx = Value<typeof codec>;

export const exportTx = defineTx<ExportTx>({
  name: "ExportTx",
  typeId: 18,
  codec,
  // destination, number of outputs
  complexity: (tx) => sum({ bandwidth: 32 + 4 }, baseComplexity(tx), outputsComplexity(tx.exportedOutputs)),
  names: () => [],
  isAtomic: true,
  produced: ({ exportedOutputs }) => exportedOutputs,
  // shared memory may hold a tombstone for an exported UTXO
  keysRead: (tx, txId) => {
    const keys = tx.exportedOutputs.map((_, i) => utxoId(txId, tx.outputs.length + i));
    return [...inputKeys(tx), ...sharedElementKeys(tx.destinationChain, PLATFORM_CHAIN_ID, keys)];
  },
  verifyForm(tx, network) {
    if (tx.exportedOutputs.length === 0) throw new RuleError("no-exports", "no export outputs");
    verifyBase(tx, network);
    for (const exported of tx.exportedOutputs) {
      within("output failed verification", () => verifyOutput(exported));
      if (exported.output.kind === "LockOut") throw new RuleError("locked-export", "wrong locktime reported");
    }
    verifyOutputOrder(tx.exportedOutputs);
  },
  execute(tx, context) {
    const { destinationChain, exportedOutputs, outputs } = tx.unsigned;
    if (context.level === "full") verifySameSubnet(destinationChain, context.state);
    within("failed verifySpend", () => verifyFlow(tx, context));
    applyBase(tx, context.state);
    const utxos = exportedOutputs.map(({ assetId, output }, i) => ({ txId: tx.id, outputIndex: outputs.length + i, assetId, output }));
    context.state.exportUtxos(destinationChain, utxos);
  },
});
