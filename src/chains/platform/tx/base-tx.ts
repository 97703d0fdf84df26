/** Transfers funds and does nothing else. Rules: chain-rules 10.1. */
import { type Value, variant } from "../../../base/codec/codec.ts";
import { baseComplexity } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import { applyBase, baseFields, defineTx, inputKeys, verifyBase } from "./base.ts";

const codec = variant("BaseTx", baseFields);
export type BaseTx = Value<typeof codec>;

export const baseTx = defineTx<BaseTx>({
  name: "BaseTx",
  typeId: 34,
  since: "durango",
  codec,
  complexity: baseComplexity,
  names: () => [],
  keysRead: inputKeys,
  verifyForm: verifyBase,
  execute(tx, context) {
    verifyFlow(tx, context);
    applyBase(tx, context.state);
  },
});
