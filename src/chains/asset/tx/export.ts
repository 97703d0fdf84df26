/** Exports value to another chain of the subnet through shared memory. Rules: chain-rules 15.6, 16.2. */

import { list, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { id } from "../fields.ts";
import type { Parts } from "../parts.ts";
import { baseFields } from "./base.ts";
import { defineTx } from "./define.ts";
import { verifyFxUsage } from "./transfers.ts";

function codec(parts: Parts) {
  return variant("ExportTx", { ...baseFields(parts), destinationChain: id, exportedOutputs: list(parts.transferableOutput) });
}

export type ExportTx = Value<ReturnType<typeof codec>>;

export const exportTx = defineTx<ExportTx>({
  name: "ExportTx",
  typeId: 4,
  codec,
  exported: (tx) => tx,
  verifyFirst({ exportedOutputs }) {
    if (exportedOutputs.length === 0) throw new RuleError("no-exports", "no export outputs");
  },
  verifySemantics({ unsigned: { destinationChain, exportedOutputs } }, context) {
    if (context.level === "full") context.verifySameSubnet(destinationChain);
    for (const { assetId, output } of exportedOutputs) verifyFxUsage(output, assetId, context);
  },
});
