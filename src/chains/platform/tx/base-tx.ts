/** Transfers funds and does nothing else. Rules: chain-rules 10.1. */
import type { Value } from "../../../base/codec/codec.ts";
import { variant } from "../../../base/codec/struct.ts";
import { baseComplexity } from "../fee/complexity.ts";
import { verifyFlow } from "../flow.ts";
import { applyBase, baseFields, inputKeys, verifyBase } from "./base.ts";
import { defineTx } from "./define-tx.ts";

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
