/** Changes an L1 validator's weight as the L1's manager requests; weight 0 removes it. Rules: chain-rules 10.17, 8.4. */

import { bytes, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError, within } from "../../../network/execution.ts";
import { baseComplexity, sum, warpComplexity } from "../complexity.ts";
import { verifyFlow } from "../flow.ts";
import type { L1Validator } from "../state/staker-set.ts";
import { parseL1ValidatorWeight } from "../warp/l1-messages.ts";
import { parseAddressedCall, parseWarpMessage, readMessage } from "../warp/message.ts";
import { applyBase, baseFields, defineTx, inputKeys, type TxContext, verifyBase } from "./base.ts";
import { findL1Validator, refundBalance, verifyManager } from "./l1-rules.ts";
import type { Signed } from "./signed.ts";

const codec = variant("SetL1ValidatorWeightTx", { ...baseFields, message: bytes });
export type SetL1ValidatorWeightTx = Value<typeof codec>;

export const setL1ValidatorWeight = defineTx<SetL1ValidatorWeightTx>({
  name: "SetL1ValidatorWeightTx",
  typeId: 37,
  since: "etna",
  codec,
  // length of the message
  complexity: (tx) => sum({ bandwidth: 4, reads: 3, writes: 5 }, baseComplexity(tx), warpComplexity(tx.message)),
  names: ({ message }) => readMessage(message, (payload) => [parseL1ValidatorWeight(payload).validationId]),
  warpMessage: ({ message }) => message,
  mayRefund: true,
  keysRead: inputKeys,
  verifyForm: verifyBase,
  execute(tx, context) {
    verifyFlow(tx, context);
    const warp = parseWarpMessage(tx.unsigned.message);
    const call = parseAddressedCall(warp.payload);
    const { validationId, nonce, weight } = parseL1ValidatorWeight(call.payload);
    const { state } = context;
    const validator = within("could not load L1 validator", () => findL1Validator(validationId, state));
    if (nonce < validator.minNonce) {
      const text = `warp message contains stale nonce ${nonce} must be at least ${validator.minNonce}`;
      throw new RuleError("stale-nonce", text);
    }
    verifyManager(validator.subnetId, warp.sourceChainId, call.sourceAddress, state);
    if (weight === 0n) leave(tx, validator, context);
    const { validationId: _, ...row } = validator;
    // a removed validator's nonce no longer matters, so it may exceed 64 bits
    state.putL1Validator(validationId, { ...row, minNonce: nonce + 1n, weight }, tx.id);
    applyBase(tx, state);
  },
});

function leave(tx: Signed<SetL1ValidatorWeightTx>, validator: L1Validator, context: TxContext): void {
  if (context.state.l1TotalWeight(validator.subnetId) === validator.weight) {
    throw new RuleError("last-validator", "attempting to remove the last L1 validator from a converted subnet");
  }
  if (validator.endAccumulatedFee !== 0n) refundBalance(tx, validator, context);
}
