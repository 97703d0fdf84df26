/** Adds AVAX to the balance of an L1 validator; anybody may pay. Rules: chain-rules 10.18, 8.4. */

import { u64, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { baseComplexity, sum } from "../complexity.ts";
import { addAmounts, verifyFlow } from "../flow.ts";
import { id } from "../output.ts";
import { applyBase, baseFields, defineTx, inputKeys, verifyBase } from "./base.ts";
import { endOfBalance, findL1Validator } from "./l1-rules.ts";

const codec = variant("IncreaseL1ValidatorBalanceTx", { ...baseFields, validationId: id, balance: u64 });
export type IncreaseL1ValidatorBalanceTx = Value<typeof codec>;

export const increaseL1ValidatorBalance = defineTx<IncreaseL1ValidatorBalanceTx>({
  name: "IncreaseL1ValidatorBalanceTx",
  typeId: 38,
  since: "etna",
  codec,
  // validation ID, balance
  complexity: (tx) => sum({ bandwidth: 32 + 8, reads: 1, writes: 5 }, baseComplexity(tx)),
  names: ({ validationId }) => [validationId],
  balances: ({ balance }) => [balance],
  keysRead: inputKeys,
  verifyForm(tx, network) {
    if (tx.balance === 0n) throw new RuleError("zero-balance", "balance must be greater than 0");
    verifyBase(tx, network);
  },
  execute(tx, context) {
    const { validationId, balance } = tx.unsigned;
    verifyFlow(tx, context);
    const { validationId: _, endAccumulatedFee: end, ...row } = findL1Validator(validationId, context.state);
    const endAccumulatedFee = end === 0n ? endOfBalance(balance, context) : addAmounts(end, balance);
    context.state.putL1Validator(validationId, { ...row, endAccumulatedFee }, tx.id);
    applyBase(tx, context.state);
  },
});
